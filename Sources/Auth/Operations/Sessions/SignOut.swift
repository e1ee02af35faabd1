internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Ends sessions, by access token, by refresh token (RFC 7009 in shape), or by both.
package struct SignOut: Sendable {
    package enum Scope: String, Sendable { case session, others, all }

    private static let pagesMax = 16

    private let ground: Ground
    private let limiter: RateLimiter
    private let authenticate: Authenticate

    package init(_ ground: Ground, limiter: RateLimiter, authenticate: Authenticate) {
        self.ground = ground
        self.limiter = limiter
        self.authenticate = authenticate
    }

    /// Succeeds when the session is over, also when it was over before.
    package func callAsFunction(
        refreshToken: String?, scope: Scope, _ context: RequestContext
    ) throws(Problem) {
        try limiter.admit(.signOut, .address, context.address)
        let asking = try whoAsks(refreshToken, scope, context)
        switch scope {
        case .session:
            for asker in asking { try end([asker.session], of: asker.user, .signedOut, context) }
        case .others:
            guard let asker = asking.first else { return }
            try endOthers(than: asker.session, of: asker.user, context)
        case .all:
            guard let asker = asking.first else { return }
            try endAll(of: asker.user, context)
        }
    }

    private struct Asker {
        let user: UserID
        let session: SessionID
    }

    /// Who has proved to be whom: by a live access token, by a refresh token that we gave out, or
    /// by both. An access token that is refused does not stand in the way of a refresh token, else
    /// an expired client could not sign out. Empty: there is nothing left to end.
    private func whoAsks(
        _ refreshToken: String?, _ scope: Scope, _ context: RequestContext
    ) throws(Problem) -> [Asker] {
        guard let refreshToken else { return try bearer(scope, context).map { [$0] } ?? [] }
        guard let record = try SessionReader(ground: ground).record(of: refreshToken) else {
            // RFC 7009 section 2.2: an unknown token is a success. With a bearer, that decides.
            return context.bearer == nil ? [] : try bearer(scope, context).map { [$0] } ?? []
        }
        let holder = Asker(user: record.user, session: record.family)
        let principal = try acceptedBearer(context)
        if scope == .session {
            // Whoever holds two sessions and says goodbye means both.
            return [holder] + (principal.map { $0.session == holder.session ? [] : [$0] } ?? [])
        }
        if let principal { return [principal] }
        return try reachesOthers(record) ? [holder] : []
    }

    /// The bearer alone decides. One whose own session is over has nothing left to end; it does
    /// not speak for any other session.
    private func bearer(_ scope: Scope, _ context: RequestContext) throws(Problem) -> Asker? {
        do {
            let principal = try authenticate(context.bearer)
            return Asker(user: principal.user.id, session: principal.session.id)
        } catch {
            if error == .accessTokenRejected(.sessionEnded), scope == .session { return nil }
            throw error
        }
    }

    /// The bearer beside a refresh token: a refused one is as good as none.
    private func acceptedBearer(_ context: RequestContext) throws(Problem) -> Asker? {
        do {
            let principal = try authenticate(context.bearer)
            return Asker(user: principal.user.id, session: principal.session.id)
        } catch {
            switch error {
            case .accessTokenMissing, .accessTokenRejected, .accountDisabled: return nil
            default: throw error
            }
        }
    }

    /// A refresh token speaks for other sessions only while it would still be good for a refresh:
    /// a spent one may end its own session and no other one, and one whose session is over may
    /// not end the sessions that were opened since.
    private func reachesOthers(_ record: RefreshTokenRecord) throws(Problem) -> Bool {
        let sessions = SessionReader(ground: ground)
        guard let (family, user) = try sessions.living(record.family, of: record.user),
            !user.isDisabled
        else { return false }
        let verdict = family.present(
            generation: record.generation, at: ground.clock.now(), grace: ground.policy.grace)
        switch verdict {
        case .advance, .repeatSuccessor: return true
        case .expired, .unknown: return false
        // Not everything that was asked for would be over: that is no success.
        case .reuse(.previous): throw .refreshTokenRejected(.reusedPrevious)
        case .reuse(.older): throw .refreshTokenRejected(.reusedOlder)
        }
    }

    private func end(
        _ sessions: [SessionID], of user: UserID, _ event: AuditEvent, _ context: RequestContext
    ) throws(Problem) {
        let chunk = StoreLimits.writesPerTransactionMax - 1
        for start in stride(from: 0, to: sessions.count, by: chunk) {
            let part = sessions[start..<min(start + chunk, sessions.count)]
            var writes: [Write] = part.map {
                .delete(StoreLayout.session($0, of: user), when: [])
            }
            writes.append(
                AuditRecord.write(
                    event, user: user, session: part.first, address: context.address,
                    at: ground.clock.now(), random: ground.random))
            let transaction = writes
            try stored { () throws(StoreFailure) in try ground.store.write(transaction) }
        }
    }

    /// One write of the epoch ends every session, however many there are.
    private func endAll(of user: UserID, _ context: RequestContext) throws(Problem) {
        for _ in 0..<Attempts.max {
            let item = try stored { () throws(StoreFailure) in
                try ground.store.get(StoreLayout.profile(user))
            }
            guard let item else { return }
            let current = try stored { () throws(StoreFailure) in
                try UserRecord.user(item, id: user)
            }
            let audit = AuditRecord.write(
                .signedOutEverywhere, user: user, session: nil, address: context.address,
                at: ground.clock.now(), random: ground.random)
            let ended = try attempted { () throws(StoreFailure) in
                try ground.store.write([UserRecord.replacing(current) { $0.epoch += 1 }, audit])
            }
            if ended { return }
        }
        throw .unavailable(.contention)
    }

    /// Page by page, so that whoever has more sessions than one call can end makes progress by
    /// calling again.
    private func endOthers(
        than current: SessionID, of user: UserID, _ context: RequestContext
    ) throws(Problem) {
        var after: String?
        for _ in 0..<Self.pagesMax {
            let query = PartitionQuery(
                StoreLayout.profile(user).partition, prefix: StoreLayout.sessionPrefix,
                limit: StoreLimits.itemsPerPageMax, after: after)
            let page = try stored { () throws(StoreFailure) in try ground.store.query(query) }
            let others = page.items.compactMap(SessionRecord.id(of:)).filter { $0 != current }
            try end(others, of: user, .signedOutOthers, context)
            guard let next = page.next else { return }
            after = next
        }
        throw .unavailable(.contention)
    }
}
