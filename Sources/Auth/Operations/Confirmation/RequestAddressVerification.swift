package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Mails a signed-in user a link that proves the address of their account (`VerifyAddress`).
    ///
    /// - Returns: the address that the link was mailed to, and the secret that is needed together
    ///   with the code of the mail, if mails have codes.
    package func requestAddressVerification(
        _ caller: Caller
    ) throws(AuthError) -> (email: EmailAddress, requestSecret: String?) {
        // 1. Open: authenticate.
        let principal = try authenticate(caller, for: .requestAddressVerification)
        let user = principal.user
        guard let email = user.emailAddress else {
            throw .emailLink(.noAddress)
        }
        guard !user.isEmailVerified else { throw .emailLink(.alreadyVerified) }

        // 2. Close: write the link and its mail.
        let now = clock.now()
        let mail = try confirmationMail(to: email, of: user, hasCode: true, caller, at: now)
        var audit = audit(.account(user.id), principal.auditHead)
        audit.record(.verificationRequested, session: principal.session.id, caller, at: now)
        guard try commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return (email, mail.requestSecret)
    }

    /// A link that verifies the address that the account has.
    func confirmationMail(
        to email: EmailAddress, of user: User, hasCode: Bool, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AccountLink.make(for: user.id, random: random)
        let expiresAt = now + (try passwords).policy.verificationLifetime
        let code = hasCode ? mailedCode(at: link.place) : nil
        let plainRow = PendingConfirmation(email: email, epoch: user.epoch)
            .item(link, expiresAt: expiresAt)
        let row = code?.marking(plainRow) ?? plainRow
        let message = try mail.prepare(
            Mail(
                .verifyEmail, to: email.text, user: user.id, language: caller.language,
                values: try linkValues(.confirmEmail, token, code, until: expiresAt, now),
                expiresAt: expiresAt),
            auth: self, at: now)
        return MailedChange(
            writes: [.put(row, when: [.absent]), message.write],
            requestSecret: code?.secret.text, message: message)
    }
}

extension AuthOperation {
    package static let requestAddressVerification = AuthOperation(
        "requestConfirmation", servedBy: "confirm-email", audited: .caller)
}
