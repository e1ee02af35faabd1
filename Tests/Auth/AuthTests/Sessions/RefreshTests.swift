@Suite("RefreshSession") struct RefreshTests {
    let clock = TestClock(Instant(seconds: 1_700_000_040))  // the beginning of a minute
    let store: FaultyStore

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    private func kit(
        seed: UInt64 = 1, _ change: (inout Policy) -> Void = { _ in }
    ) throws -> AuthKit {
        try AuthKit(policy: .testing.with(change), clock: clock, store: store, seed: seed)
    }

    private func limited(_ kit: AuthKit, _ token: String) -> Bool {
        do throws(AuthError) {
            _ = try kit.refresh(token, Caller())
            return false
        } catch {
            guard case .rateLimited = error else {
                Issue.record("\(error)")
                return false
            }
            return true
        }
    }

    // MARK: Limits

    private static let fivePerSession = [RateLimit(.refresh, per: .session, 5, in: .minutes(1))]

    /// Refreshes until the session's limit is reached; returns all tokens, the current one last.
    private func exhaust(_ kit: AuthKit) throws -> [String] {
        var tokens = [try kit.session().refresh.reveal()]
        for _ in 0..<5 {
            tokens.append(try kit.refresh(tokens[tokens.count - 1], Caller()).refresh.reveal())
        }
        return tokens
    }

    @Test func `a reused token revokes its session even if the limit is reached`() throws {
        for index in 0..<4 {
            let kit = try kit(seed: UInt64(index)) { $0.limits = Self.fivePerSession }
            let tokens = try exhaust(kit)
            #expect(limited(kit, tokens[5]))
            expectError(.refreshToken(.reusedOlder)) { try kit.refresh(tokens[index], Caller()) }
            expectError(.refreshToken(.sessionEnded)) { try kit.refresh(tokens[5], Caller()) }
        }
    }

    @Test func `a reused token revokes its session even beyond account and address limits`()
        throws
    {
        let kit = try kit {
            $0.limits = [
                RateLimit(.refresh, per: .address, 3, in: .minutes(1)),
                RateLimit(.refresh, per: .account, 3, in: .minutes(1)),
            ]
        }
        let caller = Caller(address: "192.0.2.1")
        let first = try kit.session()
        let second = try kit.refresh(first.refresh.reveal(), caller)
        let third = try kit.refresh(second.refresh.reveal(), caller)
        for _ in 0..<5 { _ = try? kit.refresh(third.refresh.reveal(), caller) }
        expectError(.refreshToken(.reusedOlder)) { try kit.refresh(first.refresh.reveal(), caller) }
        #expect(try kit.sessions(of: first.user.id).isEmpty)
    }

    @Test(arguments: RefreshTokenDeriverTests.used)
    func `refreshes of an account are counted over all its sessions`(
        _ form: RefreshTokenForm
    ) throws {
        let kit = try kit {
            $0.sessions.refreshTokens = form
            $0.limits = [RateLimit(.refresh, per: .account, 3, in: .minutes(1))]
        }
        var tokens = [try kit.session().refresh.reveal(), try kit.session().refresh.reveal()]
        for round in 0..<3 {
            let next = try kit.refresh(tokens[round % 2], Caller())
            tokens[round % 2] = next.refresh.reveal()
        }
        #expect(limited(kit, tokens[0]))
        #expect(limited(kit, tokens[1]))
    }

    @Test func `two sessions of one account have separate limits`() throws {
        let kit = try kit { $0.limits = Self.fivePerSession }
        let tokens = try exhaust(kit)
        #expect(limited(kit, tokens[5]))
        try expectEqual(exhaust(kit).count, 6)
    }

    @Test func `repeated and failed refreshes do not count`() throws {
        let kit = try kit { $0.limits = Self.fivePerSession }
        var tokens = [try kit.session().refresh.reveal()]
        for round in 0..<5 {
            store.setFate { call in
                call.advancesSession ? .refused(.unavailable(detail: "test")) : .fine
            }
            for _ in 0..<10 {
                expectError(.unavailable(.store)) { try kit.refresh(tokens[round], Caller()) }
            }
            store.comeBack()
            let next = try kit.refresh(tokens[round], Caller()).refresh.reveal()
            for _ in 0..<10 {
                // The previous token, within the grace period.
                try expectEqual(kit.refresh(tokens[round], Caller()).refresh.reveal(), next)
                #expect(throws: AuthError.self) { try kit.refresh("lkr_junk", Caller()) }
            }
            tokens.append(next)
        }
        #expect(limited(kit, tokens[5]))
    }

    @Test func `without a refresh limit the row's count is unchanged`() throws {
        let kit = try kit()
        let tokens = try kit.session()
        _ = try kit.refresh(tokens)
        let row = try #require(try kit.sessions(of: tokens.user.id).first)
        expectEqual(row.attributes["refreshCount"], .integer(0))
    }

    // MARK: Concurrent reuse

    @Test func `of two concurrent reuses only the one that ends the session is recorded`() throws {
        let kit = try kit()
        let first = try kit.session()
        let second = try kit.refresh(first)
        _ = try kit.refresh(second)
        store.beforeNextWrite {
            expectError(.refreshToken(.reusedOlder)) { try kit.refresh(first) }
        }
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(first) }
        try expectEqual(kit.audit(of: first.user.id).filter { $0 == "refreshTokenReused" }.count, 1)
    }

    // MARK: Disabled users

    @Test func `a reused token revokes its session even if the user is disabled`() throws {
        let kit = try kit()
        let first = try kit.session()
        let second = try kit.refresh(first)
        let third = try kit.refresh(second)
        try kit.disable(first.user)
        expectError(.refreshToken(.reusedOlder)) { try kit.refresh(first) }
        try kit.disable(first.user, false)
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(third) }
        #expect(try kit.audit(of: first.user.id).contains("refreshTokenReused"))
    }

    // MARK: Lost responses

    static let rotations: [Rotation] = [
        .everyUse(grace: .zero), .everyUse(grace: .seconds(60)), .never,
    ]

    /// DynamoDB has no idempotency token for a single write: a request that is repeated after a
    /// lost response conflicts with itself and reports a failed condition.
    @Test(arguments: rotations)
    func `a repeated final write is recognised by its mark`(rotation: Rotation) throws {
        let kit = try kit { $0.sessions.rotation = rotation }
        let first = try kit.session()
        store.setFate { $0.advancesSession ? .repeated : .fine }
        let next = try kit.refresh(first)
        store.comeBack()
        clock.advance(by: .hours(1))
        #expect(throws: Never.self) { try kit.refresh(next) }
        try expectEqual(kit.sessions(of: first.user.id).count, 1)
    }

    /// Both wrote; the mark shows that the other one succeeded.
    @Test func `without a grace period a request does not mistake another's write for its own`()
        throws
    {
        let kit = try kit { $0.sessions.rotation = .everyUse(grace: .zero) }
        let first = try kit.session()
        store.beforeNextWrite { _ = try kit.refresh(first) }
        expectError(.refreshToken(.reusedPrevious)) { try kit.refresh(first) }
    }

    // MARK: Rotation and reuse

    @Test func `the limit of a session applies also without rotation`() throws {
        let kit = try kit {
            $0.sessions.rotation = .never
            $0.limits = Self.fivePerSession
        }
        let token = try kit.session().refresh.reveal()
        for _ in 0..<5 { _ = try kit.refresh(token, Caller()) }
        #expect(limited(kit, token))
    }

    @Test func `with reuse scope user and no grace period any reuse ends all sessions`() throws {
        for (index, form) in RefreshTokenDeriverTests.used.enumerated() {
            let kit = try kit(seed: UInt64(index)) {
                $0.sessions.rotation = .everyUse(grace: .zero)
                $0.sessions.reuseScope = .user
                $0.sessions.refreshTokens = form
            }
            let (mine, other) = (try kit.session(), try kit.session())
            let otherUser = try kit.session(of: "other")
            let next = try kit.refresh(mine)
            expectError(.refreshToken(.reusedPrevious)) { try kit.refresh(mine) }
            for tokens in [next, other] {
                expectError(.refreshToken(.sessionEnded)) { try kit.refresh(tokens) }
                expectError(.accessToken(.sessionEnded)) { try kit.authenticate(tokens) }
            }
            #expect(throws: Never.self) { try kit.refresh(otherUser) }
        }
    }
}
