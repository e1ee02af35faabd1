/// Notices to clients about the ends of sessions, when the clients do not accept them.
@Suite("Logout notices") struct LogoutNoticeTests {
    /// Clients, which answer as they are set to.
    private final class Receiver: Sendable {
        let answer = Mutex(LogoutAnswer.accepted)
        let sent = Mutex<[LogoutMessage]>([])
        let outcomes = Mutex<[LogoutOutcome]>([])

        var count: Int { sent.withLock(\.count) }

        func services() -> LogoutServices {
            LogoutServices { messages, _ in
                self.sent.withLock { $0 += messages }
                return messages.map { _ in self.answer.withLock { $0 } }
            } report: { outcome in
                self.outcomes.withLock { $0.append(outcome) }
            }
        }
    }

    private static let issuer = "https://auth.example.com"

    private func kit(_ receiver: Receiver) throws -> AuthKit {
        try AuthKit(
            policy: Policy.testing.with { $0.oauth = OAuthPolicy() },
            oauth: { keys in
                let client = try ClientMetadata([
                    "client_id": "shop", "redirect_uris": ["https://shop.example.com/back"],
                    "backchannel_logout_uri": "https://shop.example.com/ended",
                ]).configured(signingIDTokensWith: [.hs256])
                return OAuthServices(
                    issuer: Self.issuer, clients: [client], resources: [], defaultResource: nil,
                    registration: .off, documents: nil, idTokenKeys: [.hs256: keys],
                    accessTokenAlgorithm: .hs256, logout: receiver.services())
            })
    }

    /// A session in which the client has got an ID token.
    private func session(_ kit: AuthKit) throws -> SessionTokens {
        let tokens = try kit.session()
        let key = StoreLayout.session(tokens.session, of: tokens.user.id)
        let row = try #require(try kit.store.get(key))
        var session = try SessionRecord.session(row, id: tokens.session, user: tokens.user.id)
        session.notifies = ["shop"]
        try kit.store.write([.put(SessionRecord.item(session), when: [])])
        return tokens
    }

    private func housekeeping(_ kit: AuthKit) throws {
        _ = try kit.auth.housekeeping([.sendLogoutNotices], until: nil)
    }

    private func rows(_ kit: AuthKit) throws -> Int {
        try (0..<LogoutNotice.shards).reduce(0) {
            try $0 + kit.store.query(LogoutNotice.query(shard: $1, limit: 100)).items.count
        }
    }

    @Test func `a notice is repeated for an hour`() throws {
        let receiver = Receiver()
        receiver.answer.withLock { $0 = .failed }
        let kit = try kit(receiver)
        try kit.signOut(try session(kit), .session)
        #expect(receiver.count == 1)
        for _ in 0..<90 {
            kit.clock.advance(by: .minutes(1))
            try housekeeping(kit)
        }
        #expect((6...10).contains(receiver.count), "\(receiver.count)")
        #expect(receiver.outcomes.withLock { $0.last } == .dead(client: "shop"))
        #expect(try rows(kit) == 0)
    }

    @Test(arguments: [LogoutAnswer.accepted, .refused])
    func `a notice is not repeated after an answer that is final`(_ answer: LogoutAnswer) throws {
        let receiver = Receiver()
        receiver.answer.withLock { $0 = answer }
        let kit = try kit(receiver)
        try kit.signOut(try session(kit), .session)
        #expect(try receiver.count == 1 && rows(kit) == 0)
    }
}
