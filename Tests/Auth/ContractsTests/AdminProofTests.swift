import FunctionRuntime

/// The proof that administrators give for sensitive actions, with a second factor and without.
@Suite("Proofs of administrators") struct AdminProofTests {
    let pages: PageKit
    var kit: ContractKit { pages.kit }
    let secret: String
    /// Signed in with the password alone, on a browser that is trusted for 30 days.
    var trusted: PageBrowser
    let other: String

    init() throws {
        pages = try PageKit()
        let kit = pages.kit
        var browser = try pages.registered()
        browser.open("authenticator")
        browser.submit("authenticator", ["action": "begin"])
        secret = String(try #require(browser.text.firstMatch(of: /<code>([A-Z2-7 ]+)</)?.1))
            .filter { $0 != " " }
        let uri = try #require(browser.hidden("uri"))
        browser.submit("authenticator", ["code": try pages.code(of: secret), "uri": uri])
        kit.clock.advance(by: .seconds(30))
        browser.open("devices")
        browser.submit("devices", ["code": try pages.code(of: secret)])
        browser.open("account")
        browser.submit("signout", ["scope": "session"])
        let owner = try #require(try kit.auth.findUsers.users(withEmail: PageKit.email).users.first)
        try kit.auth.store.write([UserRecord.replacing(owner) { $0.adminRole = .administrator }])
        _ = try pages.registered("grace@example.com")
        other = try #require(
            try kit.auth.findUsers.users(withEmail: "grace@example.com").users.first?.id.text)
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        try #require(browser.location == "account", "\(browser.text)")
        trusted = browser
    }

    private var bearer: String {
        String(trusted.cookie("__Host-latchkey")?.split(separator: "~").last ?? "")
    }

    /// What needs no proof. Every other request of administrators that changes something is refused
    /// without it: one that is added must be in this list, or be for administrators only.
    private static let plainActions: Set<String> = [
        "signout", "disable", "enable", "mail-password-link", "mail-verification-link",
        "stop-second-factor-removal", "resend", "verify", "name", "remove-application", "{session}",
        // For whoever has the link of the server's operator.
        "first",
    ]

    private static var sensitive: [Route] {
        Contract.latchkey.endpoints.compactMap(\.route).filter { route in
            !route.method.isSame(as: "GET")
                && [
                    "/auth/users", "/auth/clients", "/admin/ui", "/auth/webhooks",
                    "/auth/admin/audit", "/auth/admin/keys",
                ].contains(where: route.path.hasPrefix)
                && !plainActions.contains(String(route.path.split(separator: "/").last ?? ""))
        }
    }

