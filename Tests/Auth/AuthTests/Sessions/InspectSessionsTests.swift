@Suite("InspectSessions") struct InspectSessionsTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private var inspect: InspectSessions { kit.auth.inspectSessions }

    @Test func `a call that takes too long ends early, and the next call continues`() throws {
        for user in 0..<3 { _ = try kit.session(of: "user \(user)") }
        // Each look at the clock takes as long as a call may.
        let auth = AuthServices(
            store: kit.store,
            clock: WallClock { [clock = kit.clock] in
                clock.advance(by: InspectSessions.durationMax)
                return clock.now
            },
            random: kit.auth.random, policy: kit.auth.policy, issuer: kit.auth.issuer,
            signingKeys: kit.auth.signingKeys, OptionalServices())
        var (count, after, pages) = (0, String?.none, 0)
        repeat {
            let page = try auth.inspectSessions.page(limit: 100, after: after)
            #expect(page.sessions.count <= 1)
            count += page.sessions.count
            after = page.next
            pages += 1
        } while after != nil && pages < 100
        #expect(count == 3 && pages >= 3)
    }

    @Test func `rows that cannot be read are counted`() throws {
        let (first, other) = (try kit.session(of: "a"), try kit.session(of: "b"))
        let key = StoreLayout.session(SessionID(random: .system), of: first.user.id)
        try kit.store.write([.put(Item(key, ["generation": .text("x")]), when: [])])
        let page = try inspect.page(limit: 100, after: nil)
        expectEqual(page.unreadable, 1)
        expectEqual(Set(page.sessions.map(\.session.id)), [first.session, other.session])
    }
}
