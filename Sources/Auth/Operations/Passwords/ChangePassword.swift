package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Replaces the password of a user who is signed in and knows it. Every session ends, and the
    /// caller gets a new one.
    package func changePassword(
        current: String, new: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try accessTokens.signer(for: .changePassword, caller)

        // 1. Open: authenticate, and read the password.
        let (principal, items) = try authenticate.open(caller, for: .changePassword) { user in
            [StoreLayout.password(of: user)]
        }
        guard let password = items[StoreLayout.password(of: principal.user.id)] else {
            throw .password(.notSet)
        }
        let user = principal.user
        let hash = try decoded(PasswordRecord.hash(password))

        // 2. Check the rules first: they reveal nothing about the current password.
        let passwords = try passwords
        try passwords.check(new, for: user.loginAddress)
        guard try passwords.isRight(current, hash: hash) else {
            try recordFailure(
                .passwordChangeFailed, on: audit(.attempts(on: user.id)),
                session: principal.session.id, caller, detail: "wrongCredentials")
            throw .password(.wrongCurrentPassword)
        }

        // 3. Close: write the hash, the end of every session, and a new one.
        let now = clock.now()
        let next = try passwords.hash(new)
        var changed = user
        changed.epoch += 1
        changed.updatedAt = now
        var audit = audit(.account(user.id), principal.auditHead)
        let session = try SessionOpening(
            self,
            for: SessionPermit(
                replacing: principal, of: changed,
                principal.session.proofs.repeating(.password, of: user, at: now)),
            from: principal.session.origin, beside: SignInHistory(), signer, &audit, caller,
            at: now)
        audit.record(.passwordChanged, session: session.session.id, caller, at: now)
        let notice = try notice(.passwordChanged, to: user, caller, at: now)
        let closing =
            [
                .put(
                    PasswordRecord.item(
                        next, of: user.id, changedAt: now, since: principal.session.proofs.since),
                    when: PasswordRecord.unchanged(password)),
                UserRecord.replacing(user) { $0 = changed },
                deletion(of: principal.session),
            ] + session.writes + notice.writes
        // The account was changed in the meantime, possibly its password.
        guard try commit(closing, &audit) else { throw .unavailable(.contention) }
        notice.deliver()
        return try session.tokens(for: changed, at: now)
    }
}

extension AuthOperation {
    package static let changePassword = AuthOperation(
        "changePassword", servedBy: "change-password", audited: .caller, hashing: true)
}
