import AuthTestSupport
import Testing

/// What no request shows: the window, the bound in bytes, and what a process knows already.
@Suite("The list of revocations") struct ListRevocationsTests {
    private func kit(
        store: (any KeyValueStore)? = nil, clock: TestClock = TestClock(), bytesMax: Int? = nil
    ) throws -> AuthKit {
        var revocations = RevocationPolicy()
        if let bytesMax { revocations.bytesMax = bytesMax }
        return try AuthKit(
            policy: Policy.testing.with { $0.revocations = revocations }, clock: clock,
            store: store)
    }

    private func claims(_ kit: AuthKit, since: Int64? = nil) throws -> JSON {
        let list = try kit.auth.listRevocations(since: since)
        let part = try #require(list.token.split(separator: ".").dropFirst().first)
        return try JSON.parse(try #require(Base64URL.decode(part)), limits: .event)
    }

    /// The IDs in the list.
    private func ended(_ kit: AuthKit, since: Int64? = nil) throws -> [String] {
        try claims(kit, since: since)["ended"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    private func signOut(_ tokens: SessionTokens, _ kit: AuthKit) throws {
        try kit.signOut(tokens, .session)
    }

    @Test func `an ended session is listed as long as its tokens could be valid`() throws {
        let kit = try kit()
        let tokens = try kit.session()
        try signOut(tokens, kit)
        let life = kit.auth.policy.accessTokens.lifetime
        for _ in 0..<(life.seconds / 5) {
            kit.clock.advance(by: .seconds(5))
            #expect(try ended(kit) == [tokens.session.text])
        }
        kit.clock.advance(by: .minutes(2))
        #expect(try ended(kit) == [])
    }

    @Test func `a process with a slow clock sees sessions that another process ended`()
        throws
    {
        let clock = TestClock()
        let reader = try kit(clock: clock)
        #expect(try ended(reader) == [])
        let late = TestClock(clock.now - .seconds(20))
        let writer = try kit(store: reader.store, clock: late)
        let tokens = try writer.session()
        try signOut(tokens, writer)
        clock.advance(by: .seconds(1))
        #expect(try ended(reader) == [tokens.session.text])
        // Also in a list of what ended since the list before.
        let since = (clock.now - .seconds(31)).seconds
        #expect(try ended(reader, since: since) == [tokens.session.text])
    }

    @Test func `a full list has the latest ends, and is marked as incomplete`() throws {
        let kit = try kit(bytesMax: 150)
        var sessions: [String] = []
        for _ in 0..<4 {
            let tokens = try kit.session()
            try signOut(tokens, kit)
            sessions.append(tokens.session.text)
            kit.clock.advance(by: .seconds(2))
        }
        let claims = try claims(kit)
        #expect(claims["complete"]?.boolValue == false)
        let listed = try ended(kit)
        #expect(!listed.isEmpty && listed == sessions.suffix(listed.count).reversed())
    }

    @Test func `the ETag changes only with content and time`() throws {
        let kit = try kit()
        let step = RevocationPolicy().step
        let first = try kit.auth.listRevocations(since: nil)
        #expect(try kit.auth.listRevocations(since: nil).token == first.token)
        try signOut(try kit.session(), kit)
        kit.clock.advance(by: .seconds(1))
        let second = try kit.auth.listRevocations(since: nil)
        #expect(second.tag != first.tag)
        kit.clock.advance(by: step)
        #expect(try kit.auth.listRevocations(since: nil).tag != second.tag)
    }
}
