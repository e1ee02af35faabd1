/// RFC 9449: sessions and access tokens that are bound to a key of the client.
@Suite("Sessions bound to a key") struct ProvenSessionTests {
    let clock = TestClock()
    let store: FaultyStore

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    private func kit(_ mode: ProofPolicy.Mode = .optional) throws -> AuthKit {
        try AuthKit(
            policy: .testing.with { $0.proofs = ProofPolicy(mode: mode) }, clock: clock,
            store: store)
    }

    private func refresh(_ kit: AuthKit, _ tokens: SessionTokens, _ caller: Caller) throws
        -> SessionTokens
    {
        try kit.refresh(tokens.refresh.reveal(), caller)
    }

    // MARK: Access tokens

    @Test func `a bound access token is not accepted as a bearer token`() throws {
        let kit = try kit()
        let tokens = try ProvingClient(kit).session()
        for caller in [
            Caller(bearerText: tokens.access.reveal()),
            Caller(bearer: .bound(tokens.access.reveal())),
        ] {
            expectError(.accessToken(.proofRequired)) {
                try kit.auth.authenticate(caller, for: .me)
            }
        }
    }

    @Test func `a proof of another key, or of another access token, is refused`() throws {
        let kit = try kit()
        let (client, thief) = (try ProvingClient(kit), try ProvingClient(kit, seed: 2))
        let (tokens, others) = (try client.session(), try client.session())
        let other = try client.proof(for: others.access.reveal())
        let without = try client.proof()
        let bearer = BearerCredential.bound(tokens.access.reveal())
        for caller in [
            try thief.caller(tokens), try client.caller(bearer: bearer, other),
            try client.caller(bearer: bearer, without),
        ] {
            expectError(.accessToken(.proofRefused)) { try kit.auth.authenticate(caller, for: .me) }
        }
    }

    @Test func `a proof does not bind an unbound access token`() throws {
        let kit = try kit()
        let tokens = try kit.session()
        #expect(!tokens.access.isBound)
        let caller = try ProvingClient(kit).caller(tokens)
        expectError(.accessToken(.proofRefused)) { try kit.auth.authenticate(caller, for: .me) }
    }

