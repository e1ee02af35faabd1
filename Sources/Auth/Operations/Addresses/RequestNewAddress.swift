package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Mails a link to the new address of a signed-in user, who must have signed in recently
    /// (`VerifyAddress`). Until the link is used, nothing changes.
    ///
    /// For an address that belongs to another account, its owner is notified by mail, and the
    /// response does not reveal it.
    ///
    /// - Returns: the secret that is needed together with the code of the mail, if mails have
    ///   codes.
    package func requestNewAddress(
        _ email: EmailAddress, _ caller: Caller
    ) throws(AuthError) -> String? {
        // 1. Open: authenticate, and read the owner of the address.
        let claimKey = StoreLayout.emailClaim(email)
        let (principal, items) = try authenticate.open(
            caller, for: .requestNewAddress, mailing: .toAnyone(email)
        ) { _ in [claimKey] }
        let (user, now) = (principal.user, clock.now())
        guard !user.isGuest else { throw .account(.guest) }
        try requireRecentSignIn(principal, at: now)
        guard user.provenLogin != email else { throw .emailLink(.alreadyVerified) }
        try refuseTooManyAddresses(of: user, at: now)
        let owner = try owner(items[claimKey])

        // 2. Close: write the link, or a dummy row of the same size, and the mail.
        let pending = PendingConfirmation(
            email: email, epoch: user.epoch, .replace(former: user.email))
        let (token, link) = AccountLink.make(for: user.id, random: random)
        let mail = try provingMail(
            to: email, .confirmEmail, token, of: user.id, at: link.place,
            until: now + (try passwords).policy.verificationLifetime,
            isTaken: owner.map { $0 != user.id } ?? false, caller, at: now
        ) { pending.item(link, expiresAt: $0) }
        .within(principal.mailWithheldBy, self, at: now)
        var audit = audit(.account(user.id), principal.auditHead)
        audit.record(
            .emailChangeRequested, session: principal.session.id, caller, at: now)
        guard try commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }
}

extension AuthOperation {
    package static let requestNewAddress = AuthOperation(
        "changeEmail", servedBy: "change-email", audited: .caller)
}
