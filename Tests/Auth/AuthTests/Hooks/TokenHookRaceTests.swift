/// A slow hook gives others time, and a failing one must not use a token up.
@Suite("Refreshes with claims of the application") struct TokenHookRaceTests {
    private let hooks = FakeHooks()
    private let kit: AuthKit

    init() throws {
        let policy = Policy.guests { $0.accessTokens.claims = .standard + .proof }
        kit = try AuthKit(policy: policy, hooks: hooks.services([.token]))
        hooks.answer(.token, #"{"claims":{"plan":"pro"}}"#)
    }

    @Test func `a refresh that failed in the hook can be repeated at any time`() throws {
        let tokens = try kit.session()
        hooks.answer(.token, .failure(.timedOut))
        for _ in 0..<3 {
            expectError(.hook(.unavailable(.token))) { try kit.refresh(tokens) }
            // Long after a replaced token would count as reused.
            kit.clock.advance(by: .minutes(10))
        }
        hooks.answer(.token, #"{"claims":{"plan":"free"}}"#)
        let next = try kit.refresh(tokens)
        try expectEqual(TokenHookTests.claims(next.access)["plan"], "free")
    }

    @Test func `a reused token ends its session without a call`() throws {
        let tokens = try kit.session()
        _ = try kit.refresh(tokens)
        kit.clock.advance(by: .minutes(10))
        hooks.forget()
        expectError(.refreshToken(.reusedPrevious)) { try kit.refresh(tokens) }
        #expect(hooks.told.isEmpty)
    }

    @Test func `a lost race does not call the hook again`() throws {
        let tokens = try kit.session()
        let kit = kit
        hooks.forget()
        hooks.onCall { try? kit.change(tokens.user.id) { $0.displayName = "Ada" } }
        let next = try kit.refresh(tokens)
        try expectEqual(TokenHookTests.claims(next.access)["plan"], "pro")
        expectEqual(hooks.told.count, 1)
    }
}
