import AuthTestSupport
import TestSupport

@Suite("Authenticate") struct AuthenticateTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    @Test func `authentication reads session and user in one call`() throws {
        let tokens = try kit.session()
        store.forgetCalls()
        let principal = try kit.authenticate(tokens.access.reveal())
        #expect(principal.user.id == tokens.user.id && principal.session.id == tokens.session)
        expectEqual(store.calls.count, 1)
    }

    @Test func `a higher epoch invalidates all earlier tokens`() throws {
        let tokens = try kit.session()
        try kit.change(tokens.user.id) { $0.epoch += 1 }
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(tokens.access.reveal()) }
        // A token with the new epoch does not revive a session of the old one.
        let user = try #require(try kit.user(tokens.user.id))
        let forged = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: user, session: tokens.session, boundTo: nil, at: clock.now)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(forged.reveal()) }
    }

    @Test func `a token whose epoch differs from its session's is refused`() throws {
        let tokens = try kit.session()
        for epoch in [Int64(-1), 1, .max] {
            var user = tokens.user
            user.epoch = epoch
            let other = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
                to: user, session: tokens.session, boundTo: nil, at: clock.now)
            expectError(.accessToken(.sessionEnded)) { try kit.authenticate(other.reveal()) }
        }
    }

    @Test func `a session that was idle for too long has ended, even with a new token`() throws {
        let tokens = try kit.session()
        clock.advance(by: .days(30))
        let user = try #require(try kit.user(tokens.user.id))
        let young = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: user, session: tokens.session, boundTo: nil, at: clock.now)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(young.reveal()) }
    }

    /// An invalid token makes a client drop its session; an outage must not.
    @Test func `a failing store is an outage, not an invalid token`() throws {
        let tokens = try kit.session()
        store.goDown()
        expectError(.unavailable(.store)) { try kit.authenticate(tokens.access.reveal()) }
        store.comeBack()
        #expect(throws: Never.self) { try kit.authenticate(tokens.access.reveal()) }
    }

    @Test func `an unreadable row is an internal error`() throws {
        let tokens = try kit.session()
        for key in [
            StoreLayout.session(tokens.session, of: tokens.user.id),
            StoreLayout.profile(tokens.user.id),
        ] {
            let item = try #require(try store.get(key))
            try store.write([.put(Item(key, ["epoch": .text("0")]), when: [])])
            expectError(.fault(.storedDataUnreadable)) {
                try kit.authenticate(tokens.access.reveal())
            }
            try store.write([.put(item, when: [])])
        }
    }

    @Test func `a token whose user differs from its session's is refused`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        let mixed = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: eve.user, session: ada.session, boundTo: nil, at: clock.now)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(mixed.reveal()) }
    }
}
