import AuthTestSupport
import TestSupport

@Suite("ListSessions and RevokeSession") struct SessionListTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func bearer(_ tokens: SessionTokens) -> Caller {
        Caller(bearerText: tokens.access.reveal())
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
                .put(Item(key, template.attributes, expiresAt: template.expiresAt), when: [.absent])
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
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(other.access.reveal()) }
        expectError(.session(.notFound)) { try kit.revokeSession(other.session.text, bearer(mine)) }
        try kit.revokeSession(mine.session.text, bearer(mine))
        expectError(.accessToken(.sessionEnded)) { try kit.listSessions(bearer(mine)) }
        try expectEqual(kit.audit(of: mine.user.id).filter { $0 == "sessionRevoked" }.count, 2)
    }
}
