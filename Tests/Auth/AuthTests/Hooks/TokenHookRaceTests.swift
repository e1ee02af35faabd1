/// A slow hook gives others time, and a failing one must not use a token up.
@Suite("Refreshes with claims of the application") struct TokenHookRaceTests {
    private let hooks = FakeHooks()
    private let kit: AuthKit

    init() throws {
        let policy = Policy.guests { $0.accessTokens.claims = .standard + .proof }
        kit = try AuthKit(policy: policy, hooks: hooks.services([.token]))
        hooks.answer(.token, #"{"claims":{"plan":"pro"}}"#)
    }

    private func refresh(_ tokens: SessionTokens) throws -> SessionTokens {
        try kit.refresh(tokens)
    }

    @Test func `a refresh that failed in the hook can be repeated at any time`() throws {
        let tokens = try kit.session()
        hooks.answer(.token, .failure(.timedOut))
        for _ in 0..<3 {
            expectError(.hook(.unavailable(.token))) { try refresh(tokens) }
            // Long after a replaced token would count as reused.
            kit.clock.advance(by: .minutes(10))
        }
        hooks.answer(.token, #"{"claims":{"plan":"free"}}"#)
        let next = try refresh(tokens)
        try expectEqual(TokenHookTests.claims(next.access)["plan"], "free")
    }

    @Test func `a reused token ends its session without a call`() throws {
        let tokens = try kit.session()
        _ = try refresh(tokens)
        kit.clock.advance(by: .minutes(10))
        hooks.forget()
        expectError(.refreshToken(.reusedPrevious)) { try refresh(tokens) }
        #expect(hooks.told.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a user who is disabled during the hook's call gets no token`(isRepeated: Bool) throws {
        let tokens = try kit.session()
        if isRepeated { _ = try refresh(tokens) }
        let user = try #require(try kit.user(tokens.user.id))
        let kit = kit
        hooks.onCall { try? kit.disable(user) }
        expectError(.account(.disabled)) { try refresh(tokens) }
    }

    @Test(arguments: [false, true])
    func `a session that ends during the hook's call gets no token`(isRepeated: Bool) throws {
        let tokens = try kit.session()
        if isRepeated { _ = try refresh(tokens) }
        let kit = kit
        let key = StoreLayout.session(tokens.session, of: tokens.user.id)
        hooks.onCall { try? kit.store.write([.delete(key, when: [])]) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(tokens) }
    }

    @Test func `a user who is disabled during the hook's call cannot step up`() throws {
        try kit.provenAccount()
        let tokens = try kit.logIn()
        let kit = kit
        let user = try #require(try kit.user(tokens.user.id))
        hooks.onCall { try? kit.disable(user) }
        let error = kit.error { _ = try kit.stepUp(.password(AuthKit.password), by: tokens) }
        #expect(error != nil)
        #expect(try !kit.audit(of: user.id).contains("steppedUp"))
    }

    @Test func `a lost race does not call the hook again`() throws {
        let tokens = try kit.session()
        let kit = kit
        hooks.forget()
        hooks.onCall { try? kit.change(tokens.user.id) { $0.displayName = "Ada" } }
        let next = try refresh(tokens)
        try expectEqual(TokenHookTests.claims(next.access)["plan"], "pro")
        expectEqual(hooks.told.count, 1)
    }
}