    private func ask(_ route: Route) throws -> Answer {
        let path = route.path.replacing("{id}", with: other)
        guard route.path.hasPrefix("/admin/ui") else {
            return kit.http(route.method, path, #"{"reason":"x"}"#, bearer: bearer)
        }
        let token = try browse("/admin/ui/users/\(other)").formToken
        return kit.submit(path, [("form", token), ("reason", "x")], cookies: trusted.cookies)
    }

    private func browse(_ path: String) -> Answer {
        kit.http("GET", path, type: nil, cookies: trusted.cookies)
    }

    @Test func `the password on a trusted device does not allow sensitive actions`() throws {
        let routes = Self.sensitive
        #expect(routes.count >= 14)
        for route in routes {
            let answer = try ask(route)
            expectEqual(answer.status, 401, "\(route.method) \(route.path)")
            if let json = answer.json {
                expectEqual(json["error"]?["code"], "STEP_UP_REQUIRED", "\(route.path)")
            } else {
                #expect(answer.text.contains("auth/ui/step-up?next="), "\(route.path)")
            }
        }
        let user = try #require(try kit.auth.findUsers.users(withID: other).users.first)
        #expect(user.adminRole == nil && user.email == "grace@example.com")
    }

    @Test mutating func `a step-up with the second factor returns and allows the action`() throws {
        let path = "/admin/ui/users/\(other)"
        let before = browse(path).text
        #expect(before.contains("auth/ui/step-up?next=%2Fadmin%2Fui%2Fusers%2F\(other)"))
        #expect(!before.contains("/delete\""))
        kit.clock.advance(by: .seconds(30))
        trusted.open("step-up", query: [("next", path)])
        trusted.submit("step-up", ["code": try pages.code(of: secret)])
        expectEqual(trusted.location, "../..\(path)")
        #expect(browse(path).text.contains("/delete\""))
        let given = kit.http(
            "PUT", "/auth/users/\(other)/role", #"{"role":"viewer"}"#, bearer: bearer)
        expectEqual(given.status, 200)
    }

    @Test(arguments: ["https://evil.example/", "//evil.example", "/admin/uix", "/auth/ui/signin"])
    func `a step-up cannot redirect to another address`(_ next: String) throws {
        var browser = trusted
        kit.clock.advance(by: .seconds(30))
        browser.open("step-up", query: [("next", next)])
        browser.submit("step-up", ["code": try pages.code(of: secret)])
        expectEqual(browser.location, "account")
        browser.cookies.append(("__Host-latchkey-next", next))
        browser.open("step-up")
        kit.clock.advance(by: .seconds(30))
        browser.submit("step-up", ["code": try pages.code(of: secret)])
        expectEqual(browser.location, "account")
    }

    @Test func `a role without a second factor is marked in its event and on the page`() throws {
        let cookies = kit.administratorCookies()
        let given = kit.http(
            "PUT", "/auth/users/\(other)/role", #"{"role":"support","password":"open sesame"}"#,
            cookies: cookies)
        expectEqual(given.status, 200)
        let events = kit.http("GET", "/auth/users/\(other)/audit", cookies: cookies)
        expectEqual(
            events["events"]?.arrayValue?.first?["detail"], "support, without a second factor")
        let page = kit.http("GET", "/admin/ui/users/\(other)", type: nil, cookies: cookies)
        #expect(page.text.contains("no second factor"))
    }

    // MARK: The cookie

    @Test(arguments: ["admin_session", "__Host-admin_session"])
    func `an ended or planted cookie does not hide the user's own session`(_ name: String) {
        var cookies = trusted.cookies
        cookies.append((name, String(repeating: "A", count: 43)))
        let page = kit.http("GET", "/admin/ui", type: nil, cookies: cookies)
        expectEqual(page.status, 200)
        let other = kit.http(
            "GET", "/admin/ui", type: nil, cookies: [(name, String(repeating: "A", count: 43))])
        expectEqual(other.status, 303)
    }

    @Test func `over HTTPS the cookie has the prefix __Host-, and its former name is accepted`()
        throws
    {
        let login = kit.http("POST", "/auth/admin/login", #"{"password":"open sesame"}"#)
        let cookie = try #require(login.cookies.first)
        #expect(cookie.name == "__Host-admin_session" && login.cookies.count == 1)
        for name in ["__Host-admin_session", "admin_session"] {
            // A planted cookie beside it changes nothing.
            let planted = [(name: "admin_session", value: String(repeating: "B", count: 43))]
            let cookies = [(name: name, value: cookie.value)] + planted
            expectEqual(kit.http("GET", "/admin/ui", type: nil, cookies: cookies).status, 200)
            expectEqual(kit.http("GET", "/auth/users", cookies: cookies).status, 200)
        }
        let logout = kit.submit(
            "/auth/admin/logout", [], cookies: [("admin_session", cookie.value)])
        expectEqual(logout.cookies.map(\.name), ["__Host-admin_session", "admin_session"])
        #expect(logout.cookies.allSatisfy { $0.maxAgeSeconds == 0 })
        let after = kit.http(
            "GET", "/admin/ui", type: nil, cookies: [("__Host-admin_session", cookie.value)])
        expectEqual(after.status, 303)
    }
}
