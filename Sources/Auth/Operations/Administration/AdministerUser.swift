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
        /// The administrator vouches for the address.
        case setEmail(EmailAddress)
        /// Deletes the account and erases its data, as `deleteAccount` does for its owner.
        case delete
    }

    let auth: AuthServices

    /// - Parameter reason: in the administrator's words, for the audit log.
    /// - Returns: the account after the change. Succeeds also if there is nothing to change.
    package func callAsFunction(
        _ id: String, _ change: Change, because reason: String? = nil,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> User {
        guard let target = try auth.userID(shownAs: id) else {
            throw .administration(.userNotFound)
        }
        if administrator.user?.id == target, !change.isForOwnAccount {
            throw .administration(.ownAccount)
        }
        for _ in auth.attempts {
            let (user, maker, owner, trail) = try read(target, change, administrator)
            // It would end with its session.
            if user.isGuest, !change.isForGuests { throw .account(.guest) }
            var changed = user
            apply(change, to: &changed)
            let now = auth.clock.now()
            var moved: AddressChange?
            if case .setEmail(let email) = change, user.provenLogin != email {
                if let owner, owner != target { throw .account(.emailTaken) }
                try auth.refuseTooManyAddresses(of: user, at: now)
                // The user's mail does not say where the administrator is.
                moved = try AddressChange(auth, of: user, to: email, Caller(), at: now)
                moved?.apply(to: &changed)
            }
            var deletion: AccountDeletion?
            var notice = OwnerNotice.none
            if change == .delete {
                deletion = AccountDeletion(auth, of: user, by: .administrator, at: now)
                if auth.hasMail {
                    notice = try auth.notice(.accountDeleted, to: user, Caller(), at: now)
                }
                changed = user.deleted(at: now)
            }
            guard changed != user else { return user }
            changed.updatedAt = now
            let next = changed
            var writes =
                deletion?.writes
                ?? [UserRecord.replacing(user) { $0 = next }] + (moved?.writes ?? [])
            writes += notice.writes
            var audit = trail
            audit.record(
                event(change), caller, by: administrator.name, because: reason,
                at: next.updatedAt)
            if let maker, maker.id != target {
                writes.append(
                    .check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker)))
            }
            if try auth.commit(writes, &audit) {
                moved?.deliver()
                notice.deliver()
                deletion?.eraseAfterReply()
                return next
            }
        }
        throw .unavailable(.contention)
    }

    /// - Returns: the account, the administrator's, and the owner of the new address.
    private func read(
        _ target: UserID, _ change: Change, _ administrator: Administrator
    ) throws(AuthError) -> (user: User, maker: User?, owner: UserID?, audit: AuditTrail) {
        let ids = [target] + (administrator.user.map { [$0.id] } ?? []).filter { $0 != target }
        let chain = AuditChain.account(target)
        var claimKey: ItemKey?
        if case .setEmail(let email) = change { claimKey = StoreLayout.emailClaim(email) }
        let items = try auth.store.get(
            ids.map(StoreLayout.profile) + [chain.headKey] + [claimKey].compactMap(\.self))
        let owner = try auth.owner(claimKey.flatMap { items[$0] })
        let audit = try auth.audit(chain, items)
        guard let user = try items.user(target), user.deletedAt == nil else {
            throw .administration(.userNotFound)
        }
        guard let known = administrator.user else { return (user, nil, owner, audit) }
        guard let maker = try items.user(known.id), maker.isAdmin, !maker.isDisabled,
            maker.deletedAt == nil, maker.epoch == known.epoch
        else { throw .accessToken(.administratorsOnly) }
        return (user, maker, owner, audit)
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
        // `AddressChange`, `AccountDeletion`
        case .setEmail, .delete: break
        }
    }

    private func event(_ change: Change) -> AuditEvent {
        switch change {
        case .disable: .accountDisabled
        case .enable: .accountEnabled
        case .signOut: .signedOutByAdministrator
        case .setAdmin(true): .madeAdministrator
        case .setAdmin(false): .unmadeAdministrator
        case .setEmail: .emailChanged
        case .delete: .accountDeleted
        }
    }
}

extension AdministerUser.Change {
    /// Administrators change their own address as users do, with the proofs that it needs.
    fileprivate var isForOwnAccount: Bool {
        switch self {
        case .disable, .setAdmin(false), .setEmail, .delete: false
        case .enable, .signOut, .setAdmin(true): true
        }
    }

    fileprivate var isForGuests: Bool {
        switch self {
        case .setAdmin(true), .setEmail: false
        case .disable, .enable, .signOut, .setAdmin(false), .delete: true
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
    package static let setUserEmail = AuthOperation(
        "setUserEmail", servedBy: "users", audited: .others)
    /// Served by the executable of the pages, which has the permissions to erase.
    package static let deleteUser = AuthOperation(
        "deleteUser", servedBy: "admin", audited: .others)
}
