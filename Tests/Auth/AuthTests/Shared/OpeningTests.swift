import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Testing
import Time

@Suite("RateLimiter") struct RateLimiterTests {
    static let limits = [
        RateLimit(.signIn, per: .address, 3, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 2, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 1, in: .seconds(1)),
        RateLimit(.refresh, per: .address, 5, in: .hours(1)),
    ]
    let clock = TestClock(Instant(seconds: 1_700_000_040))  // the beginning of a minute
    let store: FaultyStore
    let limiter: RateLimiter

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        let policy = Policy.testing.with { $0.rateLimits = Self.limits }
        limiter = try AuthKit(policy: policy, clock: clock, store: store).limiter
    }

    private func refused(_ seconds: Int64) -> Problem { .rateLimited(retryAfterSeconds: seconds) }

    @Test func `a window takes what it may and refuses the rest until it ends`() throws {
        for _ in 0..<3 { try limiter.admit(.signIn, .address, "192.0.2.1") }
        #expect(throws: refused(60)) { try limiter.admit(.signIn, .address, "192.0.2.1") }
        clock.advance(by: .milliseconds(59_999))
        #expect(throws: refused(1)) { try limiter.admit(.signIn, .address, "192.0.2.1") }
        clock.advance(by: .milliseconds(1))
        try limiter.admit(.signIn, .address, "192.0.2.1")
    }

    @Test func `whoever waits as long as told is let in`() throws {
        for offset in [Int64(0), 1, 999, 1000, 1001, 30_000, 58_999, 59_000, 59_001, 59_999] {
            let clock = TestClock(Instant(seconds: 1_700_000_040) + .milliseconds(offset))
            let policy = Policy.testing.with { $0.rateLimits = Self.limits }
            let limiter = try AuthKit(policy: policy, clock: clock).limiter
            for _ in 0..<3 { try limiter.admit(.signIn, .address, "192.0.2.1") }
            do throws(Problem) {
                try limiter.admit(.signIn, .address, "192.0.2.1")
                Issue.record("not limited")
            } catch {
                guard case .rateLimited(let seconds) = error else { throw error }
                #expect((1...60).contains(seconds))
                clock.advance(by: .seconds(seconds))
                try limiter.admit(.signIn, .address, "192.0.2.1")
            }
        }
    }

    @Test func `addresses, accounts and actions are counted apart`() throws {
        for _ in 0..<3 { try limiter.admit(.signIn, .address, "192.0.2.1") }
        try limiter.admit(.signIn, .address, "192.0.2.2")
        try limiter.admit(.refresh, .address, "192.0.2.1")
        // An account that is called like an address.
        for _ in 0..<2 { try limiter.admit(.signIn, .account, "192.0.2.1") }
        #expect(throws: refused(60)) { try limiter.admit(.signIn, .account, "192.0.2.1") }
        try limiter.admit(.signIn, .account, "other")
    }

    @Test func `every limit of an action holds`() throws {
        for _ in 0..<5 {
            try limiter.admit(.refresh, .address, "192.0.2.1")
            #expect(throws: refused(1)) { try limiter.admit(.refresh, .address, "192.0.2.1") }
            clock.advance(by: .seconds(1))
        }
        #expect(throws: Problem.self) { try limiter.admit(.refresh, .address, "192.0.2.1") }
    }

    @Test func `what has no limit or no address is not counted`() throws {
        store.forgetCalls()
        for _ in 0..<100 {
            try limiter.admit(.signOut, .address, "192.0.2.1")
            try limiter.admit(.signIn, .address, nil)
        }
        #expect(store.calls.isEmpty)
    }

    @Test func `a household of IPv6 is one caller, and its neighbour another`() throws {
        for host in 0..<3 { try limiter.admit(.signIn, .address, "2001:db8:0:1::\(host)") }
        #expect(throws: refused(60)) {
            try limiter.admit(.signIn, .address, "2001:0DB8:0000:0001:ffff:ffff:ffff:ffff")
        }
        try limiter.admit(.signIn, .address, "2001:db8:0:2::1")
    }

    @Test func `a counter outlives its window and no more`() throws {
        try limiter.admit(.signIn, .address, "192.0.2.1")
        guard case .increment(let key)? = store.calls.last else {
            Issue.record("not counted")
            return
        }
        clock.advance(by: .minutes(1) + .milliseconds(59_999))
        #expect(try store.get(key) != nil)
        clock.advance(by: .milliseconds(1))
        #expect(try store.get(key) == nil)
    }

    /// ASVS 16.5.3: what cannot be counted is not let through.
    @Test func `a store that fails is an outage`() {
        store.goDown()
        #expect(throws: Problem.unavailable(.store)) {
            try limiter.admit(.signIn, .address, "192.0.2.1")
        }
    }
}

extension Span {
    static func + (left: Span, right: Span) -> Span {
        Span(milliseconds: left.milliseconds + right.milliseconds)
    }
}

@Suite("NetworkPrefix") struct NetworkPrefixTests {
    static let rows: [(String, String)] = [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:DB8:0:0:1:2:3:4", "2001:db8:0:0::/64"),
        ("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8:0:0::/64"),
        ("2001:db8:1::", "2001:db8:1:0::/64"), ("1:2:3:4:5:6:7::", "1:2:3:4::/64"),
        ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
        ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"), ("64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"),
        // Dual-stack proxies write IPv4 like this: not one network for the whole internet.
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"),
        ("0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"),
        // What is no address stands for itself.
        ("1.2.3.4:5678", "1.2.3.4:5678"), (":::", ":::"), ("1::2::3", "1::2::3"), (":1", ":1"),
        ("1:", "1:"), ("1:2:3", "1:2:3"), ("12345::", "12345::"), ("g::", "g::"),
        ("1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:9"), ("1:2:3:4:5:6:7:8::", "1:2:3:4:5:6:7:8::"),
        ("::1.2.3", "::1.2.3"), ("::256.1.1.1", "::256.1.1.1"), ("::1.2.3.4:5", "::1.2.3.4:5"),
        ("::+1", "::+1"), ("::-1", "::-1"), ("", ""), (":", ":"), ("::%", "0:0:0:0::/64"),
    ]

    @Test(arguments: rows) func `an address is counted by its network`(
        address: String, network: String
    ) {
        #expect(NetworkPrefix(of: address).text == network)
    }
}
