import FunctionRuntime

/// Users with a role of an administrator.
@Suite("Roles of administrators") struct AdminRoleTests {
    let kit: ContractKit
    let cookies: [(name: String, value: String)]
    let ada: String

    init() throws {
        kit = try ContractKit(.latchkey)
        cookies = kit.administratorCookies()
        ada = try kit.user("ada").id
    }

    private func holder(of role: String) throws -> (id: String, token: String) {
        let user = try kit.user(role)
        let given = kit.http(
            "PUT", "/auth/users/\(user.id)/role",
            #"{"role":"\#(role)","reason":"Joins","password":"open sesame"}"#, cookies: cookies)
        #expect(given.status == 200 && given["role"]?.stringValue == role)
        expectEqual(given["isAdmin"]?.boolValue, role == "administrator")
        return user
    }

    @Test(arguments: ["viewer", "support", "administrator"])
    func `a role permits exactly its actions, as JSON and on the pages`(_ role: String) throws {
        let token = try holder(of: role).token
        let (isSupport, isAdministrator) = (role != "viewer", role == "administrator")
        func status(_ method: String, _ path: String, _ body: String = "{}") -> Int {
            kit.http(method, path, body, bearer: token).status
        }
        for path in ["/auth/users", "/auth/users/\(ada)/audit", "/admin/ui", "/admin/ui/system"] {
            expectEqual(status("GET", path), 200)
        }
        for action in [
            "signout", "disable", "enable", "mail-password-link", "stop-second-factor-removal",
        ] {
            let path = "/auth/users/\(ada)/\(action)"
            let answer = status("POST", path)
            expectEqual(answer == 403, !isSupport, "\(action): \(answer)")
        }
        let full: [(String, String, String)] = [
            ("PUT", "admin", "{}"), ("DELETE", "admin", "{}"),
            ("PUT", "role", #"{"role":"viewer"}"#), ("PUT", "role", #"{"role":null}"#),
            ("PUT", "email", #"{"email":"ada@new.example"}"#),
            ("POST", "export", "{}"), ("POST", "remove-second-factor", "{}"),
            ("POST", "delete", "{}"),
        ]
        for (method, action, body) in full {
            let answer = status(method, "/auth/users/\(ada)/\(action)", body)
            expectEqual(answer == 403, !isAdministrator, "\(action): \(answer)")
        }
    }

    @Test func `administrators cannot raise or end their own role`() throws {
        let (id, token) = try holder(of: "administrator")
        for role in ["\"viewer\"", "null"] {
            let answer = kit.http(
                "PUT", "/auth/users/\(id)/role", #"{"role":\#(role)}"#, bearer: token)
            expectEqual(answer.status, 409)
        }
        let support = try holder(of: "support")
        let raised = kit.http(
            "PUT", "/auth/users/\(support.id)/role", #"{"role":"administrator"}"#,
            bearer: support.token)
        expectEqual(raised.status, 403)
    }

    @Test func `a removed role ends at once, also during a change`() throws {
        let (id, token) = try holder(of: "support")
        expectEqual(kit.http("GET", "/auth/users", bearer: token).status, 200)
        let taken = kit.http(
            "PUT", "/auth/users/\(id)/role", #"{"password":"open sesame"}"#, cookies: cookies)
        #expect(taken.status == 200 && taken["role"] == nil)
        expectEqual(kit.http("GET", "/auth/users", bearer: token).status, 403)
        expectEqual(kit.http("GET", "/admin/ui", bearer: token).status, 403)
    }

    @Test func `irreversible actions need a sign-in within the last 15 minutes`() throws {
        let answer = kit.signedIn(FakeIdentity { $0.subject = "boss" })
        let id = try #require(answer["user"]?["id"]?.stringValue)
        let refresh = try #require(answer["refreshToken"]?.stringValue)
        let made = kit.http(
            "PUT", "/auth/users/\(id)/admin", #"{"password":"open sesame"}"#, cookies: cookies)
        expectEqual(made.status, 200)
        kit.clock.advance(by: .minutes(14))
        let next = kit.http("POST", "/auth/refresh", #"{"refreshToken":"\#(refresh)"}"#)
        let token = try #require(next["accessToken"]?.stringValue)
        let path = "/auth/users/\(ada)/remove-second-factor"
        expectEqual(kit.http("POST", path, bearer: token).status, 204)
        kit.clock.advance(by: .minutes(2))
        expectEqual(kit.http("GET", "/auth/users", bearer: token).status, 200)
        let actions = [
            ("POST", "remove-second-factor", "{}"), ("POST", "delete", "{}"),
            ("POST", "export", "{}"), ("PUT", "role", #"{"role":"viewer"}"#),
            ("PUT", "admin", "{}"), ("DELETE", "admin", "{}"),
            ("PUT", "email", #"{"email":"ada@new.example"}"#),
        ]
        for (method, action, body) in actions {
            let late = kit.http(method, "/auth/users/\(ada)/\(action)", body, bearer: token)
            expectEqual(late.status, 401, "\(action)")
        }
        // The page leads to where the proof is given.
        let form = kit.submit("/admin/ui/users/\(ada)/delete", [("reason", "x")], bearer: token)
        expectEqual(form.status, 401)
        let query = "next=%2Fadmin%2Fui%2Fusers%2F\(ada)"
        #expect(form.text.contains("href=\"../../../../auth/ui/step-up?\(query)\""))
    }

    @Test func `the administrator must enter the password again`() throws {
        for (method, action) in [("POST", "export"), ("PUT", "role"), ("PUT", "admin")] {
            let path = "/auth/users/\(ada)/\(action)"
            let answer = kit.http(method, path, #"{"reason":"x"}"#, cookies: cookies)
            expectEqual(answer.status, 400, "\(action)")
        }
        let wrong = kit.http(
            "PUT", "/auth/users/\(ada)/role", #"{"role":"viewer","password":"guess"}"#,
            cookies: cookies)
        expectEqual(wrong.status, 401)
        // This DELETE has no body, so no password either.
        kit.clock.advance(by: .minutes(15))
        let late = kit.http("DELETE", "/auth/users/\(ada)/admin", cookies: cookies)
        expectEqual(late.status, 401)
        let user = kit.http("GET", "/auth/users", cookies: cookies)
        expectEqual(user["users"]?.arrayValue?.first?["role"], nil)
    }

    @Test func `an administrator cannot act on a user with a higher role`() throws {
        let boss = try holder(of: "administrator")
        let support = try holder(of: "support")
        for action in ["disable", "signout", "mail-password-link"] {
            let answer = kit.http("POST", "/auth/users/\(boss.id)/\(action)", bearer: support.token)
            expectEqual(answer.status, 403, "\(action)")
        }
        expectEqual(kit.http("GET", "/auth/users", bearer: boss.token).status, 200)
    }
}
