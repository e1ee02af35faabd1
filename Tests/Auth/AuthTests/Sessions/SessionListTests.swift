import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import TestSupport
import Testing
import Time

@Suite("ListSessions and RevokeSession") struct SessionListTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func bearer(_ tokens: SessionTokens) -> Caller {
        Caller(bearerText: tokens.access.reveal())
    }

    @Test func `the list has the user's own sessions, most recently used first`() throws {
        let first = try kit.session(Caller(address: "192.0.2.1", userAgent: "A"))
        kit.clock.advance(by: .seconds(1))
        let second = try kit.session(Caller(address: "192.0.2.2"))
        _ = try kit.session(of: "other")
        kit.clock.advance(by: .seconds(1))
        _ = try kit.refresh(first.refresh.reveal(), Caller())
        let list = try kit.listSessions(bearer(second))
        expectEqual(list.current, second.session)
        expectEqual(list.all.map(\.id), [first.session, second.session])
        #expect(list.all[0].origin.address == "192.0.2.1" && list.all[0].origin.userAgent == "A")
    }

    @Test func `an ended session is not listed`() throws {
        let (mine, ended) = (try kit.session(), try kit.session())
        try kit.revokeSession(ended.session.text, bearer(mine))
        try expectEqual(kit.listSessions(bearer(mine)).all.map(\.id), [mine.session])
        try kit.change(mine.user.id) { $0.epoch += 1 }
        let later = try kit.session()
        try expectEqual(kit.listSessions(bearer(later)).all.map(\.id), [later.session])
        kit.clock.advance(by: .days(30) - .minutes(5))
        let last = try kit.session()
        kit.clock.advance(by: .minutes(5))
        try expectEqual(kit.listSessions(bearer(last)).all.map(\.id), [last.session])
    }

    @Test func `the newest session is listed for a user with thousands`() throws {
        let first = try kit.session()
        let template = try #require(try kit.sessions(of: first.user.id).first)
        for _ in 0..<2100 {
            let id = SessionID(random: kit.auth.random)
            let key = StoreLayout.session(id, of: first.user.id)
            try kit.store.write([
                .put(
                    Item(key, template.attributes, expiresAt: template.expiresAt), when: [.absent])
            ])
        }
        kit.clock.advance(by: .minutes(1))
        for _ in 0..<5 {
            let newest = try kit.session()
            let list = try kit.listSessions(bearer(newest))
            expectEqual(list.all.count, ListSessions.listedMax)
            #expect(list.all.contains { $0.id == newest.session })
            kit.clock.advance(by: .seconds(1))
        }
    }

    @Test func `a user can revoke any of their sessions by id`() throws {
        let (mine, other) = (try kit.session(), try kit.session())
        try kit.revokeSession(other.session.text, bearer(mine))
        #expect(throws: AuthError.accessToken(.sessionEnded)) {
            try kit.authenticate(other.access.reveal())
        }
        #expect(throws: AuthError.session(.notFound)) {
            try kit.revokeSession(other.session.text, bearer(mine))
        }
        try kit.revokeSession(mine.session.text, bearer(mine))
        #expect(throws: AuthError.accessToken(.sessionEnded)) {
            try kit.listSessions(bearer(mine))
        }
        try expectEqual(kit.audit(of: mine.user.id).filter { $0 == "sessionRevoked" }.count, 2)
    }

    @Test func `another user's session is not found`() throws {
        let (ada, eve) = (try kit.session(of: "ada"), try kit.session(of: "eve"))
        #expect(throws: AuthError.session(.notFound)) {
            try kit.revokeSession(ada.session.text, bearer(eve))
        }
        #expect(throws: Never.self) { try kit.authenticate(ada.access.reveal()) }
        try expectEqual(kit.listSessions(bearer(eve)).all.map(\.id), [eve.session])
    }

    static let hostile = [
        "", "*", "..", "PROFILE", "../PROFILE", "SESSION#", "%2e%2e", "\u{0}",
        "00000000-0000-0000-0000-000000000000", String(repeating: "a", count: 100_000),
    ]

    @Test(arguments: hostile) func `an invalid id is not found`(id: String) throws {
        let mine = try kit.session()
        #expect(throws: AuthError.session(.notFound)) { try kit.revokeSession(id, bearer(mine)) }
        #expect(throws: Never.self) { try kit.authenticate(mine.access.reveal()) }
    }

    @Test func `without a valid bearer token nothing is listed or revoked`() throws {
        let mine = try kit.session()
        for bearer in [nil, "junk"] {
            let context = Caller(bearerText: bearer)
            #expect(throws: AuthError.self) { try kit.listSessions(context) }
            #expect(throws: AuthError.self) { try kit.revokeSession(mine.session.text, context) }
        }
        #expect(throws: Never.self) { try kit.authenticate(mine.access.reveal()) }
    }
}
