/// Facts about `news_app` that no fixture shows: rows of the store. The statements are in
/// `Tests/Seeds/news_app.md`.
@Suite("Contract news_app") struct NewsAppTests {
    let store: MemoryStore
    let kit: ContractKit

    init() throws {
        let clock = TestClock()
        store = MemoryStore(clock: clock.wall)
        kit = try ContractKit(.newsApp, store: store)
    }

    private func signIn(
        _ identity: FakeIdentity = FakeIdentity(), name: String = "null"
    ) -> Answer {
        let token = Hex.encode(kit.random.bytes(8))
        kit.fake.add(token, identity)
        return kit.http("POST", "/auth/apple", "{\"id_token\":\"\(token)\",\"full_name\":\(name)}")
    }

    @Test func `a name of news_app is one text of up to 255 characters`() {
        let long = String(repeating: "é", count: 300)
        let user = signIn(name: #""\#(long)""#)["user"]
        expectEqual(user?["full_name"]?.stringValue?.count, 255)
    }

    @Test func `the account keeps every field of the table users`() throws {
        let answer = signIn(name: #""Ada Lovelace""#)
        let item = try #require(try store.get(StoreLayout.publicID(1)))
        guard case .text(let text)? = item.attributes["user"] else { throw NoUser() }
        let id = try #require(UserID(parsing: text))
        let user = try UserRecord.user(try #require(try store.get(StoreLayout.profile(id))), id: id)
        #expect(user.publicID == 1 && user.subject(at: "apple") == "001")
        expectEqual(user.email, answer["user"]?["email"]?.stringValue)
        #expect(user.displayName == "Ada Lovelace" && !user.isAdmin && !user.isDisabled)
        #expect(user.createdAt == kit.clock.now && user.updatedAt == kit.clock.now)
    }

    private struct NoUser: Error {}
}
