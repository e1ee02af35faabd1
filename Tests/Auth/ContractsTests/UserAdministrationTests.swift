import AuthTestSupport
import Contracts
import FunctionRuntime
import TestSupport

/// The administration of users, in `latchkey` with a token and in `news_app` with the cookie.
@Suite("Administration of users") struct UserAdministrationTests {
    private struct Fixture {
        let store: MemoryStore
        let kit: ContractKit

        init(_ contract: Contract) throws {
            let clock = TestClock()
            store = MemoryStore(clock: clock.wall)
            kit = try ContractKit(contract, store: store)
        }

        func cookie() throws -> [(name: String, value: String)] {
            let answer = kit.http("POST", "/auth/admin/login", #"{"password":"open sesame"}"#)
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
        let fixture = try Fixture(.latchkey)
        let (admin, bearer) = try fixture.administrator()
        let others = try (0..<5).map { try fixture.id(fixture.user("user\($0)")) }
        let expected = others.reversed() + [admin]
        expectEqual(ids(fixture.list(bearer: bearer)), expected)
        var found: [String] = []
        var after: String?
        repeat {
            let page = fixture.list(
                [("limit", "2")] + (after.map { [("after", $0)] } ?? []), bearer: bearer)
            found += ids(page)
            #expect(ids(page).count <= 2)
            after = page["next"]?.stringValue
        } while after != nil && found.count < 20
        expectEqual(found, expected)
        for (name, value) in [("limit", "0"), ("limit", "101"), ("limit", "x")] {
            expectEqual(fixture.list([(name, value)], bearer: bearer).status, 400)
        }
        expectEqual(fixture.list([("after", "nowhere")], bearer: bearer).status, 200)
    }

    @Test func `a user is found by id and by address`() throws {
        let fixture = try Fixture(.latchkey)
        let (_, bearer) = try fixture.administrator()
        let ada = try fixture.id(fixture.user("ada", email: "Ada@example.com"))
        expectEqual(ids(fixture.list([("id", ada)], bearer: bearer)), [ada])
        expectEqual(ids(fixture.list([("email", "ada@EXAMPLE.com")], bearer: bearer)), [ada])
        for (name, value) in [("id", "x"), ("id", "1"), ("email", "nobody@example.com")] {
            expectEqual(ids(fixture.list([(name, value)], bearer: bearer)), [])
        }
        // The address of the newest token.
        _ = fixture.user("ada", email: "new@example.com")
        expectEqual(ids(fixture.list([("email", "new@example.com")], bearer: bearer)), [ada])
        expectEqual(ids(fixture.list([("email", "ada@example.com")], bearer: bearer)), [])
    }

    @Test func `a disabled user is signed out at once, and can sign in after enabling`() throws {
        let fixture = try Fixture(.latchkey)
        let (admin, bearer) = try fixture.administrator()
        let session = fixture.user("ada")
        let ada = try fixture.id(session)
        let token = session["accessToken"]?.stringValue
        let disabled = fixture.kit.http("POST", "/auth/users/\(ada)/disable", bearer: bearer)
        #expect(disabled.status == 200 && disabled["isDisabled"] == true)
        #expect(fixture.kit.http("GET", "/auth/me", bearer: token).status != 200)
        let refresh = #"{"refreshToken":"\#(session["refreshToken"]?.stringValue ?? "")"}"#
        #expect(fixture.kit.http("POST", "/auth/refresh", refresh).status != 200)
        expectEqual(fixture.user("ada").code, "ACCOUNT_DISABLED")
        let enabled = fixture.kit.http("POST", "/auth/users/\(ada)/enable", bearer: bearer)
        #expect(enabled.status == 200 && enabled["isDisabled"] == false)
        expectEqual(fixture.kit.http("GET", "/auth/me", bearer: token).status, 401)
        expectEqual(fixture.kit.http("POST", "/auth/refresh", refresh).status, 401)
        expectEqual(fixture.user("ada").status, 200)
        let records = try fixture.audit(ada)
        for event in ["accountDisabled", "accountEnabled"] {
            let found = records.filter { $0.event == .text(event) }
            expectEqual(found.map(\.by), [.text(admin)], "\(event)")
        }
    }

    @Test func `an administrator ends every session of a user`() throws {
        let fixture = try Fixture(.latchkey)
        let (_, bearer) = try fixture.administrator()
        let sessions = [fixture.user("ada"), fixture.user("ada")]
        let ada = try fixture.id(sessions[0])
        expectEqual(
            fixture.kit.http("POST", "/auth/users/\(ada)/signout", bearer: bearer).status, 200)
        for session in sessions {
            let token = session["accessToken"]?.stringValue
            expectEqual(fixture.kit.http("GET", "/auth/me", bearer: token).status, 401)
        }
        expectEqual(fixture.user("ada").status, 200)
    }

    @Test func `administrators cannot disable or demote themselves`() throws {
        let fixture = try Fixture(.latchkey)
        let (admin, bearer) = try fixture.administrator()
        for (method, path) in [("POST", "disable"), ("DELETE", "admin")] {
            let answer = fixture.kit.http(method, "/auth/users/\(admin)/\(path)", bearer: bearer)
            #expect(answer.status == 409 && answer.code == "OWN_ACCOUNT")
        }
        // With the administrator's password it is possible.
        let answer = fixture.kit.http(
            "DELETE", "/auth/users/\(admin)/admin", cookies: try fixture.cookie())
        expectEqual(answer["isAdmin"], false)
        expectEqual(fixture.list(bearer: bearer).status, 403)
        let records = try fixture.audit(admin)
        expectEqual(
            records.filter { $0.event == .text("unmadeAdministrator") }.map(\.by),
            [.text("password")])
    }

    @Test func `one of two administrators who demote each other remains`() throws {
        let fixture = try Fixture(.latchkey)
        let (one, other) = (try fixture.administrator("one"), try fixture.administrator("other"))
        let clock = fixture.kit.clock.now
        func maker(_ admin: (id: String, bearer: String)) throws -> Administrator {
            let caller = Caller(bearer: .token(admin.bearer))
            return .user(try fixture.kit.auth.authenticate(caller, for: .setAdmin).user)
        }
        // Both have passed their check.
        let makers = (try maker(one), try maker(other))
        let auth = fixture.kit.auth
        _ = try auth.administerUser(other.id, .setAdmin(false), by: makers.0, Caller())
        #expect(throws: AuthError.accessToken(.administratorsOnly)) {
            try auth.administerUser(one.id, .setAdmin(false), by: makers.1, Caller())
        }
        expectEqual(fixture.kit.clock.now, clock)
    }

