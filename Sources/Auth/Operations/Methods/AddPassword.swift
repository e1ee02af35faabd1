package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Adds a password to the account of a user who signed in recently: at once if the address is
/// verified, otherwise through a link that is mailed to the address (`CompleteAddPassword`).
package struct AddPassword: Sendable {
    let auth: AuthServices

    package enum Output: Equatable, Sendable {
        case added(SignInMethods)
        /// The response is the same for an address that belongs to another account: its owner is
        /// notified by mail, and the response does not reveal it.
        ///
        /// - Parameter requestSecret: the secret that the code in the mail requires; nil if mails
        ///   have no codes.
        case linkSent(EmailAddress, requestSecret: String? = nil)
    }

    /// - Parameter email: the login address; nil for the account's own address.
    package func callAsFunction(
        _ password: String, email: EmailAddress?, _ caller: Caller
    ) throws(AuthError) -> Output {
        // 1. Open: authenticate, and read the password and the owner of the address.
        let claimKey = email.map(StoreLayout.emailClaim)
        let (principal, items) = try auth.authenticate.open(
            caller, for: .addPassword, mailing: email.map(BudgetedMail.toAnyone)
        ) { user in
            [StoreLayout.password(of: user)] + (claimKey.map { [$0] } ?? [])
        }
        try auth.requireRecentSignIn(principal, at: auth.clock.now())
        let user = principal.user
        guard items[StoreLayout.password(of: user.id)] == nil else { throw .method(.alreadyAdded) }
        let login = user.provenLogin
        let isProven = login != nil && (email == nil || email == login)
        guard let address = email ?? login else { throw .method(.addressRequired) }
        if !isProven { try auth.refuseTooManyAddresses(of: user, at: auth.clock.now()) }

        // 2. Check the rules, then hash.
        let passwords = try auth.passwords
        try passwords.check(password, for: address)
        let hash = try passwords.hash(password)

        // 3. Close: write the password, or a link for it.
        guard isProven else {
            let owner = try auth.owner(claimKey.flatMap { items[$0] })
            let isTaken = owner.map { $0 != user.id } ?? false
            let secret = try sendLink(to: address, hash, isTaken: isTaken, principal, caller)
            return .linkSent(address, requestSecret: secret)
        }
        let now = auth.clock.now()
        var audit = auth.audit(.account(user.id), principal.auditHead)
        let change = try MethodChange(
            auth, of: user, .methodAdded, .password, by: principal.session, &audit, caller, at: now
        ) { user in
            if !user.identities.contains(where: \.isPassword) {
                user.identities.append(.password(address))
            }
        }
        let closing =
            change.writes + [
                .put(
                    PasswordRecord.item(
                        hash, of: user.id, changedAt: now, since: principal.session.proofs.since),
                    when: [.absent]),
                .check(StoreLayout.session(principal.session.id, of: user.id), when: [.present]),
            ]
        guard try auth.commit(closing, &audit) else { throw .unavailable(.contention) }
        change.notice.deliver()
        return .added(SignInMethods(of: change.user, hasPassword: true))
    }

    private func sendLink(
        to address: EmailAddress, _ hash: String, isTaken: Bool, _ principal: Principal,
        _ caller: Caller
    ) throws(AuthError) -> String? {
        let now = auth.clock.now()
        let pending = PendingPassword(email: address, hash: hash, epoch: principal.user.epoch)
        let mail = try auth.passwordLinkMail(
            pending, of: principal.user.id, isTaken: isTaken, caller, at: now
        ).within(principal.mailWithheldBy, auth, at: now)
        var audit = auth.audit(.account(principal.user.id), principal.auditHead)
        audit.record(.passwordLinkRequested, session: principal.session.id, caller, at: now)
        guard try auth.commit(mail.writes, &audit) else { throw .unavailable(.contention) }
        mail.deliver()
        return mail.requestSecret
    }
}

extension AuthServices {
    package var addPassword: AddPassword { AddPassword(auth: self) }

    /// The link that proves the address, or a notice to the owner if the address is taken.
    fileprivate func passwordLinkMail(
        _ pending: PendingPassword, of user: UserID, isTaken: Bool, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) -> MailedChange {
        let (token, link) = AccountLink.make(for: user, random: random)
        return try provingMail(
            to: pending.email, .addPassword, token, of: user, at: link.place,
            until: now + (try passwords).policy.resetLifetime, isTaken: isTaken, caller, at: now
        ) { pending.item(link, expiresAt: $0) }
    }
}

extension AuthOperation {
    package static let addPassword = AuthOperation(
        "addPassword", servedBy: "add-password", audited: .caller, hashing: true)
}
