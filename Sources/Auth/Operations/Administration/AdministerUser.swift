package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Changes an account for an administrator, with an audit record of who did it.
///
/// A change is written only while its author is still an administrator: if two administrators
/// remove each other's flag at the same time, only one succeeds.
package struct AdministerUser: Sendable {
    package enum Change: Equatable, Sendable {
        /// Ends every session and prevents sign-in.
        case disable
        /// Allows sign-in again. Earlier sessions stay ended.
        case enable
        case signOut
        case setAdmin(Bool)
    }

    let auth: AuthServices

    /// - Returns: the account after the change. Succeeds also if there is nothing to change.
    package func callAsFunction(
        _ id: String, _ change: Change, by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> User {
        guard let target = try auth.userID(shownAs: id) else {
            throw .administration(.userNotFound)
        }
        if administrator.user?.id == target, change == .disable || change == .setAdmin(false) {
            throw .administration(.ownAccount)
        }
        for _ in auth.attempts {
            let (user, maker, trail) = try read(target, administrator)
            // It would end with its session.
            if user.isGuest, change == .setAdmin(true) { throw .account(.guest) }
            var changed = user
            apply(change, to: &changed)
            guard changed != user else { return user }
            changed.updatedAt = auth.clock.now()
            let next = changed
            var writes = [UserRecord.replacing(user) { $0 = next }]
            var audit = trail
            audit.record(event(change), caller, by: administrator.name, at: next.updatedAt)
            if let maker, maker.id != target {
                writes.append(
                    .check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker)))
            }
            if try auth.commit(writes, &audit) { return next }
        }
        throw .unavailable(.contention)
    }

    private func read(
        _ target: UserID, _ administrator: Administrator
    ) throws(AuthError) -> (user: User, maker: User?, audit: AuditTrail) {
        let ids = [target] + (administrator.user.map { [$0.id] } ?? []).filter { $0 != target }
        let chain = AuditChain.account(target)
        let items = try auth.store.get(ids.map(StoreLayout.profile) + [chain.headKey])
        let audit = try auth.audit(chain, items)
        guard let user = try items.user(target), user.deletedAt == nil else {
            throw .administration(.userNotFound)
        }
        guard let known = administrator.user else { return (user, nil, audit) }
        guard let maker = try items.user(known.id), maker.isAdmin, !maker.isDisabled,
            maker.deletedAt == nil, maker.epoch == known.epoch
        else { throw .accessToken(.administratorsOnly) }
        return (user, maker, audit)
    }

    /// Increasing the epoch ends every session at once.
    private func apply(_ change: Change, to user: inout User) {
        switch change {
        case .disable:
            guard !user.isDisabled else { return }
            user.isDisabled = true
            user.epoch += 1
        case .enable: user.isDisabled = false
        case .signOut: user.epoch += 1
        case .setAdmin(let isAdmin): user.isAdmin = isAdmin
        }
    }

    private func event(_ change: Change) -> AuditEvent {
        switch change {
        case .disable: .accountDisabled
        case .enable: .accountEnabled
        case .signOut: .signedOutByAdministrator
        case .setAdmin(true): .madeAdministrator
        case .setAdmin(false): .unmadeAdministrator
        }
    }
}

extension AuthServices {
    package var administerUser: AdministerUser { AdministerUser(auth: self) }
}

extension AuthOperation {
    package static let disableUser = AuthOperation(
        "disableUser", servedBy: "users", audited: .others)
    package static let enableUser = AuthOperation(
        "enableUser", servedBy: "users", audited: .others)
    package static let signOutUser = AuthOperation(
        "signOutUser", servedBy: "users", audited: .others)
    /// Sets or clears the flag `isAdmin`.
    package static let setAdmin = AuthOperation(
        "setAdmin", servedBy: "users", audited: .others)
}
