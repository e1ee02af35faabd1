import Synchronization

/// Requests that lose races for the same account.
@Suite("Contention") struct ContentionTests {
    private let clock = TestClock()
    private let store: FaultyStore

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    /// Runs another request before each of the next writes.
    private func precede(_ writes: Int, with other: @escaping @Sendable (Int) -> Void) {
        let state = Mutex((isOther: false, count: 0))
        store.setFate { call in
            guard case .write = call else { return .fine }
            let number = state.withLock { state -> Int? in
                guard !state.isOther, state.count < writes else { return nil }
                state = (true, state.count + 1)
                return state.count
            }
            guard let number else { return .fine }
            other(number)
            state.withLock { $0.isOther = false }
            return .fine
        }
    }

    /// An attacker who keeps signing in with a stolen sign-in method cannot prevent its removal.
    @Test func `a sign-in method is removed during sign-ins that change the account`() throws {
        let policy = Policy.passwords(.immediate).with { $0.accounts.followsProvider = true }
        let kit = try AuthKit(policy: policy, clock: clock, store: store)
        let tokens = try kit.session(of: "001")
        try kit.link("google", "ada", by: tokens)
        precede(30) { number in
            _ = try? kit.signIn("apple", "001", "\(number)@example.com")
        }
        _ = try kit.auth.removeMethod("google", kit.caller(tokens))
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.providers == ["apple"] && user.email == "30@example.com")
    }

    /// A few seconds at most, even if every pause is the longest, so that a function answers in
    /// time.
    @Test func `a request that loses every race fails with an error`() throws {
        let waited = Mutex(Span.zero)
        let kit = try AuthKit(
            policy: .passwords(.immediate), clock: clock, store: store,
            pause: { span in waited.withLock { $0 = $0 + span } })
        try kit.account()
        let email = try kit.email()
        // Each write meets another head of the chain.
        precede(.max) { _ in _ = try? kit.auth.forgotPassword(email, Caller()) }
        expectError(.unavailable(.contention)) { try kit.auth.forgotPassword(email, Caller()) }
        let total = waited.withLock(\.milliseconds)
        #expect(total > 500 && total <= 4_500, "\(total) ms")
    }
}
