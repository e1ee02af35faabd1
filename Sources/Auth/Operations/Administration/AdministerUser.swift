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
        /// Allows sign-in again. Earlier sessions remain ended.
        case enable
        case signOut
        /// Gives the user a role, or removes it.
        case setRole(AdminRole?)
        /// The administrator vouches for the address.
        ///
        /// - Parameter isFinal: for an account whose mailbox was stolen. No mail has a link that
        ///   restores an earlier address, and everything that the thief could have set up by mail
        ///   ends: the password, every session, and the links for former addresses.
        case setEmail(EmailAddress, isFinal: Bool = false)
        /// nil removes the name.
        case setName(String?)
        /// Removes a second factor that the user has lost, and ends every session. The user is
        /// notified by mail.
        case removeSecondFactor
        /// Removes a sign-in method, and ends every session. The last method cannot be removed.
        ///
        /// - Parameter passkey: the ID of one passkey; nil removes all passkeys if that is the
        ///   method.
        case removeMethod(SignInMethod, passkey: String? = nil)
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
            let (user, maker, items, trail) = try read(target, change, administrator)
            // A guest account ends with its session, so only deletion is allowed.
            if user.isGuest, !change.isForGuests { throw .account(.guest) }
            var changed = user
            apply(change, to: &changed)
            let now = auth.clock.now()
            var moved: AddressChange?
            if case .setEmail(let email, let isFinal) = change,
                isFinal || user.provenLogin != email
            {
                let owner = try auth.owner(items[StoreLayout.emailClaim(email)])
                if let owner, owner != target { throw .account(.emailTaken) }
                if !isFinal { try auth.refuseTooManyAddresses(of: user, at: now) }
                // The mail to the user does not contain the administrator's location.
                moved = try AddressChange(
                    auth, of: user, to: email, isFinal: isFinal, since: now, ownedBy: owner,
                    Caller(), at: now)
                moved?.apply(to: &changed)
            }
            let effects = try effects(of: change, on: user, items, at: now, &changed)
            guard changed != user else { return user }
            changed.updatedAt = now
            let next = changed
            var writes =
                effects.deletion?.writes
                ?? [UserRecord.replacing(user) { $0 = next }] + (moved?.writes ?? [])
            writes += effects.writes + effects.notice.writes
            if case .setRole = change {
                writes += auth.policy.accounts.roleIndex(of: next, from: user.adminRole)
            }
            var audit = trail
            audit.record(
                event(change), caller, detail: detail(of: change, on: user),
                by: administrator.name,
                because: reason, at: next.updatedAt)
            if let maker, maker.id != target {
                writes.append(
                    .check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker)))
            }
            if try auth.commit(writes, &audit) {
                moved?.deliver()
                effects.notice.deliver()
                effects.deletion?.eraseAfterReply()
                return next
            }
        }
        throw .unavailable(.contention)
    }

    /// Effects of a change besides the account's row.
    private struct Effects {
        var writes: [Write] = []
        var notice = OwnerNotice.none
        var deletion: AccountDeletion?
    }

    /// Notifies the owner of changes that the administrator could use to take over the account.
    private func effects(
        of change: Change, on user: User, _ items: ReadItems, at now: Instant,
        _ changed: inout User
    ) throws(AuthError) -> Effects {
        var effects = Effects()
        func notice(
            _ kind: Mail.Kind, saying values: [String: String] = [:]
        ) throws(AuthError) -> OwnerNotice {
            guard auth.hasMail else { return .none }
            return try auth.notice(kind, to: user, saying: values, Caller(), at: now)
        }
        switch change {
        case .removeSecondFactor:
            guard user.hasSecondFactor else { return effects }
            let key = StoreLayout.secondFactor(of: user.id)
            let factor = try items[key].map { item throws(AuthError) in
                try decoded(SecondFactorRecord.factor(item))
            }
            // The user may have stopped the removal in the meantime (`LostSecondFactor`).
            let policy = auth.policy.secondFactors
            guard policy?.allowsRemoval(of: factor, at: now) ?? true else {
                throw .unavailable(.contention)
            }
            changed.hasSecondFactor = false
            changed.epoch += 1
            effects.writes = [
                .delete(key, when: items[key].map(SecondFactorRecord.unchanged) ?? [])
            ]
            effects.notice = try notice(
                .secondFactorChanged, saying: ["removed": now.iso8601Seconds])
        case .removeMethod(let method, let passkey):
            let removal =
                if method == .passkey {
                    try auth.removal(ofPasskey: passkey, from: user, at: now)
                } else {
                    try auth.removeMethod.removal(
                        of: method, from: user,
                        password: items[StoreLayout.password(of: user.id)], at: now)
                }
            guard !removal.identities.isEmpty else { throw .method(.last) }
            changed.identities = removal.identities
            changed.epoch += 1
            effects.writes = removal.writes
            effects.notice = try notice(.methodRemoved, saying: ["method": method.name])
        case .delete:
            effects.deletion = AccountDeletion(auth, of: user, by: .request, at: now)
            effects.notice = try notice(.accountDeleted)
            changed = user.deleted(at: now)
        case .setEmail(_, isFinal: true):
            changed.epoch += 1
            effects.writes = [.delete(StoreLayout.password(of: user.id), when: [])]
        case .setName: effects.writes = auth.policy.accounts.userIndex(from: user, to: changed)
        case .disable, .enable, .signOut, .setRole, .setEmail: break
        }
        return effects
    }

    /// - Returns: the user's account, the administrator's account, and the conditions of the
    ///   change.
    private func read(
        _ target: UserID, _ change: Change, _ administrator: Administrator
    ) throws(AuthError) -> (user: User, maker: User?, items: ReadItems, audit: AuditTrail) {
        let ids = [target] + (administrator.user.map { [$0.id] } ?? []).filter { $0 != target }
        let chain = AuditChain.account(target)
        var keys = ids.map(StoreLayout.profile) + [chain.headKey]
        switch change {
        case .setEmail(let email, _): keys.append(StoreLayout.emailClaim(email))
        case .removeMethod: keys.append(StoreLayout.password(of: target))
        case .removeSecondFactor: keys.append(StoreLayout.secondFactor(of: target))
        case .disable, .enable, .signOut, .setRole, .setName, .delete: break
        }
        let items = try auth.store.get(keys)
        let audit = try auth.audit(chain, items)
        guard let user = try items.user(target), user.deletedAt == nil else {
            throw .administration(.userNotFound)
        }
        guard let known = administrator.user else { return (user, nil, items, audit) }
        guard let maker = try items.user(known.id), change.isAllowed(to: maker, on: user),
            !maker.isDisabled,
            maker.deletedAt == nil, maker.epoch == known.epoch
        else { throw .accessToken(.administratorsOnly) }
        return (user, maker, items, audit)
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
        case .setRole(let role): user.adminRole = role
        case .setName(let name): user.displayName = name
        // `AddressChange` and `effects` make these changes.
        case .setEmail, .removeSecondFactor, .removeMethod, .delete: break
        }
    }

    /// The detail in the audit log.
    private func detail(of change: Change, on user: User) -> String? {
        switch change {
        case .removeMethod(let method, _): return method.name
        case .setEmail(_, isFinal: true): return "final"
        case .setRole(let role?):
            let name = role == .administrator ? nil : role.rawValue
            let risk = auth.hasRiskyRole(user, role) ? "without a second factor" : nil
            let parts = [name, risk].compactMap(\.self)
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        case .disable, .enable, .signOut, .setRole(nil), .setEmail, .setName, .removeSecondFactor,
            .delete:
            return nil
        }
    }

    private func event(_ change: Change) -> AuditEvent {
        switch change {
        case .disable: .accountDisabled
        case .enable: .accountEnabled
        case .signOut: .signedOutByAdministrator
        case .setRole(.some): .madeAdministrator
        case .setRole(nil): .unmadeAdministrator
        case .setEmail: .emailChanged
        case .setName: .nameChanged
        case .removeSecondFactor: .secondFactorRemoved
        case .removeMethod: .methodRemoved
        case .delete: .accountDeleted
        }
    }
}

