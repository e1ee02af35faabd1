@Suite("Authenticate") struct AuthenticateTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore() }

    @Test func `a higher epoch invalidates all earlier tokens`() throws {
        let tokens = try kit.session()
        try kit.change(tokens.user.id) { $0.epoch += 1 }
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(tokens) }
        // A token with the new epoch does not revive a session of the old one.
        let user = try #require(try kit.user(tokens.user.id))
        let forged = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: user, session: tokens.session, boundTo: nil, at: kit.clock.now)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(forged.reveal()) }
    }

    @Test func `a token whose epoch or user differs from its session's is refused`() throws {
        let (tokens, eve) = (try kit.session(), try kit.session(of: "eve").user)
        let epochs = [Int64(-1), 1, .max].map { epoch in tokens.user.with { $0.epoch = epoch } }
        for user in epochs + [eve] {
            let other = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
                to: user, session: tokens.session, boundTo: nil, at: kit.clock.now)
            expectError(.accessToken(.sessionEnded)) { try kit.authenticate(other.reveal()) }
        }
    }

    @Test func `an unreadable row is an internal error`() throws {
        let tokens = try kit.session()
        for key in [
            StoreLayout.session(tokens.session, of: tokens.user.id),
            StoreLayout.profile(tokens.user.id),
        ] {
            let item = try #require(try store.get(key))
            try store.write([.put(Item(key, ["epoch": .text("0")]), when: [])])
            expectError(.fault(.storedDataUnreadable)) { try kit.authenticate(tokens) }
            try store.write([.put(item, when: [])])
        }
    }
}
