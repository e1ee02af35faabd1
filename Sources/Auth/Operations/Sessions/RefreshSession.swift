package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
internal import Time

/// Trades a refresh token for its successor (RFC 9700 section 4.14.2).
///
/// The decision is `SessionFamily.present`, pure and by generation; this is its shell. Every
/// state change is one conditional write, so of a hundred callers with one token exactly one
/// advances the family, and the others re-read and are given the same successor.
package struct RefreshSession: Sendable {
    private let ground: Ground
    private let limiter: RateLimiter
    private let tokens: AccessTokens
    private let mint: RefreshTokenMint

    package init(
        _ ground: Ground, limiter: RateLimiter, tokens: AccessTokens, mint: RefreshTokenMint
    ) {
        self.ground = ground
        self.limiter = limiter
        self.tokens = tokens
        self.mint = mint
    }

    package func callAsFunction(
        _ presented: String, _ context: RequestContext
    ) throws(Problem) -> SessionTokens {
        try limiter.admit(.refresh, .address, context.address)

        // 1. By hash, never by value; junk dies before the store.
        guard ground.policy.refreshTokenForm.admits(presented) else {
            throw .refreshTokenRejected(.malformed)
        }
        guard let record = try SessionReader(ground: ground).record(of: presented) else {
            throw .refreshTokenRejected(.unknown)
        }
        try limiter.admit(.refresh, .account, record.family.text)

        // 2. The key first: whoever cannot be answered must not be advanced.
        let signer = try tokens.signer(at: ground.clock.now())

        for _ in 0..<Attempts.max {
            // 3. Family and user in one read; the loser of a race comes back here.
            let (family, user) = try read(record)
            let now = ground.clock.now()
            let grace = ground.policy.grace
            switch family.present(generation: record.generation, at: now, grace: grace) {
            case .advance:
                // 4. Compare-and-swap to the next generation: exactly one winner.
                let (next, successor) = advanced(family, at: now)
                guard try swap(family, to: next, user: user) else { continue }
                return try answer(user, next, successor, signer, now)
            case .repeatSuccessor:
                // 5. A lost answer, or a caller that ran beside the winner.
                let successor = mint.token(
                    family: family.id, seed: family.seed, generation: family.generation)
                guard constantTimeEquals(successor.hash, family.currentHash) else {
                    throw .refreshTokenRejected(.unknown)
                }
                return try answer(user, family, successor, signer, now)
            case .reuse(let reuse):
                // 6. Somebody holds a token that is not theirs: nobody keeps this family.
                guard try revoke(family, user, reuse, context, now) else { continue }
                throw .refreshTokenRejected(
                    reuse == .previous ? .reusedPrevious : .reusedOlder)
            case .expired: throw .refreshTokenRejected(.expired)
            case .unknown: throw .refreshTokenRejected(.unknown)
            }
        }
        throw .unavailable(.contention)
    }

    private func read(
        _ record: RefreshTokenRecord
    ) throws(Problem) -> (SessionFamily, User) {
        let sessions = SessionReader(ground: ground)
        guard let (family, user) = try sessions.living(record.family, of: record.user) else {
            throw .refreshTokenRejected(.ended)
        }
        guard !user.isDisabled else { throw .accountDisabled }
        return (family, user)
    }

    private func advanced(
        _ family: SessionFamily, at now: Instant
    ) -> (SessionFamily, RefreshToken) {
        var next = family
        next.generation = family.generation + 1
        next.lastUsedAt = now
        next.idleExpiresAt = now + ground.policy.idleLifetime
        let successor = mint.token(
            family: family.id, seed: family.seed, generation: next.generation)
        next.currentHash = successor.hash
        return (next, successor)
    }

    private func swap(
        _ family: SessionFamily, to next: SessionFamily, user: User
    ) throws(Problem) -> Bool {
        try attempted { () throws(StoreFailure) in
            try ground.store.write([
                .put(
                    SessionRecord.item(next),
                    when: [.equals("generation", .integer(family.generation))]),
                .put(RefreshTokenRecord.item(current: next), when: [.absent]),
                // A sign-out everywhere or a disabling that comes between read and write wins.
                .check(
                    StoreLayout.profile(user.id),
                    when: [
                        .equals("epoch", .integer(user.epoch)), .equals("isDisabled", .flag(false)),
                    ]),
            ])
        }
    }

    private func revoke(
        _ family: SessionFamily, _ user: User, _ reuse: SessionFamily.ReuseClass,
        _ context: RequestContext, _ now: Instant
    ) throws(Problem) -> Bool {
        var writes: [Write] = [
            .delete(StoreLayout.session(family.id, of: user.id), when: []),
            AuditRecord.write(
                .refreshTokenReused, user: user.id, session: family.id, address: context.address,
                detail: reuse == .previous ? "previous" : "older", at: now,
                random: ground.random),
        ]
        if ground.policy.reuseScope == .user {
            writes.append(UserRecord.replacing(user) { $0.epoch += 1 })
        }
        let transaction = writes
        return try attempted { () throws(StoreFailure) in try ground.store.write(transaction) }
    }

    private func answer(
        _ user: User, _ family: SessionFamily, _ refresh: RefreshToken,
        _ signer: AccessTokens.Signer, _ now: Instant
    ) throws(Problem) -> SessionTokens {
        SessionTokens(
            access: try signer.issue(to: user, session: family.id, at: now), refresh: refresh,
            session: family.id, user: user)
    }
}
