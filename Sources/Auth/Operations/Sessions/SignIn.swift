package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Signs a person in with an identity token of Apple, Google or another OpenID provider.
///
/// An identity is (issuer, subject) from the verified token. Nothing in the request body is proof
/// of anything: its name is only ever shown, and it has no e-mail.
package struct SignIn: Sendable {
    private let ground: Ground
    private let limiter: RateLimiter
    private let desk: IdentityDesk
    private let tokens: AccessTokens
    private let mint: RefreshTokenMint
    private let grants: GrantVault

    package init(
        _ ground: Ground, limiter: RateLimiter, desk: IdentityDesk, tokens: AccessTokens,
        mint: RefreshTokenMint, grants: GrantVault
    ) {
        self.ground = ground
        self.limiter = limiter
        self.desk = desk
        self.tokens = tokens
        self.mint = mint
        self.grants = grants
    }

    package struct Input: Sendable {
        package var provider: String
        package var idToken: String
        package var nonce: String?
        package var fullName: PersonName?
        package var authorizationCode: String?
        package var deviceName: String?
        package var deviceSystem: String?

        package init(provider: String, idToken: String, nonce: String? = nil) {
            self.provider = provider
            self.idToken = idToken
            self.nonce = nonce
        }
    }

    package struct Output: Sendable {
        package let user: User
        package let isNewUser: Bool
        /// nil where the contract gives none: `photolala` signs in once per visit.
        package let tokens: SessionTokens?
        package let codeExchange: CodeExchange?
    }

    package func callAsFunction(
        _ input: Input, _ context: RequestContext
    ) throws(Problem) -> Output {
        try perform(input, startsSession: true, context) { _ throws(Problem) in [] }
    }

    /// `beforeCommit` is asked about the person who is about to be signed in: it may refuse, and
    /// what it returns is written with the rest. It runs again when a race was lost.
    func perform(
        _ input: Input, startsSession: Bool, _ context: RequestContext,
        beforeCommit: (User) throws(Problem) -> [Write]
    ) throws(Problem) -> Output {
        // 1. Who may try at all.
        try limiter.admit(.signIn, .address, context.address)
        guard desk.providers.contains(where: { $0.utf8.elementsEqual(input.provider.utf8) }) else {
            throw .unknownProvider
        }

        // 2. Verify, then believe.
        let identity = try verify(input)
        try limiter.admit(.signIn, .account, "\(identity.issuer) \(identity.subject)")

        // 3. The provider's own token, to be revoked when the account is deleted.
        let exchange = input.authorizationCode.map {
            desk.exchange($0, identity, ground.clock.now())
        }
        if case .belongsToSomebodyElse? = exchange { throw .identityRejected(.invalidIDToken) }

        // 4. The key first: what cannot be answered must not consume the token.
        let signer = startsSession ? try tokens.signer(at: ground.clock.now()) : nil

        for _ in 0..<Attempts.max {
            // 5. One transaction: the person, the session, and what is used up.
            let now = ground.clock.now()
            var arrival = try arrival(identity, input, now)
            if case .granted(let grant)? = exchange {
                arrival.writes.append(
                    try grants.keep(
                        grant, provider: identity.provider, clientID: identity.audience,
                        of: arrival.user.id))
            }
            // What is spent already must not cause anything outside.
            if !startsSession { try refuseWhatIsSpent(identity, input) }
            arrival.writes += try beforeCommit(arrival.user)
            let opened = startsSession ? open(for: arrival.user, input, context, now) : nil
            let writes =
                arrival.writes + (opened?.writes ?? []) + consumption(of: identity, input)
                + [
                    AuditRecord.write(
                        arrival.isNewUser ? .accountCreated : .signedIn, user: arrival.user.id,
                        session: opened?.family.id, address: context.address, at: now,
                        random: ground.random)
                ]
            guard
                try attempted({ () throws(StoreFailure) in try ground.store.write(writes) })
            else {
                // 6. Either the token or the nonce is used up, or another sign-in of the same
                //    person was first.
                try refuseWhatIsSpent(identity, input)
                continue
            }
            return try answer(arrival, opened, exchange, signer, now)
        }
        throw .unavailable(.contention)
    }

    private func verify(_ input: Input) throws(Problem) -> VerifiedIdentity {
        if ground.policy.requiresNonce, input.nonce == nil { throw .missing(field: "nonce") }
        let expectation: NonceExpectation
        switch ground.policy.nonce {
        case .none: expectation = .ignored
        case .echoed, .issued: expectation = .exactly(input.nonce)
        }
        do {
            return try desk.verify(
                input.provider, input.idToken, expectation, ground.clock.now())
        } catch {
            if case .keysUnavailable = error { throw .unavailable(.identityProvider) }
            throw .identityRejected(error)
        }
    }

    private struct Arrival {
        var user: User
        var isNewUser: Bool
        var writes: [Write]
    }

    private func arrival(
        _ identity: VerifiedIdentity, _ input: Input, _ now: Instant
    ) throws(Problem) -> Arrival {
        let owner = StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        let ownerItem = try stored { () throws(StoreFailure) in try ground.store.get(owner) }
        guard let ownerItem else { return newUser(identity, input, owner, now) }
        guard case .text(let text)? = ownerItem.attributes["user"],
            let id = UserID(parsing: text)
        else { throw .fault(.storedDataUnreadable) }
        let known = try stored { () throws(StoreFailure) -> User? in
            guard let item = try ground.store.get(StoreLayout.profile(id)) else { return nil }
            return try UserRecord.user(item, id: id)
        }
        guard let known else { throw .fault(.storedDataUnreadable) }
        guard !known.isDisabled else { throw .accountDisabled }
        return returning(known, identity, input, now)
    }

    private func newUser(
        _ identity: VerifiedIdentity, _ input: Input, _ owner: ItemKey, _ now: Instant
    ) -> Arrival {
        let user = User(
            id: UserID(random: ground.random), email: identity.email,
            isEmailVerified: identity.email != nil && identity.isEmailVerified,
            displayName: input.fullName?.displayName ?? identity.displayName,
            identities: [
                LinkedIdentity(
                    provider: identity.provider, issuer: identity.issuer,
                    subject: identity.subject)
            ], createdAt: now)
        return Arrival(
            user: user, isNewUser: true,
            writes: [
                .put(Item(owner, ["user": .text(user.id.text)]), when: [.absent]),
                .put(UserRecord.item(user), when: [.absent]),
            ])
    }

    /// Somebody we know. A token may bring a newer e-mail; a name is kept once it is known, for
    /// Apple tells it only at the first sight and the request could say anything later.
    private func returning(
        _ known: User, _ identity: VerifiedIdentity, _ input: Input, _ now: Instant
    ) -> Arrival {
        var user = known
        if let email = identity.email {
            user.email = email
            user.isEmailVerified = identity.isEmailVerified
        }
        user.displayName =
            known.displayName ?? input.fullName?.displayName ?? identity.displayName
        guard user != known else {
            let unchanged: [Condition] = [
                .equals("epoch", .integer(known.epoch)), .equals("isDisabled", .flag(false)),
            ]
            return Arrival(
                user: known, isNewUser: false,
                writes: [.check(StoreLayout.profile(known.id), when: unchanged)])
        }
        user.updatedAt = now
        let write = UserRecord.replacing(known) { $0 = user }
        user.revision = known.revision + 1
        return Arrival(user: user, isNewUser: false, writes: [write])
    }

    private struct Opened {
        let family: SessionFamily
        let refresh: RefreshToken
        let writes: [Write]
    }

    private func open(
        for user: User, _ input: Input, _ context: RequestContext, _ now: Instant
    ) -> Opened {
        let policy = ground.policy
        let id = SessionID(random: ground.random)
        let seed = ground.random.bytes(32)
        let refresh = mint.token(family: id, seed: seed, generation: 0)
        let family = SessionFamily(
            id: id, user: user.id, generation: 0, seed: seed, currentHash: refresh.hash,
            epoch: user.epoch, createdAt: now, lastUsedAt: now,
            idleExpiresAt: now + policy.idleLifetime,
            absoluteExpiresAt: now + policy.absoluteLifetime,
            origin: SessionOrigin(
                provider: input.provider, deviceName: input.deviceName,
                deviceSystem: input.deviceSystem, address: context.address,
                userAgent: context.userAgent))
        return Opened(
            family: family, refresh: refresh,
            writes: [
                .put(SessionRecord.item(family), when: [.absent]),
                .put(RefreshTokenRecord.item(current: family), when: [.absent]),
            ])
    }

    /// An identity token is good once, and so is a nonce of ours.
    private func consumption(of identity: VerifiedIdentity, _ input: Input) -> [Write] {
        let spent = StoreLayout.spentIdentityToken(fingerprint: identity.tokenFingerprint)
        var writes: [Write] = [
            .put(
                Item(spent, [:], expiresAt: identity.tokenExpiresAt + .minutes(5)),
                when: [.absent])
        ]
        if let nonce = issuedNonce(input) {
            writes.append(.delete(StoreLayout.challenge(nonce: nonce), when: [.present]))
        }
        return writes
    }

    private func refuseWhatIsSpent(
        _ identity: VerifiedIdentity, _ input: Input
    ) throws(Problem) {
        let spent = StoreLayout.spentIdentityToken(fingerprint: identity.tokenFingerprint)
        let isSpent = try stored { () throws(StoreFailure) in try ground.store.get(spent) != nil }
        if isSpent { throw .identityTokenSpent }
        guard let nonce = issuedNonce(input) else { return }
        let isOpen = try stored { () throws(StoreFailure) in
            try ground.store.get(StoreLayout.challenge(nonce: nonce)) != nil
        }
        if !isOpen { throw .challengeUnknown }
    }

    private func issuedNonce(_ input: Input) -> String? {
        ground.policy.nonce == .issued ? input.nonce : nil
    }

    private func answer(
        _ arrival: Arrival, _ opened: Opened?, _ exchange: CodeExchange?,
        _ signer: AccessTokens.Signer?, _ now: Instant
    ) throws(Problem) -> Output {
        var issued: SessionTokens?
        if let opened, let signer {
            issued = SessionTokens(
                access: try signer.issue(to: arrival.user, session: opened.family.id, at: now),
                refresh: opened.refresh, session: opened.family.id, user: arrival.user)
        }
        return Output(
            user: arrival.user, isNewUser: arrival.isNewUser, tokens: issued,
            codeExchange: exchange)
    }
}
