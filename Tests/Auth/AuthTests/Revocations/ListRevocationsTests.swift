import Testing

/// What neither a fixture nor the simulation (`end-is-listed`) shows.
@Suite("The list of revocations") struct ListRevocationsTests {
    private func kit(store: (any KeyValueStore)? = nil, clock: TestClock) throws -> AuthKit {
        try AuthKit(
            policy: Policy.testing.with { $0.revocations = RevocationPolicy() }, clock: clock,
            store: store)
    }

    /// The IDs in the list.
    private func ended(_ kit: AuthKit, since: Int64? = nil) throws -> [String] {
        let list = try kit.auth.listRevocations(since: since)
        let part = try #require(list.token.split(separator: ".").dropFirst().first)
        let claims = try JSON.parse(try #require(Base64URL.decode(part)), limits: .event)
        return claims["ended"]?.arrayValue?.compactMap(\.stringValue) ?? []
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
        try writer.signOut(tokens, .session)
        clock.advance(by: .seconds(1))
        #expect(try ended(reader) == [tokens.session.text])
        // Also in a list of what ended since the list before.
        let since = (clock.now - .seconds(31)).seconds
        #expect(try ended(reader, since: since) == [tokens.session.text])
    }
}
