/// Measures how often a request is refused because of concurrent requests for the same account.
/// Store calls take as long as DynamoDB's, in simulated time; each seed gives another order of
/// events.
@Suite("Contention") struct ContentionTests {
    private static let seeds: Range<UInt64> = 0..<50
    private static let requests = 24

    private final class Outcomes: Sendable {
        private let errors = Mutex<[AuthError?]>([])
        var all: [AuthError?] { errors.withLock { $0 } }
        var lost: Int { all.count { $0 != nil } }

        func note(_ error: AuthError?) { errors.withLock { $0.append(error) } }
    }

    private func kit(_ seed: UInt64) throws -> (AuthKit, TimedStore) {
        let clock = TestClock()
        let store = TimedStore(MemoryStore(clock: clock.wall), seed: seed)
        let policy = Policy.passwords(.immediate).with { $0.accounts.followsProvider = true }
        let kit = try AuthKit(
            policy: policy, clock: clock, store: store, seed: seed,
            pause: { Interleaving.spend($0) })
        return (kit, store)
    }

    /// None of 1,200 requests is refused, although each competes with 23 others.
    @Test func `simultaneous requests for a reset link are all answered`() throws {
        let outcomes = Outcomes()
        var conflicts = 0
        for seed in Self.seeds {
            let (kit, store) = try kit(seed)
            try kit.account()
            let email = try kit.email()
            let request: @Sendable () -> Void = {
                outcomes.note(kit.error { try kit.auth.forgotPassword(email, Caller()) })
            }
            Interleaving.perform(Array(repeating: request, count: Self.requests))
            conflicts += store.conflicts
        }
        expectEqual(outcomes.all.count, Self.requests * Self.seeds.count)
        expectEqual(outcomes.lost, 0)
        // Without conflicts, the simulation would test nothing.
        #expect(conflicts > outcomes.all.count)
    }

    /// An attacker who keeps signing in with a stolen sign-in method cannot prevent its removal.
    @Test func `a sign-in method is removed during sign-ins that change the account`() throws {
        let (removals, signIns) = (Outcomes(), Outcomes())
        var conflicts = 0
        for seed in Self.seeds {
            let (kit, store) = try kit(seed)
            let tokens = try kit.session(of: "001")
            try kit.link("google", "ada", by: tokens)
            let thieves: [@Sendable () -> Void] = (0..<3).map { thief in
                {
                    for index in 0..<10 {
                        let email = "\(thief).\(index)@example.com"
                        signIns.note(kit.error { _ = try kit.signIn("apple", "001", email) })
                    }
                }
            }
            Interleaving.perform(
                thieves + [
                    {
                        removals.note(
                            kit.error {
                                _ = try kit.auth.removeMethod("google", kit.caller(tokens))
                            })
                    }
                ])
            conflicts += store.conflicts
            try expectEqual(kit.user(tokens.user.id)?.providers, ["apple"])
        }
        #expect(removals.all.count == Self.seeds.count && removals.lost == 0)
        expectEqual(signIns.lost, 0)
        #expect(conflicts > Self.seeds.count)
    }

    /// A few seconds at most, even if every pause is the longest, so that a function answers in
    /// time.
    @Test func `a request that loses every race fails with an error`() throws {
        let waited = Mutex(Span.zero)
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try AuthKit(
            policy: .passwords(.immediate), clock: clock, store: store,
            pause: { span in
                clock.advance(by: span)
                waited.withLock { $0 = Span(milliseconds: $0.milliseconds + span.milliseconds) }
            })
        try kit.account()
        // Each write meets another head of the chain.
        let isOther = Mutex(false)
        store.setFate { call in
            guard case .write = call, isOther.withLock({ !$0 }) else { return .fine }
            isOther.withLock { $0 = true }
            _ = try? kit.auth.forgotPassword(EmailAddress(parsing: "ada@example.com")!, Caller())
            isOther.withLock { $0 = false }
            return .fine
        }
        expectError(.unavailable(.contention)) {
            try kit.auth.forgotPassword(try kit.email(), Caller())
        }
        let total = waited.withLock(\.milliseconds)
        #expect(total > 500 && total <= 4_500, "\(total) ms")
    }
}

/// Each call takes some milliseconds before and after the store sees it.
private final class TimedStore: KeyValueStore {
    private let inner: any KeyValueStore
    private let state: Mutex<(random: SplitMix64, conflicts: Int)>

    init(_ inner: any KeyValueStore, seed: UInt64) {
        self.inner = inner
        state = Mutex((SplitMix64(seed: seed), 0))
    }

    /// Writes whose conditions failed.
    var conflicts: Int { state.withLock(\.conflicts) }

    private func travel(_ milliseconds: ClosedRange<UInt64>) {
        let span = state.withLock { state in
            milliseconds.lowerBound
                + state.random.next(below: milliseconds.upperBound - milliseconds.lowerBound + 1)
        }
        Interleaving.spend(.milliseconds(Int64(span)))
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        travel(1...4)
        defer { travel(1...4) }
        return try inner.read(keys, counting: counters, listing: query)
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        travel(1...4)
        defer { travel(1...4) }
        return try inner.query(query)
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        travel(3...8)
        defer { travel(3...8) }
        do throws(StoreFailure) {
            try inner.write(writes)
        } catch {
            if error == .conditionFailed { state.withLock { $0.conflicts += 1 } }
            throw error
        }
    }
}
