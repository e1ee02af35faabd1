package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Changes the name of the signed-in user, by which administrators also find the account.
    ///
    /// - Parameter name: nil, or a name that is empty after cleaning, removes the name.
    @discardableResult
    package func changeName(to name: String?, _ caller: Caller) throws(AuthError) -> User {
        for attempt in attempts {
            let (principal, _) = try authenticate.open(
                caller, for: .changeName, attempt: attempt, reading: { _ in [] })
            let user = principal.user
            var changed = user
            changed.displayName = name.flatMap(PersonName.cleaned)
            guard changed != user else { return user }
            let now = clock.now()
            changed.updatedAt = now
            let next = changed
            let writes =
                [UserRecord.replacing(user) { $0 = next }]
                + policy.accounts.userIndex(from: user, to: next)
            var audit = audit(.account(user.id), principal.auditHead)
            audit.record(.nameChanged, session: principal.session.id, caller, at: now)
            if try commit(writes, &audit) { return next }
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    /// Rate limits count it as `me`.
    package static let changeName = AuthOperation(
        "changeName", servedBy: "me", counting: [], audited: .caller)
}