extension AdministerUser.Change {
    package static func setAdmin(_ isAdmin: Bool) -> Self {
        .setRole(isAdmin ? .administrator : nil)
    }

    /// An administrator cannot act on a user with a higher role.
    fileprivate func isAllowed(to maker: User, on user: User) -> Bool {
        guard let role = maker.adminRole, user.adminRole.map({ $0 <= role }) ?? true else {
            return false
        }
        return switch self {
        case .disable, .enable, .signOut, .setName: role >= .support
        case .setRole, .setEmail, .removeSecondFactor, .removeMethod, .delete:
            role >= .administrator
        }
    }

    /// Administrators change their own address as users do, with the proofs that it needs.
    fileprivate var isForOwnAccount: Bool {
        switch self {
        case .setRole(let role): role == .administrator
        case .disable, .setEmail, .removeSecondFactor, .removeMethod, .delete: false
        case .enable, .signOut, .setName: true
        }
    }

    fileprivate var isForGuests: Bool {
        switch self {
        case .setRole(let role): role == nil
        case .setEmail, .removeSecondFactor, .removeMethod: false
        case .disable, .enable, .signOut, .setName, .delete: true
        }
    }
}

extension AuthServices {
    /// Whether an account that has or gets a role can be opened with one factor.
    package func hasRiskyRole(_ user: User, _ role: AdminRole? = nil) -> Bool {
        (role ?? user.adminRole) != nil && policy.secondFactors != nil
            && user.signsInWithOneFactor
    }

    package var administerUser: AdministerUser { AdministerUser(auth: self) }
}

extension AuthOperation {
    package static let disableUser = AuthOperation(
        "disableUser", servedBy: "users", audited: .others)
    package static let enableUser = AuthOperation(
        "enableUser", servedBy: "users", audited: .others)
    package static let signOutUser = AuthOperation(
        "signOutUser", servedBy: "users", audited: .others)
    /// Gives a role, or removes it.
    package static let setAdmin = AuthOperation(
        "setAdmin", servedBy: "users", audited: .others)
    package static let setUserEmail = AuthOperation(
        "setUserEmail", servedBy: "admin", audited: .others)
    package static let removeUserFactor = AuthOperation(
        "removeUserFactor", servedBy: "admin", audited: .others)
    package static let removeUserMethod = AuthOperation(
        "removeUserMethod", servedBy: "admin", audited: .others)
    /// The executable of the pages serves this operation, because it has the permissions to erase.
    package static let deleteUser = AuthOperation(
        "deleteUser", servedBy: "admin", audited: .others)
}
