extension AuthKit {
    static func withFaultyStore(_ policy: Policy = .testing) throws -> (AuthKit, FaultyStore) {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        return (try AuthKit(policy: policy, clock: clock, store: store), store)
    }

    static func withCountingStore(_ policy: Policy) throws -> (AuthKit, CountingStore) {
        let clock = TestClock()
        let store = CountingStore(MemoryStore(clock: clock.wall))
        return (try AuthKit(policy: policy, clock: clock, store: store), store)
    }
}