    @Test func `a proof is accepted only once`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let tokens = try client.session()
        let caller = try client.caller(tokens)
        _ = try kit.auth.authenticate(caller, for: .me)
        expectError(.accessToken(.proofRefused)) { try kit.auth.authenticate(caller, for: .me) }
        let refreshing = try client.caller()
        let next = try refresh(kit, tokens, refreshing)
        expectError(.proof(.replayed)) { try refresh(kit, next, refreshing) }
    }

    // MARK: Proofs

    @Test func `a proof for another request is refused`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let changes: [(String, JSON)] = [
            ("htm", "GET"), ("htm", "post"), ("htu", "https://other.example.com/auth/any"),
            ("htu", "https://auth.example.com/auth/other"), ("htu", "auth/any"),
        ]
        for (name, value) in changes {
            let proof = try client.proof { $0[name] = value }
            expectError(.proof(.invalid)) { try client.caller(proof) }
        }
        expectError(.proof(.invalid)) { try client.caller("not a proof") }
        expectError(.accessToken(.proofRefused)) {
            try client.caller(bearer: .bound("any"), "not a proof")
        }
    }

    @Test(arguments: [(-300, false), (-299, true), (60, true), (61, false)])
    func `a proof is valid for five minutes, and from a minute before its time`(
        offset: Int64, isGood: Bool
    ) throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let proof = try client.proof { $0["iat"] = .number(JSONNumber(clock.now.seconds + offset)) }
        if isGood {
            #expect(throws: Never.self) { try client.caller(proof) }
        } else {
            expectError(.proof(.expired)) { try client.caller(proof) }
        }
    }

    // MARK: Refresh

    @Test func `a stolen refresh token cannot be used without the key`() throws {
        let kit = try kit()
        let (client, thief) = (try ProvingClient(kit), try ProvingClient(kit, seed: 2))
        let tokens = try client.session()
        expectError(.proof(.required)) { try refresh(kit, tokens, Caller()) }
        expectError(.proof(.wrongKey)) { try refresh(kit, tokens, try thief.caller()) }
        let next = try refresh(kit, tokens, try client.caller())
        #expect(next.access.isBound)
        _ = try kit.auth.authenticate(try client.caller(next), for: .me)
    }

    @Test func `a thief's replaced token without the key does not end the session`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let first = try client.session()
        let second = try refresh(kit, first, try client.caller())
        let third = try refresh(kit, second, try client.caller())
        expectError(.proof(.required)) { try refresh(kit, first, Caller()) }
        #expect(throws: Never.self) { try refresh(kit, third, try client.caller()) }
        // With the key, it is reuse.
        expectError(.refreshToken(.reusedOlder)) { try refresh(kit, first, try client.caller()) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(kit, third, try client.caller()) }
    }

    @Test func `a refresh with a proof binds a session, and then it needs the key`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let bearer = try kit.session()
        let bound = try refresh(kit, bearer, try client.caller())
        #expect(!bearer.access.isBound && bound.access.isBound)
        expectError(.proof(.required)) { try refresh(kit, bound, Caller()) }
        expectError(.proof(.required)) { try refresh(kit, bearer, Caller()) }
        // A lost response: the same token again, with another proof of the same key.
        let again = try refresh(kit, bearer, try client.caller())
        #expect(again.refresh.reveal() == bound.refresh.reveal() && again.access.isBound)
    }

    @Test func `a repeated refresh does not bind an unbound successor`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let first = try kit.session()
        let second = try refresh(kit, first, Caller())
        let again = try refresh(kit, first, try client.caller())
        #expect(again.refresh.reveal() == second.refresh.reveal() && !again.access.isBound)
        #expect(throws: Never.self) { try refresh(kit, second, Caller()) }
    }

    /// A stolen bearer token that the thief binds to the thief's key.
    @Test func `reuse is detected even if a thief binds the stolen token to a key`() throws {
        let kit = try kit()
        let thief = try ProvingClient(kit, seed: 2)
        let owner = try kit.session()
        let stolen = try refresh(kit, owner, try thief.caller())
        #expect(stolen.access.isBound)
        // Within the grace period, the owner gets no token that is bound to the thief's key.
        expectError(.proof(.required)) { try refresh(kit, owner, Caller()) }
        clock.advance(by: .seconds(61))
        expectError(.refreshToken(.reusedPrevious)) { try refresh(kit, owner, Caller()) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(kit, stolen, try thief.caller()) }
    }

    // MARK: Sign-out

    @Test func `signing out with a bound token needs the key`() throws {
        let kit = try kit()
        let client = try ProvingClient(kit)
        let tokens = try client.session()
        expectError(.proof(.required)) { try kit.signOut(tokens, .all) }
        expectError(.accessToken(.proofRequired)) {
            try kit.signOut(
                refreshToken: nil, scope: .session, Caller(bearerText: tokens.access.reveal()))
        }
        try kit.signOut(
            refreshToken: tokens.refresh.reveal(), scope: .session, try client.caller(tokens))
        expectError(.refreshToken(.sessionEnded)) { try refresh(kit, tokens, try client.caller()) }
    }

    // MARK: Modes

    @Test func `when proofs are required, every request needs one`() throws {
        let before = try kit(.optional)
        let bearer = try before.session()
        let kit = try kit(.required)
        expectError(.proof(.required)) { try kit.session(of: "002") }
        expectError(.proof(.required)) { try refresh(kit, bearer, Caller()) }
        expectError(.accessToken(.proofRequired)) { try kit.authenticate(bearer) }
        // Signing out is always possible, and so is binding the session.
        let client = try ProvingClient(kit)
        let bound = try refresh(kit, bearer, try client.caller())
        _ = try kit.auth.authenticate(try client.caller(bound), for: .me)
        try kit.signOut(
            refreshToken: try before.session(of: "003").refresh.reveal(), scope: .session, Caller())
    }

    @Test func `when proofs are off, bound tokens remain bound`() throws {
        let tokens = try ProvingClient(try kit(.optional)).session()
        let kit = try kit(.off)
        let client = try ProvingClient(kit)
        expectError(.accessToken(.proofRequired)) { try kit.authenticate(tokens) }
        _ = try kit.auth.authenticate(try client.caller(tokens), for: .me)
        expectError(.proof(.required)) { try refresh(kit, tokens, Caller()) }
        #expect(throws: Never.self) { try refresh(kit, tokens, try client.caller()) }
        #expect(try !client.session(of: "002").access.isBound)
        #expect(throws: Never.self) { try client.caller("not a proof") }
    }

    @Test func `a contract without DPoP ignores proofs`() throws {
        let kit = try AuthKit(clock: clock, store: store)
        let client = try ProvingClient(kit)
        let tokens = try client.session()
        #expect(!tokens.access.isBound)
        expectError(.accessToken(.missing)) {
            try kit.auth.authenticate(try client.caller(tokens), for: .me)
        }
    }
}
