package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Exchanges a client's refresh token for its successor (OAuth 2.1 section 4.3). The rules are the
/// same as for a user's own session (`RefreshSession`), but the token must belong to the client.
package struct RefreshGrant: Sendable {
    package struct Input: Sendable {
        package let token: String
        /// The requested scopes; nil for all that were granted.
        package let scope: [String]?
        package let resources: [String]

        package init(token: String, scope: [String]?, resources: [String]) {
            self.token = token
            self.scope = scope
            self.resources = resources
        }
    }

    let auth: AuthServices

    /// How often the use of a token without rotation is recorded, so that parallel requests do not
    /// conflict. The profile FAPI 2.0 forbids rotation (section 5.3.2.1).
    private static let touchInterval = Span.hours(1)

    package func callAsFunction(
        _ input: Input, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> GrantTokens {
        // 1. Open: count, and read the client and the grant. A forged token does not name a grant.
        let token = try auth.grantToken(input.token)
        let keys = try token?.keys(from: credentials.id, auth) ?? []
        let (client, opening) = try auth.open(
            .refreshGrant, as: .refreshToken, by: credentials, caller, reading: keys)
        guard let token else { throw .oauth(.invalidGrant(.unknown)) }
        let signer = try GrantSigner(auth, for: client, .refreshGrant, caller)

        var items = opening.items
        for attempt in auth.attempts {
            if attempt > 0 { items = try auth.store.get(keys) }
            let now = auth.clock.now()
            // 2. Judge token, client and grant. A dead token is reported as such even if a limit is
            //    reached, because a client that is told to wait would keep the token forever.
            let state = try GrantState(items, token.place, auth)
            guard let (session, grant, user) = try state.alive(auth, at: now),
                try token.isProven(by: session, auth: auth)
            else { throw .oauth(.invalidGrant(.ended)) }
            try judge(grant, of: client, items)
            if let refusal = auth.refusal(of: session, to: caller) { throw refusal }
            let use = session.present(
                generation: token.place.generation, at: now,
                rotation: client.isFAPI2 ? .never : auth.policy.sessions.rotation)
            if case .reuse(let reuse) = use {
                guard try end(session, reuse, client, caller, at: now) else { continue }
                throw .oauth(.invalidGrant(.reused))
            }
            guard use == .advance || use == .repeatSuccessor || use == .keep else {
                throw .oauth(.invalidGrant(.unknown))
            }
            try opening.admit()
            if let other = input.scope?.first(where: { !grant.scope.contains($0) }) {
                throw .oauth(.invalidScope(RepeatedText(other), .notGranted))
            }
            let key = try auth.keyToBind(caller)
            let plan = try signer.plan(
                for: user, session, audience: try signer.audience(input.resources, of: grant),
                boundTo: session.clientKey ?? key, scope: input.scope, .refresh)

            // 3. Close: exactly one of several requests advances the grant.
            var next = session
            if use == .advance || use == .keep && session.lastUsedAt + Self.touchInterval <= now {
                next = try used(session, isReplaced: use == .advance, at: now)
                let also = plan.checks + (try auth.keeping(client, at: now))
                guard try write(next, replacing: session, also) else { continue }
            } else if !plan.checks.isEmpty {
                let isThere = Write.check(SessionRecord.key(of: session), when: [.present])
                guard try auth.store.attempt(plan.checks + [isThere]) else { continue }
            }
            return try signer.tokens(plan, of: next, at: now)
        }
        throw .unavailable(.contention)
    }

    /// Throws unless the token belongs to the client, and its grant was not ended together with all
    /// grants of the client.
    private func judge(
        _ grant: ClientGrant, of client: Client, _ items: ReadItems
    ) throws(AuthError) {
        guard grant.client.isSame(as: client.id) else {
            throw .oauth(.invalidGrant(.otherClient))
        }
        guard try grant.clientEpoch == auth.clientEpoch(client.id, items) else {
            throw .oauth(.invalidGrant(.ended))
        }
    }

    private func used(
        _ session: Session, isReplaced: Bool, at now: Instant
    ) throws(AuthError) -> Session {
        var next = session
        if isReplaced {
            next.generation += 1
            next.keyID = try auth.grantTokens.keyID
        }
        next.lastUsedAt = now
        next.idleExpiresAt = now + auth.policy.sessions.idleLifetime
        next.writer = auth.random.bytes(8)
        return next
    }

    /// Whether the grant is now stored as `next`. This is also true if the response to our own
    /// write was lost and the repeated write refused.
    private func write(
        _ next: Session, replacing session: Session, _ others: [Write]
    ) throws(AuthError) -> Bool {
        let change = Write.put(
            SessionRecord.item(next), when: SessionRecord.unchanged(session))
        if try auth.store.attempt([change] + others) { return true }
        let key = SessionRecord.key(of: session)
        let found = try auth.store.get(key).map { item throws(AuthError) in
            try decoded(SessionRecord.session(item, id: session.id, user: session.user))
        }
        return found?.writer == next.writer
    }

    /// False if the grant has already ended, or has been changed.
    private func end(
        _ session: Session, _ reuse: Session.ReuseClass, _ client: Client, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) -> Bool {
        var audit = auth.audit(.account(session.user))
        audit.record(
            .grantReused, session: session.id, caller, detail: "\(client.id) \(reuse.rawValue)",
            at: now)
        return try auth.commit(
            [.delete(SessionRecord.key(of: session), when: [.present])], &audit)
    }
}

/// A client's refresh token, issued by this server.
struct GrantToken {
    let place: RefreshTokenPlace
    private let proof: [UInt8]

    fileprivate init(place: RefreshTokenPlace, proof: [UInt8]) {
        self.place = place
        self.proof = proof
    }

    /// The keys of the rows that decide whether the client may use the token.
    func keys(from client: String, _ auth: AuthServices) throws(AuthError) -> [ItemKey] {
        GrantState.keys(place) + [try auth.clientEpochKey(client)].compactMap(\.self)
    }

    /// Whether the token was derived from the grant's row.
    func isProven(by session: Session, auth: AuthServices) throws(AuthError) -> Bool {
        try auth.grantTokens.isProven(proof, place, by: session)
    }
}

/// The rows of a grant.
struct GrantState {
    let session: Session?
    let user: User?

    static func keys(_ place: RefreshTokenPlace) -> [ItemKey] {
        keys(place.session, of: place.user)
    }

    static func keys(_ grant: SessionID, of user: UserID) -> [ItemKey] {
        [StoreLayout.clientGrant(grant, of: user), StoreLayout.profile(user)]
    }

    init(
        _ items: ReadItems, _ place: RefreshTokenPlace, _ auth: AuthServices
    ) throws(AuthError) {
        try self.init(items, place.session, of: place.user)
    }

    init(_ items: ReadItems, _ id: SessionID, of owner: UserID) throws(AuthError) {
        session = try items[StoreLayout.clientGrant(id, of: owner)].map { item throws(AuthError) in
            try decoded(SessionRecord.session(item, id: id, user: owner))
        }
        user = try items.user(owner)
    }

    /// nil if the grant has ended: by itself, with its account, or with the browser's session. A
    /// grant that outlives the browser's session does not end with it, so that session is not read.
    /// The caller has to judge whether the client is accepted.
    func alive(
        _ auth: AuthServices, at now: Instant
    ) throws(AuthError) -> (session: Session, grant: ClientGrant, user: User)? {
        guard SessionEnd.of(session, user, at: now) == nil, let session, let user,
            let grant = session.grant
        else { return nil }
        if !grant.isOffline {
            let browser = try auth.sessionState(grant.browser, of: user.id)
            guard browser.end(at: now) == nil else { return nil }
        }
        return (session, grant, user)
    }
}

extension AuthServices {
    package var refreshGrant: RefreshGrant { RefreshGrant(auth: self) }

    /// nil unless the text is a client's refresh token.
    func grantToken(_ text: String) throws(AuthError) -> GrantToken? {
        guard case .placed(let place, let proof, _) = try grantTokens.read(text) else {
            return nil
        }
        return GrantToken(place: place, proof: proof)
    }
}

extension AuthOperation {
    package static let refreshGrant = AuthOperation(
        "refreshGrant", servedBy: "token", counting: [.client, .address], audited: .others)
}
