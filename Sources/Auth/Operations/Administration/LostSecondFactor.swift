internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// The procedure for a second factor that a user has lost: an administrator begins the removal, the
/// user is mailed at once, and after `SecondFactorPolicy.removalDelay` the administrator completes
/// it (`AdministerUser.Change.removeSecondFactor`). Until then a sign-in with the second factor or
/// with a passkey, or any administrator, stops it.
package struct LostSecondFactor: Sendable {
    let auth: AuthServices

    /// - Returns: from when the second factor can be removed; nil if it can be now.
    package func begin(
        of id: String, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) -> Instant? {
        guard let delay = auth.policy.secondFactors?.removalDelay, delay > .zero else {
            return nil
        }
        for _ in auth.attempts {
            let found = try read(id, administrator, needs: .administrator)
            guard let (item, factor) = found.factor else { return nil }
            let now = auth.clock.now()
            if let from = factor.removableFrom { return from > now ? from : nil }
            var next = factor
            let from = now + delay
            next.removableFrom = from
            let notice =
                auth.hasMail
                ? try auth.notice(
                    .secondFactorRemoval, to: found.user,
                    saying: ["until": from.iso8601Seconds], Caller(), at: now) : .none
            var audit = found.audit
            audit.record(
                .secondFactorRemovalBegun, caller, by: administrator.name, because: reason,
                at: now)
            let write = SecondFactorRecord.replacing(item, of: found.user.id, with: next)
            if try auth.commit([write] + found.checks + notice.writes, &audit) {
                notice.deliver()
                return from
            }
        }
        throw .unavailable(.contention)
    }

    /// Succeeds also if there is nothing to stop.
    package func stop(
        of id: String, because reason: String?, by administrator: Administrator,
        _ caller: Caller
    ) throws(AuthError) {
        for _ in auth.attempts {
            let found = try read(id, administrator, needs: .support)
            guard let (item, factor) = found.factor, factor.removableFrom != nil else { return }
            var next = factor
            next.removableFrom = nil
            var audit = found.audit
            audit.record(
                .secondFactorRemovalStopped, caller, by: administrator.name, because: reason,
                at: auth.clock.now())
            let write = SecondFactorRecord.replacing(item, of: found.user.id, with: next)
            if try auth.commit([write] + found.checks, &audit) { return }
        }
        throw .unavailable(.contention)
    }

    private struct Found {
        let user: User
        /// nil if the account has none in use.
        let factor: (item: Item, factor: SecondFactor)?
        /// Conditions that the administrator's account is unchanged.
        let checks: [Write]
        let audit: AuditTrail
    }

    private func read(
        _ id: String, _ administrator: Administrator, needs role: AdminRole
    ) throws(AuthError) -> Found {
        guard let target = try auth.userID(shownAs: id) else {
            throw .administration(.userNotFound)
        }
        guard administrator.user?.id != target else { throw .administration(.ownAccount) }
        let chain = AuditChain.account(target)
        let key = StoreLayout.secondFactor(of: target)
        let maker = administrator.user.map { StoreLayout.profile($0.id) }
        let items = try auth.store.get(
            [StoreLayout.profile(target), key, chain.headKey] + [maker].compactMap(\.self))
        guard let user = try items.user(target), user.deletedAt == nil else {
            throw .administration(.userNotFound)
        }
        var checks: [Write] = []
        if let known = administrator.user {
            guard let maker = try items.user(known.id), maker.isActive(as: known),
                let own = maker.adminRole, own >= role, user.adminRole.map({ $0 <= own }) ?? true
            else { throw .accessToken(.administratorsOnly) }
            checks = [.check(StoreLayout.profile(maker.id), when: UserRecord.unchanged(maker))]
        }
        let factor =
            try user.hasSecondFactor
            ? items[key].map { item throws(AuthError) in
                (item, try decoded(SecondFactorRecord.factor(item)))
            } : nil
        return Found(
            user: user, factor: factor, checks: checks, audit: try auth.audit(chain, items))
    }
}

extension SecondFactorPolicy {
    /// Whether an administrator may remove the second factor now.
    func allowsRemoval(of factor: SecondFactor?, at now: Instant) -> Bool {
        guard removalDelay > .zero, let factor else { return true }
        return factor.removableFrom.map { $0 <= now } ?? false
    }
}

extension User {
    /// Whether the account is still the one that was authenticated.
    func isActive(as known: User) -> Bool {
        !isDisabled && deletedAt == nil && epoch == known.epoch
    }
}

extension AuthServices {
    package var lostSecondFactor: LostSecondFactor { LostSecondFactor(auth: self) }
}
