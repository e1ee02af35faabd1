@Suite("ListSessions and RevokeSession") struct SessionListTests {
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func bearer(_ tokens: SessionTokens) -> Caller {
        Caller(bearerText: tokens.access.reveal())
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
}
