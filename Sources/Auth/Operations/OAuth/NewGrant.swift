internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// A grant that begins, with a code or with a device's request.
struct NewGrant {
    /// What a person has decided about a client.
    struct Decision {
        let scope: [String]
        let resources: [String]
        var claims = AskedClaims.none
        let clientEpoch: Int64
        let user: User
        /// The session of the browser in which the person decided.
        let browser: Session
    }

    /// The client's session.
    let session: Session
    let plan: PlannedTokens
    let writes: [Write]

    /// The maximum number of grants that a new one ends, limited by the size of a transaction.
    private static let evictedMax = 40

    /// Throws if the user has removed the client since the decision.
    ///
    /// - Parameters:
    ///   - resources: `resource` in the token request.
    ///   - items: the rows that were read, with the consent.
    ///   - grants: the first page of the user's grants, if it was already read.
    init(
        of decision: Decision, to client: Client, for resources: [String], _ signer: GrantSigner,
        _ items: ReadItems, grants: Page?, _ auth: AuthServices, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let user = decision.user
        let consent = try Self.consent(of: user, to: client, items)
        session = try Self.session(decision, client, auth, caller, at: now)
        guard let grant = session.grant else { throw .fault(.unexpectedError) }
        plan = try signer.plan(
            for: user, session, audience: try signer.audience(resources, of: grant),
            boundTo: try auth.keyToBind(caller), .signIn)
        // If there are too many grants, the least recently used one ends.
        let others = try auth.clientGrants(of: user, first: grants)
        let evicted = others.dropFirst(try auth.oauthPolicy.grantsMax - 1).suffix(Self.evictedMax)
        writes =
            consent + [.put(SessionRecord.item(session), when: [.absent])]
            + evicted.map { .delete(SessionRecord.key(of: $0), when: []) }
            + auth.notifying(client, of: decision.browser, user, grant, beside: plan.checks)
    }

    /// A first-party client has no consent.
    ///
    /// - Returns: the check that the consent still exists.
    private static func consent(
        of user: User, to client: Client, _ items: ReadItems
    ) throws(AuthError) -> [Write] {
        guard !client.isFirstParty else { return [] }
        let consent = StoreLayout.consent(to: client.id, of: user.id)
        guard items[consent] != nil else { throw .oauth(.invalidGrant(.ended)) }
        return [.check(consent, when: [.present])]
    }

    /// The client's session. It takes over the proofs of the browser's session, with their times.
    private static func session(
        _ decision: Decision, _ client: Client, _ auth: AuthServices, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) -> Session {
        let (user, browser, scope) = (decision.user, decision.browser, decision.scope)
        let isOffline = scope.contains(StandardScope.offlineAccess.rawValue)
        let refreshes = client.mayUse(.refreshToken)
        let (sessions, policy) = (auth.policy.sessions, try auth.oauthPolicy)
        return Session(
            id: SessionID(random: auth.random), user: user.id, generation: 0,
            seed: auth.random.bytes(32), epoch: user.epoch, proofs: browser.proofs,
            lastUsedAt: now,
            idleExpiresAt: now
                + (refreshes ? sessions.idleLifetime : policy.accessTokenLifetime),
            absoluteExpiresAt: now + sessions.absoluteLifetime,
            origin: SessionOrigin(
                provider: browser.origin.provider, address: caller.address,
                userAgent: caller.userAgent, passkey: browser.origin.passkey),
            writer: auth.random.bytes(8), keyID: try auth.grantTokens.keyID,
            // A client with a secret may change its key. Its refresh token is bound to the secret
            // instead.
            clientKey: client.isConfidential ? nil : try auth.keyToBind(caller),
            grant: ClientGrant(
                client: client.id, scope: scope, resources: decision.resources,
                browser: browser.id, isOffline: isOffline, refreshes: refreshes,
                claims: decision.claims, clientEpoch: decision.clientEpoch))
    }
}
