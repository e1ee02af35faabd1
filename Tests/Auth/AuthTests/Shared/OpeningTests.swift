@Suite("Opening and rate limits") struct OpeningTests {
    static let limits = [
        RateLimit(.signIn, per: .address, 3, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 2, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 1, in: .seconds(1)),
        RateLimit(.refresh, per: .address, 5, in: .hours(1)),
    ]
    let clock = TestClock(Instant(seconds: 1_700_000_040))  // the beginning of a minute
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try Self.kit(clock, store)
    }

    private static func kit(_ clock: TestClock, _ store: any KeyValueStore) throws -> AuthKit {
        try AuthKit(policy: .testing.with { $0.limits = limits }, clock: clock, store: store)
    }

    private func admit(
        _ operation: AuthOperation, _ subject: RateLimit.Subject, _ identifier: String?
    ) throws(AuthError) {
        try kit.auth.open(operation, counting: [(subject, identifier)]).admit()
    }

    private func limited(_ seconds: Int64) -> AuthError {
        .rateLimited(retryAfterSeconds: seconds)
    }

    @Test func `a window allows its maximum and refuses the rest until it ends`() throws {
        for _ in 0..<3 { try admit(.signIn, .address, "192.0.2.1") }
        #expect(throws: limited(60)) { try admit(.signIn, .address, "192.0.2.1") }
        clock.advance(by: .milliseconds(59_999))
        #expect(throws: limited(1)) { try admit(.signIn, .address, "192.0.2.1") }
        clock.advance(by: .milliseconds(1))
        try admit(.signIn, .address, "192.0.2.1")
    }

    @Test func `a client that waits as long as requested is allowed`() throws {
        for offset in [Int64(0), 1, 999, 1000, 1001, 30_000, 58_999, 59_000, 59_001, 59_999] {
            let clock = TestClock(Instant(seconds: 1_700_000_040) + .milliseconds(offset))
            let auth = try Self.kit(clock, MemoryStore(clock: clock.wall)).auth
            func admit() throws(AuthError) {
                try auth.open(.signIn, counting: [(.address, "192.0.2.1")]).admit()
            }
            for _ in 0..<3 { try admit() }
            do throws(AuthError) {
                try admit()
                Issue.record("not limited")
            } catch {
                guard case .rateLimited(let seconds) = error else { throw error }
                #expect((1...60).contains(seconds))
                clock.advance(by: .seconds(seconds))
                try admit()
            }
        }
    }

    @Test func `addresses, accounts and operations are counted separately`() throws {
        for _ in 0..<3 { try admit(.signIn, .address, "192.0.2.1") }
        try admit(.signIn, .address, "192.0.2.2")
        try admit(.refresh, .address, "192.0.2.1")
        // An account whose id looks like an address.
        for _ in 0..<2 { try admit(.signIn, .account, "192.0.2.1") }
        #expect(throws: limited(60)) { try admit(.signIn, .account, "192.0.2.1") }
        try admit(.signIn, .account, "other")
    }

    @Test func `all limits of an operation apply, and the longest wait is reported`() throws {
        for _ in 0..<5 {
            try admit(.refresh, .address, "192.0.2.1")
            clock.advance(by: .seconds(1))
        }
        // A new second, but the limit per hour is reached.
        do throws(AuthError) {
            try admit(.refresh, .address, "192.0.2.1")
            Issue.record("not limited")
        } catch {
            guard case .rateLimited(let seconds) = error else { throw error }
            #expect(seconds > 60)
        }
        try admit(.refresh, .address, "192.0.2.2")
        #expect(throws: limited(1)) { try admit(.refresh, .address, "192.0.2.2") }
    }

    @Test func `without a limit or an identifier nothing is counted or read`() throws {
        for _ in 0..<100 {
            try admit(.signOut, .address, "192.0.2.1")
            try admit(.signIn, .address, nil)
        }
        #expect(store.calls.isEmpty)
    }

    @Test func `counting and reading are one store call, with items by key`() throws {
        let keys = ["a", "b", "c"].map { ItemKey("p", $0) }
        try store.write([.put(Item(keys[1], ["v": .integer(2)]), when: [])])
        store.forgetCalls()
        let opening = try kit.auth.open(
            .signIn, counting: [(.address, "192.0.2.1"), (.account, "ada")], reading: keys)
        expectEqual(keys.map { opening.items[$0]?.key.sort }, [nil, "b", nil])
        #expect(opening.items.contains(keys[0]) && !opening.items.contains(ItemKey("p", "d")))
        expectEqual(store.calls.count, 1)
    }

    /// "Absent" would mean "free" or "not revoked" to the operation.
    @Test func `accessing a key that was not read stops the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = ReadItems([ItemKey("p", "a")], [nil])[ItemKey("p", "b")]
        }
    }

    /// The operation decides when to refuse: a reused refresh token is handled first.
    @Test func `an exceeded limit still returns what was read`() throws {
        let key = ItemKey("p", "a")
        try store.write([.put(Item(key, ["v": .integer(2)]), when: [])])
        for _ in 0..<3 { try admit(.signIn, .address, "192.0.2.1") }
        let opening = try kit.auth.open(
            .signIn, counting: [(.address, "192.0.2.1")], reading: [key])
        expectEqual(opening.items[key]?.key, key)
        #expect(throws: limited(60)) { try opening.admit() }
    }

    @Test func `an IPv6 network of 64 bits counts as one address`() throws {
        for host in 0..<3 { try admit(.signIn, .address, "2001:db8:0:1::\(host)") }
        #expect(throws: limited(60)) {
            try admit(.signIn, .address, "2001:0DB8:0000:0001:ffff:ffff:ffff:ffff")
        }
        try admit(.signIn, .address, "2001:db8:0:2::1")
    }

    @Test func `a counter is kept for a minute after its window`() throws {
        try admit(.signIn, .address, "192.0.2.1")
        guard case .increment(let key)? = store.calls.last else {
            Issue.record("not counted")
            return
        }
        clock.advance(by: .minutes(1) + .milliseconds(59_999))
        #expect(try store.get(key) != nil)
        clock.advance(by: .milliseconds(1))
        try expectEqual(store.get(key), nil)
    }

    /// ASVS 16.5.3: a request that cannot be counted is refused.
    @Test func `a failing store is an outage`() {
        store.goDown()
        expectError(.unavailable(.store)) { try admit(.signIn, .address, "192.0.2.1") }
    }
}

@Suite("RateLimitWindow") struct RateLimitWindowTests {
    private let limit = RateLimit(.signIn, per: .address, 3, in: .minutes(1))

    @Test func `a window begins and ends at multiples of its length`() {
        let start = Instant(seconds: 1_700_000_040)
        for after in [Int64(0), 1, 59_999] {
            let window = RateLimitWindow(limit, at: start + .milliseconds(after))
            expectEqual(window.number, 28_333_334)
            expectEqual(window.endsAt, start + .minutes(1))
        }
        expectEqual(RateLimitWindow(limit, at: start + .minutes(1)).number, 28_333_335)
    }

    @Test func `the wait is rounded up, and never beyond the end of the next window`() {
        let start = Instant(seconds: 1_700_000_040)
        let rows: [(Int64, Int64)] = [(0, 60), (1, 60), (1000, 59), (59_000, 1), (59_999, 1)]
        for (after, seconds) in rows {
            let now = start + .milliseconds(after)
            expectEqual(RateLimitWindow(limit, at: now).retryAfterSeconds(at: now), seconds)
        }
    }

    @Test func `addresses are counted by network, other texts as a whole`() {
        let window = RateLimitWindow(limit, at: Instant(seconds: 0))
        expectEqual(window.counted("2001:db8::1"), window.counted("2001:db8::2"))
        for subject in RateLimit.Subject.allCases where subject != .address {
            let limit = RateLimit(.signIn, per: subject, 3, in: .minutes(1))
            let window = RateLimitWindow(limit, at: Instant(seconds: 0))
            expectEqual(window.counted("2001:db8::1"), "2001:db8::1")
        }
    }

    @Test func `a count inside of another row starts at one in each window`() {
        var count = RequestCount(window: 0, count: 0)
        let start = Instant(seconds: 1_700_000_040)
        for expected in Int64(1)...3 {
            count = count.adding(at: start + .seconds(expected), window: .minutes(1))
            expectEqual(count.count, expected)
        }
        expectEqual(count.adding(at: start + .minutes(1), window: .minutes(1)).count, 1)
        // A machine whose clock is behind does not restart the window.
        expectEqual(count.adding(at: start - .milliseconds(1), window: .minutes(1)).count, 4)
    }
}

extension Span {
    static func + (left: Span, right: Span) -> Span {
        Span(milliseconds: left.milliseconds + right.milliseconds)
    }
}
