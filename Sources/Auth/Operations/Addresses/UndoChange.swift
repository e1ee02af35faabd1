package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Undoes a change that an attacker may have made to an account, with the link that was mailed
/// about the change, and ends every session. The change may concern the address (the link is then
/// mailed to the former address), the sign-in methods, or the second factor.
///
/// An attacker can make changes in any order. So everything that was added since the session of the
/// change began is removed (`RestorableState.since`), whether it was added before the change or
/// after it: sign-in methods, a password, an authenticator app, recovery codes. The address from
/// before the change is restored. What was removed since then is not restored. An account without
/// any sign-in method left can use mailed links to the address. Trusted devices and pending links
/// end with the sessions.
package struct UndoChange: Sendable {
    let auth: AuthServices
    private let kind: Kind

    fileprivate struct Kind: Sendable {
        let operation: AuthOperation
        let purpose: AccountLink.Purpose
        let isOfAddress: Bool
        let done: AuditEvent
        let failed: AuditEvent
    }

    fileprivate init(_ auth: AuthServices, _ kind: Kind) {
        self.auth = auth
        self.kind = kind
    }

    package func callAsFunction(token: String, _ caller: Caller) throws(AuthError) {
        // 1. Open: count, and find the link, its account and the rows of recent additions.
        let link = AccountLink(parsing: token)
        let keys = link.map(keys) ?? []
        let opening = try auth.open(
            kind.operation, counting: [(.address, caller.address)], reading: keys)
        try opening.admit()
        guard let link else { throw try refused(caller) }
        var items = opening.items
        var isTaken = false
        for attempt in auth.attempts {
            // Another request has changed the account since it was read, or another account has
            // claimed the address.
            if attempt > 0 { items = try auth.store.get(keys) }
            guard let row = items[link.key(kind.purpose)], let user = try items.user(link.user),
                user.deletedAt == nil
            else { throw try refused(caller) }
            let now = auth.clock.now()
            guard
                let place = user.restorePoints.firstIndex(where: {
                    $0.link.elementsEqual(link.place) && now < $0.until
                        && $0.isOfAddress == kind.isOfAddress
                })
            else { throw try refused(caller) }
            try auth.refuseDisabled(
                user, kind.failed, on: auth.audit(.attempts(on: user.id)), caller)
            let replaced = try decoded(RestorableState(row))
            if attempt > 0, replaced.login == nil {
                let claim = try auth.store.get(StoreLayout.emailClaim(replaced.email))
                isTaken = try auth.owner(claim).map { $0 != user.id } ?? false
            }

            // 2. Close. If two requests use the same link, only one succeeds.
            let undo = Undo(
                user, replaced, place, isTaken: isTaken,
                try AddedCredentials(items, to: user.id, since: replaced), at: now)
            if try close(undo, row, items, caller, at: now) { return }
        }
        throw .unavailable(.contention)
    }

    private func keys(_ link: AccountLink) -> [ItemKey] {
        [
            link.key(kind.purpose), StoreLayout.profile(link.user),
            StoreLayout.password(of: link.user), StoreLayout.secondFactor(of: link.user),
            AuditChain.account(link.user).headKey,
        ]
    }

    /// False if another request changed the rows first.
    private func close(
        _ undo: Undo, _ row: Item, _ items: ReadItems, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> Bool {
        let (known, user) = (undo.known, undo.user)
        let notice = try notice(undo, at: now)
        let writes =
            [
                .delete(row.key, when: [.present]), UserRecord.replacing(known) { $0 = user },
            ] + known.movingClaims(to: user, at: now)
            + auth.policy.accounts.userIndex(from: known, to: user)
            + auth.removal(of: undo.removed, from: user.id, at: now) + undo.credentials.writes
            + notice.writes
        var audit = try auth.audit(.account(user.id), items)
        audit.record(kind.done, caller, at: now)
        guard try auth.commit(writes, &audit) else { return false }
        notice.deliver()
        return true
    }

    /// The notice to the address that the undo replaces. That address may belong to the thief, who
    /// must not learn the network address of the owner.
    private func notice(_ undo: Undo, at now: Instant) throws(AuthError) -> OwnerNotice {
        if undo.known.email != undo.user.email {
            return try auth.notice(.emailChanged, to: undo.known, Caller(), at: now)
        }
        let names = undo.removed.map(\.provider) + undo.credentials.names
        guard !names.isEmpty else { return .none }
        return try auth.notice(
            .methodRemoved, to: undo.user, saying: ["method": names.joined(separator: ", ")],
            Caller(), at: now)
    }

    /// An invalid link identifies no account, so the failure is recorded in the chain of the
    /// client's network address.
    private func refused(_ caller: Caller) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            kind.failed, on: auth.networkAudit(caller), caller, detail: "invalidLink")
        return .emailLink(.invalid)
    }
}

