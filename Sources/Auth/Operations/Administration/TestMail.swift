package import AuthDomain
internal import Time

extension AuthServices {
    /// Sends a test mail for an administrator, with an audit event that names the administrator.
    ///
    /// - Returns: nil if a hook sends the mail.
    package func testMail(
        to email: EmailAddress, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) -> MailTest? {
        var audit = audit(.administration)
        audit.record(
            .mailTested, caller, by: administrator.name, because: reason, at: clock.now())
        // The event is written first, so that no mail is sent without one.
        guard try commit([], &audit) else { throw .unavailable(.contention) }
        return try mail.test(email, self, within: .seconds(15))
    }
}
