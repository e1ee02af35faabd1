package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Ends sessions, by access token, by refresh token (RFC 7009), or by both.
///
/// The session of each presented token always ends. Other sessions of the account end according to
/// the scope, if one of the tokens is still valid: a replaced refresh token ends its own session,
/// is audited as reuse, and cannot end others.
package struct SignOut: Sendable {
    package enum Scope: String, CaseIterable, Sendable { case session, others, all }

    private static let pagesMax = 16

    let auth: AuthServices

    /// Succeeds once the requested sessions have ended, also if they had ended before: a repeated
    /// request is a success.
    ///
    /// - Parameter needsBearer: whether a valid access token is required, even with a refresh
    ///   token.
    package func callAsFunction(
        refreshToken: String?, scope: Scope, needsBearer: Bool = false, _ caller: Caller
    ) throws(AuthError) {
        // 1. Check the tokens without the store.
        let bearer = try claims(of: caller)
        if needsBearer, case .failure(let error) = bearer { throw error }
        let refresh = try refreshToken.flatMap { raw throws(AuthError) in
            try auth.refreshTokens.read(raw)
        }

        // 2. Count, and read the session of each token.
        var trails = Trails(auth)
        let (bearerSession, refreshSession) = try open(try? bearer.get(), refresh, &trails, caller)
        if needsBearer, bearerSession?.status != .active { throw .accessToken(.sessionEnded) }
        let presented = [bearerSession, refreshSession].compactMap { $0 }
        if presented.isEmpty {
            // RFC 7009 section 2.2: an unknown refresh token is a success. An invalid bearer token
            // is not, and neither is a request without any token.
            let isToken = caller.bearer != .none && caller.bearer != .malformed
            if isToken || refreshToken == nil, case .failure(let error) = bearer { throw error }
            // Without a session, the account is not known.
            if scope != .session { throw .refreshToken(.unknown) }
            return
        }

        // 3. Find a token that may end other sessions of its account.
        let authorizing = presented.first { $0.status == .active }
        if scope != .session, authorizing == nil {
            switch refreshSession?.status {
            case nil: throw .accessToken(.sessionEnded)
            // A token of an ended session does not end sessions that began later.
            case .ended(let error): throw .refreshToken(error)
            case .endedWithAll where scope == .others: throw .refreshToken(.sessionEnded)
            case .endedWithAll, .reused, .active: break
            }
        }

        // 4. Write: a single write if possible.
        switch scope {
        case .session: try end(presented, &trails, caller)
        case .others:
            try end(presented.filter { $0 != authorizing }, &trails, caller)
            if let authorizing { try endOthers(than: authorizing, &trails, caller) }
        case .all:
            try end(presented.filter { $0.user != authorizing?.user }, &trails, caller)
            if let authorizing { try endAll(of: authorizing, &trails, caller) }
        }
        if auth.policy.sessions.reuseScope == .user,
            let reused = presented.first(where: \.isReused)
        {
            try endAll(of: reused, &trails, caller)
        }
        if scope != .session, authorizing == nil, case .reused(let reuse)? = refreshSession?.status
        {
            // Not everything that was requested has ended, so this is an error.
            throw .refreshToken(reuse == .previous ? .reusedPrevious : .reusedOlder)
        }
    }

    /// The audit chains of the accounts: the two tokens may belong to different accounts.
    private struct Trails {
        private let auth: AuthServices
        private(set) var all: [AuditTrail] = []

        init(_ auth: AuthServices) { self.auth = auth }

        subscript(user: UserID) -> AuditTrail {
            get {
                all.first { $0.chain.user == user } ?? auth.audit(.account(user))
            }
            set {
                if let index = all.firstIndex(where: { $0.chain.user == user }) {
                    all[index] = newValue
                } else {
                    all.append(newValue)
                }
            }
        }

        mutating func commit(_ writes: [Write]) throws(AuthError) -> Bool {
            try auth.commit(writes, &all)
        }
    }

    // MARK: The presented tokens

    /// The session of a presented token, and whether the token may end other sessions of the
    /// account.
    private struct PresentedSession: Equatable {
        let user: UserID
        let session: SessionID
        let status: Status
        let account: User?
        /// The session's row as it was read.
        let row: Session?

        var isReused: Bool { if case .reused = status { true } else { false } }
    }

    private enum Status: Equatable {
        case active
        case reused(Session.ReuseClass)
        case ended(RefreshTokenError)
        /// The session ended together with all sessions of the account.
        case endedWithAll

        init(_ end: SessionEnd?) {
            self =
                switch end {
                case nil, .accountDisabled: .active
                case .idle, .tooOld: .ended(.expired)
                case .deleted: .ended(.sessionEnded)
                case .signedOutEverywhere, .accountDeleted: .endedWithAll
                }
        }

        var hasEnded: Bool {
            switch self {
            case .ended, .endedWithAll: true
            case .active, .reused: false
            }
        }
    }

    private func claims(
        of caller: Caller
    ) throws(AuthError) -> Result<AccessClaims, AuthError> {
        do {
            return .success(try auth.claims(of: caller))
        } catch {
            guard case .accessToken = error else { throw error }
            // An expired access token does not prevent a sign-out with a refresh token.
            return .failure(error)
        }
    }

    private func open(
        _ claims: AccessClaims?, _ refresh: PresentedRefreshToken?, _ trails: inout Trails,
        _ caller: Caller
    ) throws(AuthError) -> (bearerSession: PresentedSession?, refreshSession: PresentedSession?) {
        var keys: [ItemKey] = []
        var users: [UserID] = []
        if let claims {
            keys += SessionState.keys(claims.session, of: claims.user)
            users.append(claims.user)
        }
        switch refresh {
        case .placed(let place, _, _):
            keys += SessionState.keys(place.session, of: place.user)
            if !users.contains(place.user) { users.append(place.user) }
        case .stored(let hash): keys.append(StoreLayout.refreshToken(hash: hash))
        case nil: break
        }
        keys += users.map { AuditChain.account($0).headKey }
        let opening = try auth.open(
            .signOut, counting: [(.address, caller.address), (.account, claims?.user.text)],
            reading: keys, provenBy: caller.key)
        try opening.admit()

        let items = opening.items
        for user in users { trails[user] = try auth.audit(.account(user), items) }
        let bearerSession = try claims.map { claims throws(AuthError) in
            presented(claims, try SessionState(items, claims.session, of: claims.user))
        }
        switch refresh {
        case .placed(let place, let proof, _):
            let state = try SessionState(items, place.session, of: place.user)
            return (bearerSession, try presented(place, proof, state, caller))
        case .stored(let hash):
            guard let item = items[StoreLayout.refreshToken(hash: hash)] else {
                return (bearerSession, nil)
            }
            let place = try decoded(RefreshTokenRecord.place(item))
            let keys =
                SessionState.keys(place.session, of: place.user)
                + [AuditChain.account(place.user).headKey]
            let found = try auth.store.get(keys)
            trails[place.user] = try auth.audit(.account(place.user), found)
            let state = try SessionState(found, place.session, of: place.user)
            return (bearerSession, try presented(place, nil, state, caller))
        case nil: return (bearerSession, nil)
        }
    }

    /// A disabled user may still end sessions.
    private func presented(_ claims: AccessClaims, _ state: SessionState) -> PresentedSession {
        var status = Status(state.end(at: auth.clock.now()))
        if status == .active, claims.epoch != state.user?.epoch { status = .endedWithAll }
        return PresentedSession(
            user: claims.user, session: claims.session, status: status, account: state.user,
            row: state.session)
    }

    private func presented(
        _ place: RefreshTokenPlace, _ proof: [UInt8]?, _ state: SessionState, _ caller: Caller
    ) throws(AuthError) -> PresentedSession? {
        if let proof, let session = state.session,
            !(try auth.refreshTokens.isProven(proof, place, by: session))
        {
            return nil
        }
        let now = auth.clock.now()
        var status = Status(state.end(at: now))
        if status == .active, let session = state.session {
            if let refusal = auth.refusal(of: session, to: caller) { throw refusal }
            let verdict = session.present(
                generation: place.generation, at: now, rotation: auth.policy.sessions.rotation)
            switch verdict {
            case .advance, .repeatSuccessor, .keep: break
            case .reuse(let reuse): status = .reused(reuse)
            case .expired: status = .ended(.expired)
            case .unknown: status = .ended(.unknown)
            }
        }
        return PresentedSession(
            user: place.user, session: place.session, status: status, account: state.user,
            row: state.session)
    }

    // MARK: Ending sessions

    /// Ends the sessions of the presented tokens.
    private func end(
        _ presented: [PresentedSession], _ trails: inout Trails, _ caller: Caller
    ) throws(AuthError) {
        var ending: [PresentedSession] = []
        var deleted: Set<SessionID> = []
        for session in presented
        where !session.status.hasEnded && deleted.insert(session.session).inserted {
            var event = AuditEvent.signedOut
            var detail: String?
            if case .reused(let reuse) = session.status {
                event = .refreshTokenReused
                detail = reuse.rawValue
            }
            ending.append(session)
            trails[session.user].record(
                event, session: session.session, caller, detail: detail, at: auth.clock.now())
        }
        guard !ending.isEmpty else { return }
        for attempt in auth.attempts {
            let writes = try ending.map { session throws(AuthError) in
                try deletion(of: session, isFirst: attempt == 0)
            }
            if try trails.commit(writes) { return }
        }
        throw .unavailable(.contention)
    }

    /// - Parameter isFirst: false in a repeated attempt. Then the session is read again: a client
    ///   may have received an ID token in the meantime, or the session may have ended.
    private func deletion(
        of presented: PresentedSession, isFirst: Bool
    ) throws(AuthError) -> Write {
        var row = presented.row
        if !isFirst {
            row = try auth.sessionState(presented.session, of: presented.user).session
        }
        guard let row else {
            return .delete(StoreLayout.session(presented.session, of: presented.user), when: [])
        }
        return auth.deletion(of: row)
    }

    /// One write of the epoch ends all sessions.
    private func endAll(
        of presented: PresentedSession, _ trails: inout Trails, _ caller: Caller
    ) throws(AuthError) {
        var known = presented.account
        for _ in auth.attempts {
            guard let current = known else { return }
            var audit = trails[current.id]
            audit.record(.signedOutEverywhere, caller, at: auth.clock.now())
            let ending = UserRecord.replacing(current) { $0.epoch += 1 }
            if try auth.commit([ending], &audit) { return }
            known = try auth.sessionState(presented.session, of: presented.user).user
        }
        throw .unavailable(.contention)
    }

    /// The sessions are ended page by page, so that for an account with more sessions than one call
    /// can end, each call makes progress.
    private func endOthers(
        than presented: PresentedSession, _ trails: inout Trails, _ caller: Caller
    ) throws(AuthError) {
        var query = auth.sessionsQuery(presented.user)
        for _ in 0..<Self.pagesMax {
            let page = try auth.store.query(query)
            let others = try page.items.map { item throws(AuthError) in
                try deletion(of: item, unless: presented)
            }.compactMap(\.self)
            // If the write fails, one of the sessions has changed since, and the page is read
            // again.
            guard try endOthers(others, of: presented.user, &trails, caller) else { continue }
            guard let next = page.next else { return }
            query.after = next
        }
        throw .unavailable(.contention)
    }

    /// The write that ends another session; nil if the row is not another session. If the session
    /// had already ended by its epoch, its clients were notified then.
    private func deletion(
        of item: Item, unless presented: PresentedSession
    ) throws(AuthError) -> (id: SessionID, write: Write)? {
        guard let id = SessionRecord.id(of: item), id != presented.session else { return nil }
        let plain = Write.delete(item.key, when: [])
        guard auth.policy.oauth != nil else { return (id, plain) }
        let session = try decoded(SessionRecord.session(item, id: id, user: presented.user))
        let isAlive = session.epoch == presented.account?.epoch
        return (id, isAlive ? auth.deletion(of: session) : plain)
    }

    /// Returns false if one of the sessions has changed.
    private func endOthers(
        _ sessions: [(id: SessionID, write: Write)], of user: UserID, _ trails: inout Trails,
        _ caller: Caller
    ) throws(AuthError) -> Bool {
        // With OAuth, each ended session may need a second write, which notifies its clients.
        let most = StoreLimits.writesPerTransactionMax - auth.writesBesideMax
        let chunk = auth.policy.oauth == nil ? most : most / 2
        for start in stride(from: 0, to: sessions.count, by: chunk) {
            let part = sessions[start..<min(start + chunk, sessions.count)]
            let unrecorded = trails
            trails[user].record(
                .signedOutOthers, session: part.first?.id, caller, at: auth.clock.now())
            guard try trails.commit(part.map(\.write)) else {
                trails = unrecorded
                return false
            }
        }
        return true
    }
}

extension AuthServices {
    package var signOut: SignOut { SignOut(auth: self) }
}

extension AuthOperation {
    package static let signOut = AuthOperation(
        "signOut", counting: [.address, .account], audited: .others)
}
