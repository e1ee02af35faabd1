import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import Contracts
import Cryptography
import FunctionRuntime
import HTTP
import JSON
import KeyValueStore
import TestSupport
import Testing
import Time

/// The administration of users, in `latchkey` with a token and in `news_app` with the cookie.
@Suite("Administration of users") struct UserAdministrationTests {
    private struct World {
        let store: MemoryStore
        let kit: ContractKit

        init(_ contract: Contract) throws {
            let clock = TestClock()
            store = MemoryStore(clock: clock.wall)
            kit = try ContractKit(contract, store: store)
        }

        func cookie() throws -> [(name: String, value: String)] {
            let answer = kit.http(
                "POST", "/auth/admin/login", #"{"password":"open sesame"}"#)
            let cookie = try #require(answer.cookies.first)
            return [(cookie.name, cookie.value)]
        }

        func user(_ subject: String, email: String? = nil) -> Answer {
            kit.clock.advance(by: .seconds(20))
            return kit.signedIn(
                FakeIdentity {
                    $0.subject = subject
                    $0.email = email ?? "\(subject)@example.com"
                })
        }

        func id(_ answer: Answer) throws -> String {
            try #require(answer["user"]?["id"]?.stringValue)
        }

        /// A user whom the administrator's password has made an administrator.
        func administrator(_ subject: String = "admin") throws -> (id: String, bearer: String) {
            let answer = user(subject)
            let id = try id(answer)
            let made = kit.http(
                "PUT", "/auth/users/\(id)/admin", #"{"password":"open sesame"}"#,
                cookies: try cookie())
            #expect(made.status == 200 && made["isAdmin"] == true)
            return (id, try #require(answer["accessToken"]?.stringValue))
        }

        func list(_ query: [(String, String)] = [], bearer: String) -> Answer {
            let request = Request(
                method: "GET", path: "/auth/users", query: query.map { ($0.0, $0.1) },
                headers: [HTTPHeader("authorization", "Bearer \(bearer)")], requestID: "1")
            return kit.send(request)?.answer ?? .noContent
        }

        func audit(_ user: String) throws -> [(event: Attribute?, by: Attribute?)] {
            try store.query(PartitionQuery("AUDIT#\(user)", limit: 50)).items
                .map { ($0.attributes["event"], $0.attributes["by"]) }
        }
    }

    private func ids(_ answer: Answer) -> [String] {
        (answer["users"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    @Test func `users are listed page by page, the newest first`() throws {
        let world = try World(.latchkey)
        let (admin, bearer) = try world.administrator()
        let others = try (0..<5).map { try world.id(world.user("user\($0)")) }
        let expected = others.reversed() + [admin]
        expectEqual(ids(world.list(bearer: bearer)), expected)
        var found: [String] = []
        var after: String?
        repeat {
            let page = world.list(
                [("limit", "2")] + (after.map { [("after", $0)] } ?? []), bearer: bearer)
            found += ids(page)
            #expect(ids(page).count <= 2)
            after = page["next"]?.stringValue
        } while after != nil && found.count < 20
        expectEqual(found, expected)
        for (name, value) in [("limit", "0"), ("limit", "101"), ("limit", "x")] {
            expectEqual(world.list([(name, value)], bearer: bearer).status, 400)
        }
        expectEqual(world.list([("after", "nowhere")], bearer: bearer).status, 200)
    }

    @Test func `a user is found by id and by address`() throws {
        let world = try World(.latchkey)
        let (_, bearer) = try world.administrator()
        let ada = try world.id(world.user("ada", email: "Ada@example.com"))
        expectEqual(ids(world.list([("id", ada)], bearer: bearer)), [ada])
        expectEqual(ids(world.list([("email", "ada@EXAMPLE.com")], bearer: bearer)), [ada])
        for (name, value) in [("id", "x"), ("id", "1"), ("email", "nobody@example.com")] {
            expectEqual(ids(world.list([(name, value)], bearer: bearer)), [])
        }
        // The address of the newest token.
        _ = world.user("ada", email: "new@example.com")
        expectEqual(ids(world.list([("email", "new@example.com")], bearer: bearer)), [ada])
        expectEqual(ids(world.list([("email", "ada@example.com")], bearer: bearer)), [])
    }

    @Test func `a disabled user is signed out at once, and signs in again after enabling`() throws {
        let world = try World(.latchkey)
        let (admin, bearer) = try world.administrator()
        let session = world.user("ada")
        let ada = try world.id(session)
        let token = session["accessToken"]?.stringValue
        let disabled = world.kit.http("POST", "/auth/users/\(ada)/disable", bearer: bearer)
        #expect(disabled.status == 200 && disabled["isDisabled"] == true)
        #expect(world.kit.http("GET", "/auth/me", bearer: token).status != 200)
        let refresh = #"{"refreshToken":"\#(session["refreshToken"]?.stringValue ?? "")"}"#
        #expect(world.kit.http("POST", "/auth/refresh", refresh).status != 200)
        expectEqual(world.user("ada").code, "ACCOUNT_DISABLED")
        let enabled = world.kit.http("POST", "/auth/users/\(ada)/enable", bearer: bearer)
        #expect(enabled.status == 200 && enabled["isDisabled"] == false)
        expectEqual(world.kit.http("GET", "/auth/me", bearer: token).status, 401)
        expectEqual(world.kit.http("POST", "/auth/refresh", refresh).status, 401)
        expectEqual(world.user("ada").status, 200)
        let records = try world.audit(ada)
        for event in ["accountDisabled", "accountEnabled"] {
            let found = records.filter { $0.event == .text(event) }
            expectEqual(found.map(\.by), [.text(admin)], "\(event)")
        }
    }

    @Test func `an administrator ends every session of a user`() throws {
        let world = try World(.latchkey)
        let (_, bearer) = try world.administrator()
        let sessions = [world.user("ada"), world.user("ada")]
        let ada = try world.id(sessions[0])
        expectEqual(
            world.kit.http("POST", "/auth/users/\(ada)/signout", bearer: bearer).status, 200)
        for session in sessions {
            let token = session["accessToken"]?.stringValue
            expectEqual(world.kit.http("GET", "/auth/me", bearer: token).status, 401)
        }
        expectEqual(world.user("ada").status, 200)
    }

    @Test func `administrators cannot disable or demote themselves`() throws {
        let world = try World(.latchkey)
        let (admin, bearer) = try world.administrator()
        for (method, path) in [("POST", "disable"), ("DELETE", "admin")] {
            let answer = world.kit.http(method, "/auth/users/\(admin)/\(path)", bearer: bearer)
            #expect(answer.status == 409 && answer.code == "OWN_ACCOUNT")
        }
        // With the administrator's password it is possible.
        let answer = world.kit.http(
            "DELETE", "/auth/users/\(admin)/admin", cookies: try world.cookie())
        expectEqual(answer["isAdmin"], false)
        expectEqual(world.list(bearer: bearer).status, 403)
        let records = try world.audit(admin)
        expectEqual(
            records.filter { $0.event == .text("unmadeAdministrator") }.map(\.by),
            [.text("password")])
    }

    @Test func `of two administrators who demote each other, one remains`() throws {
        let world = try World(.latchkey)
        let (one, other) = (try world.administrator("one"), try world.administrator("other"))
        let clock = world.kit.clock.now
        func maker(_ admin: (id: String, bearer: String)) throws -> Administrator {
            let caller = Caller(bearer: .token(admin.bearer))
            return .user(try world.kit.auth.authenticate(caller, for: .setAdmin).user)
        }
        // Both have passed their check.
        let makers = (try maker(one), try maker(other))
        let auth = world.kit.auth
        _ = try auth.administerUser(other.id, .setAdmin(false), by: makers.0, Caller())
        #expect(throws: AuthError.accessToken(.administratorsOnly)) {
            try auth.administerUser(one.id, .setAdmin(false), by: makers.1, Caller())
        }
        expectEqual(world.kit.clock.now, clock)
    }

    @Test func `users, anonymous callers and pages of other sites cannot administer`() throws {
        let world = try World(.latchkey)
        let session = world.user("ada")
        let ada = try world.id(session)
        let token = session["accessToken"]?.stringValue ?? ""
        let cookie = try world.cookie()
        expectEqual(world.list(bearer: token).status, 403)
        expectEqual(world.list(bearer: "junk").status, 401)
        for (method, path) in [
            ("POST", "disable"), ("POST", "enable"), ("POST", "signout"), ("PUT", "admin"),
            ("DELETE", "admin"),
        ] {
            let path = "/auth/users/\(ada)/\(path)"
            expectEqual(world.kit.http(method, path).status, 401)
            expectEqual(world.kit.http(method, path, bearer: token).status, 403)
            expectEqual(world.kit.http(method, path, cookies: [("admin_session", "x")]).status, 401)
            let foreign = world.kit.http(
                method, path, headers: [HTTPHeader("sec-fetch-site", "same-site")],
                cookies: cookie)
            expectEqual(foreign.status, 403)
        }
    }

    @Test func `an unknown or deleted user is not found`() throws {
        let world = try World(.latchkey)
        let (_, bearer) = try world.administrator()
        for id in ["x", "1", "8e1a4b1e-6b1f-4d0e-9c8a-0123456789ab"] {
            let answer = world.kit.http("POST", "/auth/users/\(id)/disable", bearer: bearer)
            #expect(answer.status == 404 && answer.code == "USER_NOT_FOUND")
        }
        let ada = try world.id(world.user("ada"))
        let id = try #require(UserID(parsing: ada))
        let item = try #require(try world.store.get(StoreLayout.profile(id)))
        let user = try UserRecord.user(item, id: id)
        let now = world.kit.clock.now
        try world.store.write([UserRecord.replacing(user) { $0.deletedAt = now }])
        expectEqual(world.kit.http("POST", "/auth/users/\(ada)/enable", bearer: bearer).status, 404)
        #expect(!ids(world.list(bearer: bearer)).contains(ada))
    }

    @Test func `a direct invoke names the action and the user`() throws {
        let world = try World(.latchkey)
        let (_, bearer) = try world.administrator()
        let ada = try world.id(world.user("ada"))
        let served: [AuthOperation] = [
            .listUsers, .disableUser, .enableUser, .signOutUser,
        ]
        var payload: JSONObject = ["authorization": .string("Bearer \(bearer)")]
        expectEqual(ids(world.kit.direct(payload, to: served)).count, 2)
        payload["id"] = .string(ada)
        expectEqual(ids(world.kit.direct(payload, to: served)), [ada])
        payload["action"] = "disable"
        expectEqual(world.kit.direct(payload, to: served)["isDisabled"], true)
    }

    @Test func `news_app administers by the cookie, with integer ids`() throws {
        let world = try World(.newsApp)
        world.kit.fake.add("one")
        let session = world.kit.http("POST", "/auth/apple", #"{"id_token":"one"}"#)
        let token = session["access_token"]?.stringValue
        expectEqual(session["user"]?["id"], 1)
        let cookie = try world.cookie()
        let list = world.kit.http("GET", "/admin/users", cookies: cookie)
        let user = try #require(list["users"]?.arrayValue?.first)
        #expect(user["id"] == 1 && user["is_active"] == true && user["apple_id"] == "001")
        // The flag gives no permission.
        let made = world.kit.http("PUT", "/admin/users/1/admin", cookies: cookie)
        expectEqual(made["is_admin"], true)
        expectEqual(world.kit.http("GET", "/admin/users", bearer: token).status, 303)

        let disabled = world.kit.http("POST", "/admin/users/1/disable", cookies: cookie)
        #expect(disabled.status == 200 && disabled["is_active"] == false)
        // Every session ends at once, with 401.
        expectEqual(world.kit.http("GET", "/auth/me", bearer: token).status, 401)
        let refresh =
            #"{"refresh_token":"\#(session["refresh_token"]?.stringValue ?? "")"}"#
        expectEqual(world.kit.http("POST", "/auth/refresh", refresh).status, 401)
        world.kit.fake.add("two")
        expectEqual(world.kit.http("POST", "/auth/apple", #"{"id_token":"two"}"#).status, 401)
        expectEqual(world.kit.http("POST", "/admin/users/01/enable", cookies: cookie).status, 404)
        expectEqual(world.kit.http("POST", "/admin/users/1/enable", cookies: cookie).status, 200)
    }
}
