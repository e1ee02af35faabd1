package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Replaces the password of a user who is signed in and knows it. Every session ends, and the caller
/// is given a new one.
package struct ChangePassword: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        current: String, new: String, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(at: auth.clock.now())

        // 1. Open: who calls, and the password of the account.
        let (principal, items) = try auth.authenticate.open(caller, for: .changePassword) { user in
            [StoreLayout.password(of: user)]
        }
        guard let password = items[0] else { throw .password(.notSet) }
        let user = principal.user
        let hash = try stored { () throws(StoreFailure) in try PasswordRecord.hash(password) }

        // 2. The rules before the current password: they tell nothing about it.
        let passwords = try auth.passwords
        try passwords.check(new, for: user.loginAddress)
        guard try passwords.isRight(current, hash: hash) else {
            try auth.recordFailure(
                .passwordChangeFailed, on: auth.audit(.attempts(on: user.id)),
                session: principal.session.id, caller, detail: "wrongCredentials")
            throw .password(.wrongCurrentPassword)
        }

        // 3. Close: the hash, the end of every session, and a new one.
        let now = auth.clock.now()
        let next = try passwords.hash(new)
        var changed = user
        changed.epoch += 1
        changed.updatedAt = now
        var audit = auth.audit(.account(user.id), principal.auditHead)
        let session = try SessionOpening(
            auth,
            for: SessionPermit(
                replacing: principal, of: changed,
                principal.session.proof.repeatingFirstFactor(of: user, at: now)),
            from: principal.session.origin, others: [], &audit, caller, at: now)
        audit.record(.passwordChanged, session: session.session.id, caller, at: now)
        let notice = try auth.notice(.passwordChanged, to: user, caller, at: now)
        let closing =
            [
                .put(
                    PasswordRecord.item(next, of: user.id, changedAt: now),
                    when: PasswordRecord.unchanged(password)),
                UserRecord.replacing(user) { $0 = changed },
                .delete(StoreLayout.session(principal.session.id, of: user.id), when: []),
            ] + session.writes + notice.writes
        // The account was changed meanwhile; the password may be another.
        guard try auth.commit(closing, &audit) else { throw .unavailable(.contention) }
        notice.deliver()
        return try session.tokens(for: changed, signer, at: now)
    }
}

extension AuthServices {
    package var changePassword: ChangePassword { ChangePassword(self) }
}

extension AuthOperation {
    package static let changePassword = AuthOperation(
        "changePassword", servedBy: "change-password", audited: .caller)
}
