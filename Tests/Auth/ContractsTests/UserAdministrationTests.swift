import FunctionRuntime

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

    @Test func `a direct invocation contains the action and the user`() throws {
        let fixture = try Fixture(.latchkey)
        let (_, bearer) = try fixture.administrator()
        let ada = try fixture.id(fixture.user("ada"))
        let served: [AuthOperation] = [.listUsers, .disableUser, .enableUser, .signOutUser]
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
