package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Mails a link for choosing a new password. The response does not reveal whether there is an
    /// account.
    ///
    /// - Parameters:
    ///   - kind: `resetPassword`, or the `invitation` to a new account.
    ///   - hasCode: false for a mail that no app has asked for.
    /// - Returns: the secret that is needed together with the code of the mail, if mails have
    ///   codes.
    @discardableResult
    package func forgotPassword(
        _ email: EmailAddress, _ caller: Caller, as kind: Mail.Kind = .resetPassword,
        hasCode: Bool = true
    ) throws(AuthError) -> String? {
        // 1. Open: count, and find the account.
        let claimKey = StoreLayout.emailClaim(email)
        let opening = try open(
            .forgotPassword,
            counting: [(.address, caller.address), (.email, email.folded)],
            reading: [claimKey], mailing: .toRecipient(email))
        try opening.admit()

        // 2. A second read: the row of the address contains only the account's ID. An account
        //    without e-mail sign-in gets no link, because access to a mailbox alone must not add a
        //    sign-in method, but a mail that names its methods.
        let owner = try owner(opening.items[claimKey])
        let found = try emailLookup(email, owner, .forgotPassword)
        let user = found.account.flatMap { $0.user.isDisabled ? nil : $0.user }

        // 3. Close: write the link and its mail, or dummy rows of the same size.
        let now = clock.now()
        let mail = try resetMail(
            to: user, otherwiseSignedIn: found.otherwiseSignedIn, email, as: kind,
            hasCode: hasCode, caller, at: now
        )
        .within(opening.withheldBy, self, at: now)
        var audit = found.attempts
        audit.record(
            .passwordResetRequested, caller,
            detail: kind == .invitation ? kind.rawValue : nil, at: now)
        guard try commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }
}

extension AuthOperation {
    package static let forgotPassword = AuthOperation(
        "forgotPassword", servedBy: "forgot-password", counting: [.address, .email],
        audited: .others)
}
