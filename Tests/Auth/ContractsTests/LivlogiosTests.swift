/// Facts about `livlogios` that no fixture shows: rows of the store. The statements are in
/// `Tests/Seeds/livlogios.md`.
@Suite("Contract livlogios") struct LivlogiosTests {
    let store: MemoryStore
    let kit: ContractKit

    init() throws {
        let clock = TestClock()
        store = MemoryStore(clock: clock.wall)
        kit = try ContractKit(.livlogios, store: store)
    }

    private func signIn(
        _ identity: FakeIdentity = FakeIdentity(), name: String = "null"
    ) -> Answer {
        let token = Hex.encode(kit.random.bytes(8))
        kit.fake.add(token, identity)
        return kit.http(
            "POST", "/api/v1/auth/apple", "{\"identityToken\":\"\(token)\",\"fullName\":\(name)}")
    }

    @Test func `a refresh token of livlogios is 256 bits in base64url, kept as its hash`() throws {
        let token = try #require(signIn()["refreshToken"]?.stringValue)
        #expect(token.utf8.count == 43 && Base64URL.decode(token)?.count == 32)
        let row = try #require(
            try store.get(StoreLayout.refreshToken(hash: SHA256.hash(Array(token.utf8)))))
        let place = try RefreshTokenRecord.place(row)
        expectEqual(place.generation, 0)
        expectEqual(row.expiresAt, kit.clock.now + .days(30))
        #expect(!row.attributes.values.contains(.text(token)))
    }

    @Test func `the account and the session keep every field of the seed's tables`() throws {
        let answer = signIn(name: #"{"givenName":"John","familyName":"Doe"}"#)
        let id = try #require(UserID(parsing: answer["user"]?["id"]?.stringValue ?? ""))
        let user = try UserRecord.user(try #require(try store.get(StoreLayout.profile(id))), id: id)
        #expect(user.email == answer["user"]?["email"]?.stringValue && user.isEmailVerified)
        #expect(user.displayName == "John Doe" && user.deletedAt == nil)
        #expect(user.createdAt == kit.clock.now && user.updatedAt == kit.clock.now)
        let identity = try #require(user.identities.first)
        #expect(identity.provider == "apple" && user.identities.count == 1)
        let owner = StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        try expectEqual(store.get(owner)?.attributes["user"], .text(id.text))
        let claim = StoreLayout.emailClaim(try #require(user.emailAddress))
        try expectEqual(store.get(claim)?.attributes["user"], .text(id.text))
        let sessions = try store.query(
            PartitionQuery(
                StoreLayout.profile(id).partition, prefix: StoreLayout.sessionPrefix, limit: 10))
        let row = try #require(sessions.items.first)
        let session = try SessionRecord.session(
            row, id: try #require(SessionRecord.id(of: row)), user: id)
        #expect(session.createdAt == kit.clock.now && session.origin.userAgent == "Test")
        expectEqual(session.expiresAt, kit.clock.now + .days(30))
    }

    @Test func `a known account keeps its address, its claim and its name`() throws {
        func identity(_ email: String) -> FakeIdentity { FakeIdentity { $0.email = email } }
        let first = signIn(identity("first@example.com"), name: #"{"givenName":"John"}"#)
        let again = signIn(identity("second@example.com"), name: #"{"givenName":"Mallory"}"#)
        expectEqual(again["user"], first["user"])
        let second = try #require(EmailAddress(parsing: "second@example.com"))
        try expectEqual(store.get(StoreLayout.emailClaim(second)), nil)
    }
}
