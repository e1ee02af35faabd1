package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Mails a signed-in user a link that proves the address of their account (`VerifyAddress`).
package struct RequestAddressVerification: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// - Returns: the address that the link was mailed to.
    package func callAsFunction(_ caller: Caller) throws(AuthError) -> EmailAddress {
        // 1. Open: who calls.
        let principal = try auth.authenticate(caller, for: .requestAddressVerification)
        let user = principal.user
        guard let email = user.emailAddress else {
            throw .emailLink(.noAddress)
        }
        guard !user.isEmailVerified else { throw .emailLink(.alreadyVerified) }

        // 2. Close: the link and its mail.
        let now = auth.clock.now()
        let (token, link) = AccountLink.make(for: user.id, random: auth.random)
        let expiresAt = now + (try auth.passwords).policy.verificationLifetime
        let pending = PendingConfirmation(email: email, epoch: user.epoch)
        let mail = try auth.mail.prepare(
            Mail(
                .verifyEmail, to: email.text, language: caller.language,
                values: try auth.linkValues(.confirmEmail, token, until: expiresAt, now),
                expiresAt: expiresAt),
            auth: auth, at: now)
        var audit = auth.audit(.account(user.id), principal.auditHead)
        audit.record(.verificationRequested, session: principal.session.id, caller, at: now)
        let closing = [
            .put(pending.item(link, expiresAt: expiresAt), when: [.absent]), mail.write,
        ]
        guard try auth.commit(closing, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return email
    }
}

extension AuthServices {
    package var requestAddressVerification: RequestAddressVerification {
        RequestAddressVerification(self)
    }
}

extension AuthOperation {
    package static let requestAddressVerification = AuthOperation(
        "requestConfirmation", servedBy: "confirm-email", audited: .caller)
}