/// The credentials with separate rows that were added since `RestorableState.since`.
private struct AddedCredentials {
    let removesSecondFactor: Bool
    let names: [String]
    let writes: [Write]

    init(
        _ items: ReadItems, to user: UserID, since replaced: RestorableState
    ) throws(AuthError) {
        var (names, writes): ([String], [Write]) = ([], [])
        if let row = items[StoreLayout.password(of: user)],
            try decoded(Self.isAdded(row, since: replaced))
        {
            names.append(SignInMethod.passwordName)
            writes.append(.delete(row.key, when: PasswordRecord.unchanged(row)))
        }
        let row = items[StoreLayout.secondFactor(of: user)]
        let factor = try row.map { row throws(AuthError) in
            try decoded(SecondFactorRecord.factor(row))
        }
        removesSecondFactor =
            !replaced.hasSecondFactor || factor.map { $0.enrolledAt >= replaced.since } ?? false
        if let row, var factor {
            if removesSecondFactor {
                if factor.state == .enabled { names.append("authenticator") }
                writes.append(.delete(row.key, when: []))
            } else if let at = factor.codesReplacedAt, at >= replaced.since {
                factor.recoveryCodes = []
                writes.append(SecondFactorRecord.replacing(row, of: user, with: factor))
            }
        }
        self.names = names
        self.writes = writes
    }

    /// Whether the password was added since the change. If the row does not contain the session
    /// that set the password, its age decides: an older password belongs to the owner.
    private static func isAdded(
        _ row: Item, since replaced: RestorableState
    ) throws(StoreFailure) -> Bool {
        if let addition = try PasswordRecord.addition(row) { return replaced.precedes(addition) }
        return try PasswordRecord.changedAt(row) >= replaced.changedAt
    }
}

/// The state of a restored account.
private struct Undo {
    let known: User
    let user: User
    /// The sign-in methods that were added since `RestorableState.since`.
    let removed: [LinkedIdentity]
    let credentials: AddedCredentials
}

extension Undo {
    /// - Parameters:
    ///   - place: the position of the change among the account's changes. Later changes are undone
    ///     with it.
    ///   - isTaken: whether another account claims the address, and this account did not claim it.
    init(
        _ known: User, _ replaced: RestorableState, _ place: Int, isTaken: Bool,
        _ credentials: AddedCredentials, at now: Instant
    ) {
        let others = known.identities.filter { !$0.isPassword }
        let kept = others.filter { replaced.identities.contains($0) && !replaced.isAdded($0) }
        let signsInByMail =
            replaced.identities.contains { $0.isPassword && !replaced.isAdded($0) } || kept.isEmpty
        var user = known
        user.email = replaced.email.text
        user.isEmailVerified = true
        user.login = replaced.login
        if signsInByMail, user.login == nil, !isTaken { user.login = replaced.email.folded }
        user.hasChosenEmail = replaced.hasChosenEmail
        user.identities =
            kept + (signsInByMail ? [.password(user.loginAddress ?? replaced.email)] : [])
        user.restorePoints = Array(known.restorePoints[..<place])
        if credentials.removesSecondFactor { user.hasSecondFactor = false }
        user.epoch += 1
        user.updatedAt = now
        self.known = known
        self.user = user
        self.credentials = credentials
        removed = others.filter { !kept.contains($0) }
    }
}

extension RestorableState {
    fileprivate func isAdded(_ identity: LinkedIdentity) -> Bool {
        identity.addition.map(precedes) ?? false
    }
}

extension AuthServices {
    package var undoAddressChange: UndoChange {
        UndoChange(
            self,
            UndoChange.Kind(
                operation: .undoAddressChange, purpose: .undoEmail, isOfAddress: true,
                done: .emailChangeUndone, failed: .emailChangeUndoFailed))
    }

    /// Undoes an added sign-in method, or a changed second factor.
    package var undoMethodChange: UndoChange {
        UndoChange(
            self,
            UndoChange.Kind(
                operation: .undoMethodChange, purpose: .undoChange, isOfAddress: false,
                done: .methodChangeUndone, failed: .methodChangeUndoFailed))
    }
}

extension AuthOperation {
    package static let undoAddressChange = AuthOperation(
        "undoEmail", servedBy: "change-email", counting: [.address], audited: .others)
    package static let undoMethodChange = AuthOperation(
        "undoChange", servedBy: "change-email", counting: [.address], audited: .others)
}
