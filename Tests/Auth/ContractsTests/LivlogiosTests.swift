import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Contracts
import Cryptography
import FunctionRuntime
import JSON
import KeyValueStore
import TestSupport
import Testing
import Time

/// Facts about `livlogios` that no fixture shows: forms, numbers, rows of the store. The statements
/// are in `Tests/Seeds/livlogios.md`.
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

    private func refresh(_ token: JSON?) -> Answer {
        kit.http(
            "POST", "/api/v1/auth/refresh",
            "{\"refreshToken\":\"\(token?.stringValue ?? "")\"}")
    }

    @Test func `livlogios has the routes of its seed`() {
        let routes = Contract.livlogios.endpoints.compactMap(\.route)
            .map { "\($0.method) \($0.path)" }
        #expect(
            Set(routes).isSuperset(of: [
                "POST /api/v1/auth/apple", "POST /api/v1/auth/refresh",
                "POST /api/v1/auth/logout", "GET /api/v1/auth/me",
            ]))
        #expect(routes.allSatisfy { $0.contains(" /api/v1/auth/") })
    }

    @Test func `livlogios has the lifetimes, the algorithm and the limits of its seed`() {
        let policy = Contract.livlogios.policy
        expectEqual(policy.accessTokens.lifetime, .seconds(3600))
        expectEqual(policy.accessTokens.algorithm, .rs256)
        expectEqual(policy.sessions.idleLifetime, .days(30))
        #expect(policy.identity.nonce == .none && policy.accounts.claimsEmail)
        #expect(Contract.livlogios.rules.requiresHTTPS)
        let rows: [(AuthOperation, Int64)] = [(.signIn, 10), (.refresh, 30), (.signOut, 10)]
        for (operation, requests) in rows {
            let limits = policy.limits.filter { $0.operation == operation }
            #expect(limits.contains { $0.subject == .address })
            #expect(limits.allSatisfy { $0.requestsMax == requests && $0.window == .minutes(1) })
        }
    }

    @Test func `an access token of livlogios has the header and the claims of its seed`() throws {
        let answer = signIn()
        let parts = try #require(answer["accessToken"]?.stringValue).split(separator: ".")
        func object(_ part: Int) throws -> JSONObject {
            let bytes = try #require(Base64URL.decode(parts[part]))
            return try #require(try JSON.parse(bytes, limits: .request).objectValue)
        }
        // The kit signs with HS256.
        try expectEqual(object(0).members.map(\.name), ["alg", "kid", "typ"])
        try expectEqual(object(0)["typ"], "JWT")
        let claims = try object(1)
        expectEqual(
            claims.members.map(\.name),
            ["sub", "email", "iat", "exp", "iss", "aud", "sid", "epoch"])
        #expect(claims["sub"] == answer["user"]?["id"] && claims["aud"] == "livlogios-ios")
        let iat = try #require(claims["iat"]?.int64Value)
        expectEqual(claims["exp"]?.int64Value, iat + 3600)
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

    @Test func `each use of a refresh token starts its thirty days anew`() {
        var token = signIn()["refreshToken"]
        for _ in 0..<3 {
            kit.clock.advance(by: .days(29))
            let answer = refresh(token)
            expectEqual(answer.status, 200)
            token = answer["refreshToken"]
        }
        kit.clock.advance(by: .days(30))
        expectEqual(refresh(token).code, "INVALID_REFRESH_TOKEN")
    }

    @Test func `the account and the session keep every field of the seed's tables`() throws {
        let answer = signIn(name: #"{"givenName":"John","familyName":"Doe"}"#)
        let id = try #require(
            UserID(parsing: answer["user"]?["id"]?.stringValue ?? ""))
        let user = try UserRecord.user(
            try #require(try store.get(StoreLayout.profile(id))), id: id)
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

    @Test func `instants of livlogios have whole seconds`() {
        let user = signIn()["user"]
        expectEqual(user?["createdAt"], "2023-11-14T22:13:20Z")
    }

    @Test func `a logout counts once, and ends both of its tokens' sessions`() {
        let (one, other) = (signIn(), signIn())
        let body = "{\"refreshToken\":\"\(other["refreshToken"]?.stringValue ?? "")\"}"
        let bearer = one["accessToken"]?.stringValue
        expectEqual(kit.http("POST", "/api/v1/auth/logout", body, bearer: bearer).status, 204)
        for answer in [one, other] { expectEqual(refresh(answer["refreshToken"]).status, 401) }
        // Nine more in this minute.
        for _ in 0..<9 {
            let refused = kit.http("POST", "/api/v1/auth/logout", body, bearer: bearer)
            expectEqual(refused.status, 401)
        }
        expectEqual(kit.http("POST", "/api/v1/auth/logout", body, bearer: bearer).status, 429)
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
