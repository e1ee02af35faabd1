package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Mails the user a link for a new password, as `forgotPassword` does, with an audit event that
    /// names the administrator.
    package func mailPasswordLink(
        to id: String, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) {
        let user = try administeredUser(id, administrator)
        guard let email = user.loginAddress else { throw .method(.notFound) }
        // The mail to the user does not contain the administrator's location. The rate limit still
        // counts the location.
        try forgotPassword(email, Caller(address: caller.address), hasCode: false)
        var audit = audit(.account(user.id))
        audit.record(
            .passwordResetRequested, caller, by: administrator.name, because: reason,
            at: clock.now())
        guard try commit([], &audit) else { throw .unavailable(.contention) }
    }

    /// Mails the user a link that verifies the address of the account. It counts towards the limits
    /// of `resendVerification`.
    package func mailVerificationLink(
        to id: String, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) {
        let user = try administeredUser(id, administrator)
        guard !user.isDisabled else { throw .account(.disabled) }
        guard let email = user.emailAddress else { throw .emailLink(.noAddress) }
        guard !user.isEmailVerified else { throw .emailLink(.alreadyVerified) }
        let chain = AuditChain.account(user.id)
        let opening = try open(
            .resendVerification,
            counting: [(.address, caller.address), (.email, email.folded)],
            reading: [chain.headKey], mailing: .toRecipient(email))
        try opening.admit()
        let now = clock.now()
        // Unlike a client, an administrator learns that no mail was sent.
        guard opening.withheldBy == nil else {
            let day = FixedWindow(of: .days(1), at: now)
            throw .rateLimited(retryAfterSeconds: max(1, (day.endsAt - now).seconds))
        }
        // No app has asked for the mail, so it has no code.
        let mail = try confirmationMail(to: email, of: user, hasCode: false, Caller(), at: now)
        var audit = try audit(chain, opening.items)
        audit.record(
            .verificationRequested, caller, by: administrator.name, because: reason, at: now)
        guard try commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
    }

    /// Mails another link of a registration that was not confirmed, as `resendVerification` does.
    package func mailRegistrationLink(
        to email: EmailAddress, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) {
        guard try findUsers.registration(of: email) != nil else {
            throw .administration(.userNotFound)
        }
        // The mail does not contain the administrator's location. The rate limit still counts the
        // location.
        try resendVerification(
            email, by: administrator.name, because: reason, Caller(address: caller.address))
    }

    /// An account that the administrator may change.
    func administeredUser(
        _ id: String, _ administrator: Administrator
    ) throws(AuthError) -> User {
        let user = try user(shownAs: id)
        if case .user(let maker) = administrator, let role = user.adminRole,
            maker.adminRole.map({ $0 < role }) ?? true
        {
            throw .accessToken(.administratorsOnly)
        }
        return user
    }
}
