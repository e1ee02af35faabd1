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

/// Facts about `news_app` that no fixture shows: forms, numbers, rows of the store. The statements
/// are in `Tests/Seeds/news_app.md`.
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
        return kit.http(
            "POST", "/auth/apple", "{\"id_token\":\"\(token)\",\"full_name\":\(name)}")
    }

    private func refresh(_ token: JSON?) -> Answer {
        kit.http("POST", "/auth/refresh", "{\"refresh_token\":\"\(token?.stringValue ?? "")\"}")
    }

    private func parts(_ token: JSON?) throws -> (header: JSONObject, claims: JSONObject) {
        let parts = try #require(token?.stringValue).split(separator: ".")
        func object(_ part: Int) throws -> JSONObject {
            let bytes = try #require(Base64URL.decode(parts[part]))
            return try #require(try JSON.parse(bytes, limits: .request).objectValue)
        }
        return (try object(0), try object(1))
    }

    @Test func `news_app has the routes of its seed`() {
        let routes = Contract.newsApp.endpoints.map {
            "\($0.route?.method ?? "") \($0.route?.path ?? "")"
        }
        #expect(
            Set(routes).isSuperset(of: [
                "POST /auth/apple", "POST /auth/refresh", "GET /auth/me",
            ]))
    }

    @Test func `the access token of news_app names the user by an integer`() throws {
        let answer = signIn()
        let (header, claims) = try parts(answer["access_token"])
        expectEqual(JSON.object(header), ["alg": "HS256", "typ": "JWT"])
        expectEqual(claims.members.map(\.name), ["user_id", "iat", "exp", "sid", "epoch"])
        #expect(claims["user_id"] == 1 && answer["user"]?["id"] == 1)
        let iat = try #require(claims["iat"]?.int64Value)
        expectEqual(claims["exp"]?.int64Value, iat + 30 * 60)
    }

    @Test func `the refresh token of news_app is a JWT of seven days, of another type`() throws {
        let (header, claims) = try parts(signIn()["refresh_token"])
        expectEqual(JSON.object(header), ["alg": "HS256", "typ": "refresh+jwt"])
        let iat = try #require(claims["iat"]?.int64Value)
        expectEqual(claims["exp"]?.int64Value, iat + 7 * 24 * 3600)
    }

    @Test func `a refresh of news_app gives the same refresh token, for seven days`() {
        let token = signIn()["refresh_token"]
        for _ in 0..<6 {
            kit.clock.advance(by: .days(1))
            let answer = refresh(token)
            #expect(answer.status == 200 && answer["refresh_token"] == token)
            expectEqual(answer.members, ["access_token", "refresh_token", "user"])
        }
        kit.clock.advance(by: .days(1))
        expectEqual(refresh(token).status, 401)
    }

    @Test func `members of news_app are in snake_case, in the order of its models`() {
        let user = signIn(name: #""Ada Lovelace""#)["user"]
        expectEqual(
            user?.objectValue?.members.map(\.name),
            [
                "id", "apple_id", "email", "full_name", "is_admin", "created_at",
            ])
        #expect(user?["apple_id"] == "001" && user?["full_name"] == "Ada Lovelace")
        expectEqual(user?["created_at"], "2023-11-14T22:13:20Z")
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
        let user = try UserRecord.user(
            try #require(try store.get(StoreLayout.profile(id))), id: id)
        #expect(user.publicID == 1 && user.subject(at: "apple") == "001")
        expectEqual(user.email, answer["user"]?["email"]?.stringValue)
        #expect(user.displayName == "Ada Lovelace" && !user.isAdmin && !user.isDisabled)
        #expect(user.createdAt == kit.clock.now && user.updatedAt == kit.clock.now)
    }

    private struct NoUser: Error {}
}
