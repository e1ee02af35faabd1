package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Changes an account for an administrator, with an audit record of who did it.
///
/// A change is made only while its maker still is an administrator: of two who take each other's flag
/// away at the same moment, one loses.
package struct AdministerUser: Sendable {
    package enum Change: Equatable, Sendable {
        /// Out at once everywhere, and no sign-in any more.
        case disable
        /// Sessions from before stay ended.
        case enable
        case signOut
        case setAdmin(Bool)
    }

    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// The account as it is afterwards. Succeeds when it was so before.
    package func callAsFunction(
        _ id: String, _ change: Change, by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> User {
        guard let target = try auth.userID(shownAs: id) else {
            throw .administration(.userNotFound)
        }
        if administrator.user?.id == target, change == .disable || change == .setAdmin(false) {
            throw .administration(.ownAccount)
        }
        for _ in 0..<Attempts.max {
            let (user, maker) = try read(target, administrator)
            var changed = user
            apply(change, to: &changed)
            guard changed != user else { return user }
            changed.updatedAt = auth.clock.now()
            let next = changed
            var writes: [Write] = [
                UserRecord.replacing(user) { $0 = next },
                AuditRecord.write(
                    event(change), user: target, session: nil, address: caller.address,
                    by: administrator.name, at: next.updatedAt, random: auth.random),
            ]
            if let maker, maker.id != target {
                writes.append(
                    .check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker)))
            }
            let closing = writes
            if try attempted({ () throws(StoreFailure) in try auth.store.write(closing) }) {
                return next
            }
        }
        throw .unavailable(.contention)
    }

    private func read(
        _ target: UserID, _ administrator: Administrator
    ) throws(AuthError) -> (user: User, maker: User?) {
        let ids = [target] + (administrator.user.map { [$0.id] } ?? []).filter { $0 != target }
        let found = try stored { () throws(StoreFailure) in
            var users: [User?] = []
            for (id, item) in zip(ids, try auth.store.get(ids.map(StoreLayout.profile))) {
                users.append(
                    try item.map { item throws(StoreFailure) in
                        try UserRecord.user(item, id: id)
                    })
            }
            return users
        }
        guard let user = found[0], user.deletedAt == nil else {
            throw .administration(.userNotFound)
        }
        guard let known = administrator.user else { return (user, nil) }
        guard let maker = found[found.count - 1], maker.isAdmin, !maker.isDisabled,
            maker.deletedAt == nil, maker.epoch == known.epoch
        else { throw .accessToken(.administratorsOnly) }
        return (user, maker)
    }

    /// The epoch ends every session at once, wherever it is looked at.
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
    package var administerUser: AdministerUser { AdministerUser(self) }
}

extension AuthOperation {
    package static let disableUser = AuthOperation("disableUser", servedBy: "users")
    package static let enableUser = AuthOperation("enableUser", servedBy: "users")
    package static let signOutUser = AuthOperation("signOutUser", servedBy: "users")
    /// Gives or takes the flag `isAdmin`.
    package static let setAdmin = AuthOperation("setAdmin", servedBy: "users")
}
