internal import AuthDomain
internal import AuthStorage
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
        guard let (user, session) = try whoAsks(refreshToken, scope, context) else { return }
        switch scope {
        case .session:
            try end([session], of: user, .signedOut, context)
        case .others:
            try endOthers(than: session, of: user, context)
        case .all:
            try endAll(of: user, context)
        }
    }

    /// Proof is a live access token or a refresh token that we gave out. An access token that is
    /// refused does not stand in the way of a refresh token, else an expired client could not
    /// sign out. nil: there is nothing left to end.
    private func whoAsks(
        _ refreshToken: String?, _ scope: Scope, _ context: RequestContext
    ) throws(Problem) -> (UserID, SessionID)? {
        guard let refreshToken else {
            let principal = try authenticate(context.bearer)
            return (principal.user.id, principal.session.id)
        }
        guard
            let token = RefreshToken(
                presented: refreshToken, form: ground.policy.refreshTokenForm),
            let record = try stored({ () throws(StoreFailure) -> RefreshTokenRecord? in
                guard let item = try ground.store.get(StoreLayout.refreshToken(hash: token.hash))
                else { return nil }
                return try RefreshTokenRecord(item)
            })
        else {
            // RFC 7009 section 2.2: an unknown token is a success. With a bearer, that decides.
            guard context.bearer != nil else { return nil }
            let principal = try authenticate(context.bearer)
            return (principal.user.id, principal.session.id)
        }
        if scope == .session { return (record.user, record.family) }
        return try reachesOthers(record) ? (record.user, record.family) : nil
    }

    /// A spent refresh token may end its own session and no other one.
    private func reachesOthers(_ record: RefreshTokenRecord) throws(Problem) -> Bool {
        let item = try stored { () throws(StoreFailure) in
            try ground.store.get(StoreLayout.session(record.family, of: record.user))
        }
        guard case .integer(let generation)? = item?.attributes["generation"] else { return false }
        return generation == record.generation
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