    @Test func `users, anonymous callers and pages of other sites cannot administer`() throws {
        let fixture = try Fixture(.latchkey)
        let session = fixture.user("ada")
        let ada = try fixture.id(session)
        let token = session["accessToken"]?.stringValue ?? ""
        let cookie = try fixture.cookie()
        expectEqual(fixture.list(bearer: token).status, 403)
        expectEqual(fixture.list(bearer: "junk").status, 401)
        for (method, path) in [
            ("POST", "disable"), ("POST", "enable"), ("POST", "signout"), ("PUT", "admin"),
            ("DELETE", "admin"),
        ] {
            let path = "/auth/users/\(ada)/\(path)"
            expectEqual(fixture.kit.http(method, path).status, 401)
            expectEqual(fixture.kit.http(method, path, bearer: token).status, 403)
            expectEqual(
                fixture.kit.http(method, path, cookies: [("admin_session", "x")]).status, 401)
            let foreign = fixture.kit.http(
                method, path, headers: [HTTPHeader("sec-fetch-site", "same-site")],
                cookies: cookie)
            expectEqual(foreign.status, 403)
        }
    }

    @Test func `an unknown or deleted user is not found`() throws {
        let fixture = try Fixture(.latchkey)
        let (_, bearer) = try fixture.administrator()
        for id in ["x", "1", "8e1a4b1e-6b1f-4d0e-9c8a-0123456789ab"] {
            let answer = fixture.kit.http("POST", "/auth/users/\(id)/disable", bearer: bearer)
            #expect(answer.status == 404 && answer.code == "USER_NOT_FOUND")
        }
        let ada = try fixture.id(fixture.user("ada"))
        let id = try #require(UserID(parsing: ada))
        let item = try #require(try fixture.store.get(StoreLayout.profile(id)))
        let user = try UserRecord.user(item, id: id)
        let now = fixture.kit.clock.now
        try fixture.store.write([UserRecord.replacing(user) { $0.deletedAt = now }])
        expectEqual(
            fixture.kit.http("POST", "/auth/users/\(ada)/enable", bearer: bearer).status, 404)
        #expect(!ids(fixture.list(bearer: bearer)).contains(ada))
    }

    @Test func `a direct invocation contains the action and the user`() throws {
        let fixture = try Fixture(.latchkey)
        let (_, bearer) = try fixture.administrator()
        let ada = try fixture.id(fixture.user("ada"))
        let served: [AuthOperation] = [
            .listUsers, .disableUser, .enableUser, .signOutUser,
        ]
        var payload: JSONObject = ["authorization": .string("Bearer \(bearer)")]
        expectEqual(ids(fixture.kit.direct(payload, to: served)).count, 2)
        payload["id"] = .string(ada)
        expectEqual(ids(fixture.kit.direct(payload, to: served)), [ada])
        payload["action"] = "disable"
        expectEqual(fixture.kit.direct(payload, to: served)["isDisabled"], true)
    }

    @Test func `news_app administers by the cookie, with integer ids`() throws {
        let fixture = try Fixture(.newsApp)
        fixture.kit.fake.add("one")
        let session = fixture.kit.http("POST", "/auth/apple", #"{"id_token":"one"}"#)
        let token = session["access_token"]?.stringValue
        expectEqual(session["user"]?["id"], 1)
        let cookie = try fixture.cookie()
        let list = fixture.kit.http("GET", "/admin/users", cookies: cookie)
        let user = try #require(list["users"]?.arrayValue?.first)
        #expect(user["id"] == 1 && user["is_active"] == true && user["apple_id"] == "001")
        // The flag gives no permission.
        let made = fixture.kit.http("PUT", "/admin/users/1/admin", cookies: cookie)
        expectEqual(made["is_admin"], true)
        expectEqual(fixture.kit.http("GET", "/admin/users", bearer: token).status, 303)

        let disabled = fixture.kit.http("POST", "/admin/users/1/disable", cookies: cookie)
        #expect(disabled.status == 200 && disabled["is_active"] == false)
        // Every session ends at once, with 401.
        expectEqual(fixture.kit.http("GET", "/auth/me", bearer: token).status, 401)
        let refresh =
            #"{"refresh_token":"\#(session["refresh_token"]?.stringValue ?? "")"}"#
        expectEqual(fixture.kit.http("POST", "/auth/refresh", refresh).status, 401)
        fixture.kit.fake.add("two")
        expectEqual(fixture.kit.http("POST", "/auth/apple", #"{"id_token":"two"}"#).status, 401)
        expectEqual(fixture.kit.http("POST", "/admin/users/01/enable", cookies: cookie).status, 404)
        expectEqual(fixture.kit.http("POST", "/admin/users/1/enable", cookies: cookie).status, 200)
    }
}
