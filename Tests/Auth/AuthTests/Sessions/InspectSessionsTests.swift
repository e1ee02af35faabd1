import AuthTestSupport
import TestSupport

@Suite("InspectSessions") struct InspectSessionsTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private var inspect: InspectSessions { kit.auth.inspectSessions }

    private func onlyOne() throws -> InspectedSession {
        let page = try inspect.page(limit: 100, after: nil)
        #expect(page.sessions.count == 1 && page.unreadable == 0 && page.next == nil)
        return try #require(page.sessions.first)
    }

    /// Sessions begin and end between two calls. Those that exist throughout are neither skipped
    /// nor repeated.
    @Test(arguments: [1, 2, 3, 100] as [Int64])
    func `every session is on one page`(limit: Int64) throws {
        var expected: Set<SessionID> = []
        for user in 0..<5 {
            for _ in 0..<user { expected.insert(try kit.session(of: "user \(user)").session) }
        }
        // Other rows whose partitions begin as those of users do.
        let dummy = StoreLayout.dummyRow(for: StoreLayout.profile(UserID(random: .system)))
        try kit.store.write([.put(Item(dummy, [:]), when: [])])
        var found: [SessionID] = []
        var after: String?
        var pages = 0
        repeat {
            let page = try inspect.page(limit: limit, after: after)
            #expect(page.sessions.count <= limit && page.unreadable == 0)
            found += page.sessions.map(\.session.id)
            after = page.next
            pages += 1
        } while after != nil && pages < 100
        expectEqual(after, nil)
        #expect(found.count == expected.count && Set(found) == expected)
    }

    @Test func `a long call ends early, with the position of the next call`() throws {
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

    @Test func `a session that ended with its account is listed with the reason`() throws {
        let user = try kit.session().user.id
        expectEqual(try onlyOne().end, nil)
        try kit.change(user) { $0.isDisabled = true }
        expectEqual(try onlyOne().end, .accountDisabled)
        try kit.change(user) { $0.epoch += 1 }
        expectEqual(try onlyOne().end, .signedOutEverywhere)
    }

    /// The same decision as in a refresh, which the inspection does not perform.
    @Test func `a refresh token is explained without an effect`() throws {
        let first = try kit.session()
        let old = first.refresh.reveal()
        expectEqual(try inspect.token(old)?.use, .advance)
        expectEqual(try onlyOne().graceLeft, nil)
        let second = try kit.refresh(old, Caller())
        expectEqual(try inspect.token(old)?.use, .repeatSuccessor)
        kit.clock.advance(by: .seconds(20))
        expectEqual(try onlyOne().graceLeft, .seconds(40))
        kit.clock.advance(by: .seconds(40))
        expectEqual(try inspect.token(old)?.use, .reuse(.previous))
        expectEqual(try onlyOne().graceLeft, .zero)
        let third = try kit.refresh(second)
        expectEqual(try inspect.token(old)?.use, .reuse(.older))
        expectEqual(try inspect.token(third.refresh.reveal())?.use, .advance)
        expectEqual(try onlyOne().session.generation, 2)

        expectEqual(try inspect.session(first.session, of: first.user.id)?.end, nil)
        try kit.revokeSession(first.session.text, Caller(bearerText: third.access.reveal()))
        let ended = try #require(try inspect.token(old))
        #expect(ended.session == nil && ended.use == nil)
        #expect(try inspect.session(first.session, of: first.user.id) == nil)
    }
}
