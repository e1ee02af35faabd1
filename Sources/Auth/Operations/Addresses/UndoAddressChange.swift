package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Restores an address with the link that was mailed to it when it was changed, and ends every
/// session: an attacker may have changed it.
///
/// Possible additions of the attacker are removed: other ways to sign in, a password that was
/// set, an authenticator app that was enrolled, and later changes of the address. What was removed
/// since does not come back; an account that would have no way to sign in gets the mailed links of
/// the address.
package struct UndoAddressChange: Sendable {
    let auth: AuthServices

    package func callAsFunction(token: String, _ caller: Caller) throws(AuthError) {
        // 1. Open: count, and find the link, its account and what may have been added.
        let link = AccountLink(parsing: token)
        let keys = link.map(Self.keys) ?? []
        let opening = try auth.open(
            .undoAddressChange, counting: [(.address, caller.address)], reading: keys)
        try opening.admit()
        guard let link else { throw try refused(caller) }
        var items = opening.items
        var isTaken = false
        for attempt in auth.attempts {
            // Another request changed the account meanwhile, or has the address that the account
            // did not claim.
            if attempt > 0 { items = try auth.store.get(keys) }
            guard let row = items[link.key(.undoEmail)], let user = try items.user(link.user),
                user.deletedAt == nil
            else { throw try refused(caller) }
            let now = auth.clock.now()
            guard
                let place = user.formerAddresses.firstIndex(where: {
                    $0.link.elementsEqual(link.place) && now < $0.until
                })
            else { throw try refused(caller) }
            guard !user.isDisabled else {
                try auth.recordFailure(
                    .emailChangeUndoFailed, on: auth.audit(.attempts(on: user.id)), caller,
                    detail: "accountDisabled")
                throw .account(.disabled)
            }
            let replaced = try decoded(ReplacedAddress(row))
            if attempt > 0, replaced.login == nil {
                let claim = try auth.store.get(StoreLayout.emailClaim(replaced.email))
                isTaken = try auth.owner(claim).map { $0 != user.id } ?? false
            }

            // 2. Close. If two requests use the same link, only one succeeds.
            let undo = Undo(
                user, replaced, place, isTaken: isTaken,
                factor: try items[StoreLayout.secondFactor(of: user.id)].map {
                    item throws(AuthError) in try decoded(SecondFactorRecord.factor(item))
                }, at: now)
            if try close(undo, row, items, caller, at: now) { return }
        }
        throw .unavailable(.contention)
    }

    private static func keys(_ link: AccountLink) -> [ItemKey] {
        [
            link.key(.undoEmail), StoreLayout.profile(link.user),
            StoreLayout.password(of: link.user), StoreLayout.secondFactor(of: link.user),
            AuditChain.account(link.user).headKey,
        ]
    }

    /// False if another request was faster.
    private func close(
        _ undo: Undo, _ row: Item, _ items: ReadItems, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> Bool {
        let (known, user) = (undo.known, undo.user)
        // For the mailbox of the address that is replaced now, which may be a thief's and must not
        // learn the network address of the owner, who has the link.
        let notice = try auth.notice(.emailChanged, to: known, Caller(), at: now)
        var writes =
            [
                .delete(row.key, when: [.present]), UserRecord.replacing(known) { $0 = user },
            ] + known.movingClaims(to: user, at: now)
            + auth.policy.accounts.emailIndex(
                of: user.id, from: known.emailAddress, to: user.emailAddress)
            + auth.removal(of: undo.removed, from: user.id, at: now) + notice.writes
        if let password = items[StoreLayout.password(of: user.id)],
            try decoded(PasswordRecord.changedAt(password)) >= undo.changedAt
        {
            writes.append(.delete(password.key, when: PasswordRecord.unchanged(password)))
        }
        if undo.removesSecondFactor {
            writes.append(.delete(StoreLayout.secondFactor(of: user.id), when: []))
        }
        var audit = try auth.audit(.account(user.id), items)
        audit.record(.emailChangeUndone, caller, at: now)
        guard try auth.commit(writes, &audit) else { return false }
        notice.deliver()
        return true
    }

    /// An invalid link identifies no account, so the failure is recorded in the chain of the
    /// client's network address.
    private func refused(_ caller: Caller) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            .emailChangeUndoFailed, on: auth.networkAudit(caller), caller, detail: "invalidLink")
        return .emailLink(.invalid)
    }
}

/// The state of a restored account.
private struct Undo {
    let known: User
    let user: User
    /// The ways to sign in that were added since.
    let removed: [LinkedIdentity]
    let removesSecondFactor: Bool
    let changedAt: Instant
}

extension Undo {
    /// - Parameters:
    ///   - place: of the change among those of the account. Later ones are undone with it.
    ///   - isTaken: whether another account claims the address, which this one did not.
    init(
        _ known: User, _ replaced: ReplacedAddress, _ place: Int, isTaken: Bool,
        factor: SecondFactor?, at now: Instant
    ) {
        let others = known.identities.filter { !$0.isPassword }
        let kept = others.filter(replaced.identities.contains)
        let signsInByMail = replaced.identities.contains(where: \.isPassword) || kept.isEmpty
        removesSecondFactor =
            known.hasSecondFactor
            && (!replaced.hasSecondFactor
                || factor.map { $0.enrolledAt >= replaced.changedAt } ?? false)
        var user = known
        user.email = replaced.email.text
        user.isEmailVerified = true
        user.login = replaced.login
        if signsInByMail, user.login == nil, !isTaken { user.login = replaced.email.folded }
        user.hasChosenEmail = replaced.hasChosenEmail
        user.identities =
            kept + (signsInByMail ? [.password(user.loginAddress ?? replaced.email)] : [])
        user.formerAddresses = Array(known.formerAddresses[..<place])
        if removesSecondFactor { user.hasSecondFactor = false }
        user.epoch += 1
        user.updatedAt = now
        self.known = known
        self.user = user
        removed = others.filter { !kept.contains($0) }
        changedAt = replaced.changedAt
    }
}

extension AuthServices {
    package var undoAddressChange: UndoAddressChange { UndoAddressChange(auth: self) }
}

extension AuthOperation {
    package static let undoAddressChange = AuthOperation(
        "undoEmail", servedBy: "change-email", counting: [.address], audited: .others)
}
