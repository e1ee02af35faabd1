import FunctionRuntime

/// The link with which the operator of a new server makes the first administrator.
@Suite("The first administrator") struct FirstAdministratorTests {
    private final class Rival: Sendable {
        let request = Mutex<(@Sendable () -> Void)?>(nil)
    }

    let kit: ContractKit
    /// The clock of the store.
    private let clock = TestClock()
    private let rival = Rival()

    init() throws {
        let rival = rival
        let store = CountingStore(MemoryStore(clock: clock.wall)) { partition, cost in
            guard partition == "FIRSTADMINISTRATOR#LINK", cost.itemsWritten > 0 else { return }
            let request = rival.request.withLock { request in
                defer { request = nil }
                return request
            }
            request?()
        }
        kit = try ContractKit(.latchkey, store: store)
    }

    private static let path = "/admin/ui/first"
    private static let session = "__Host-latchkey"

    private func invite() throws -> String {
        try #require(try kit.auth.firstAdministrator.invite())
    }

    private func open(_ token: String) -> Answer {
        kit.http(
            "GET", Self.path, query: [("token", token)], type: nil,
            headers: [HTTPHeader("host", "auth.example.com")])
    }

    private func make(
        _ token: String, _ email: String = "ada@example.com",
        _ password: String = "correct horse battery", site: String = "same-origin"
    ) -> Answer {
        kit.submit(
            Self.path,
            [("token", token), ("email", email), ("newPassword", password), ("name", "Ada")],
            site: site)
    }

    private func advance(by span: Span) {
        kit.clock.advance(by: span)
        clock.advance(by: span)
    }

    private func administrators() throws -> [User] { try kit.auth.findUsers.withRoles().users }

    @Test func `the link opens a form, which makes an administrator and signs in`() throws {
        let token = try invite()
        let page = open(token)
        #expect(page.status == 200 && page.text.contains("name=\"newPassword\""))
        let made = make(token)
        expectEqual(made.status, 303, "\(made.text)")
        let cookies = made.cookies.map { ($0.name, $0.value) }
        #expect(cookies.contains { $0.0 == Self.session })
        expectEqual(kit.http("GET", "/admin/ui", type: nil, cookies: cookies).status, 200)
        // Its role is an event of the account, and no other one is written.
        let system = kit.http("GET", "/admin/ui/system", type: nil, cookies: cookies).text
        #expect(
            !system.contains("<h2>Administration</h2>") && !system.contains("Waiting mail")
                && !system.contains("0 events"), "\(system)")
        let user = try #require(try administrators().first)
        #expect(user.adminRole == .administrator && user.isEmailVerified)
        #expect(user.displayName == "Ada" && user.email == "ada@example.com")
        let login = kit.http(
            "POST", "/auth/login",
            #"{"email":"ada@example.com","password":"correct horse battery"}"#)
        expectEqual(login.status, 200)
        // A proof of the last 15 minutes, as after any sign-in.
        let bearer = try #require(login["accessToken"]?.stringValue)
        let events = kit.http("GET", "/auth/users/\(user.id.text)/audit", bearer: bearer)
        let list = events["events"]?.arrayValue ?? []
        let event = list.first { $0["type"] == "madeAdministrator" }
        #expect(event?["by"] == "firstAdministratorLink", "\(list)")
        let account = kit.http(
            "GET", "/admin/ui/users/\(user.id.text)", type: nil, cookies: cookies
        ).text
        #expect(account.contains("by the link for the first administrator"), "\(account)")
        #expect(
            system.contains("admin/ui/users/\(user.id.text)\">ada@example.com</a>. Whoever"),
            "\(system)")
    }

    @Test func `the link works once`() throws {
        let token = try invite()
        expectEqual(make(token).status, 303)
        let again = make(token, "eve@example.com")
        #expect(again.status == 400 && again.cookies.isEmpty)
        expectEqual(open(token).status, 400)
        try expectEqual(administrators().count, 1)
    }

    @Test func `only one of two browsers with the link makes an administrator`() throws {
        let token = try invite()
        let outcome = Mutex(0)
        let (kit, path) = (kit, Self.path)
        rival.request.withLock { request in
            request = {
                let answer = kit.submit(
                    path,
                    [
                        ("token", token), ("email", "first@example.com"),
                        ("newPassword", "correct horse battery"),
                    ])
                outcome.withLock { $0 = answer.status }
            }
        }
        expectEqual(make(token, "second@example.com").status, 400)
        expectEqual(outcome.withLock { $0 }, 303)
        try expectEqual(administrators().compactMap(\.email), ["first@example.com"])
        #expect(try kit.auth.findUsers.users(withEmail: "second@example.com").users.isEmpty)
    }

    @Test func `the link expires after a day, and when another link is made`() throws {
        let old = try invite()
        let token = try invite()
        expectEqual(open(old).status, 400)
        expectEqual(make(old).status, 400)
        advance(by: .hours(23))
        expectEqual(open(token).status, 200)
        advance(by: .hours(1))
        #expect(open(token).status == 400 && make(token).status == 400)
        #expect(open(token).text.contains("older than 24 hours"))
        try expectEqual(administrators().count, 0)
    }

    @Test func `no link is made once any account has a role`() throws {
        let user = try #require(kit.signedIn().json?["user"]?["id"]?.stringValue)
        _ = try invite()
        let cookies = kit.administratorCookies()
        func role(_ role: String) -> Int {
            kit.http(
                "PUT", "/auth/users/\(user)/role", #"{\#(role)"password":"open sesame"}"#,
                cookies: cookies
            ).status
        }
        expectEqual(role(#""role":"viewer","#), 200)
        try expectEqual(kit.auth.firstAdministrator.invite(), nil)
        expectEqual(role(""), 200)
        #expect(try kit.auth.firstAdministrator.invite() != nil)
        expectEqual(role(#""role":"viewer","#), 200)
        let deleted = kit.http(
            "POST", "/auth/users/\(user)/delete", #"{"password":"open sesame"}"#, cookies: cookies)
        expectEqual(deleted.status, 204)
        #expect(try kit.auth.firstAdministrator.invite() != nil)
    }

    @Test func `a refused form keeps its typed values and the link`() throws {
        let token = try invite()
        for (email, password) in [
            ("ada@example.com", "short"), ("nobody", "correct horse battery"),
        ] {
            let answer = make(token, email, password)
            #expect(answer.status == 400 && answer.cookies.isEmpty)
            let page = answer.text
            #expect(page.contains("role=\"alert\"") && page.contains("value=\"\(email)\""))
            #expect(page.contains("value=\"\(token)\"") && !page.contains(password))
        }
        let taken = kit.signedIn(FakeIdentity { $0.email = "ada@example.com" })
        expectEqual(taken.status, 200)
        expectEqual(make(token).status, 409)
        expectEqual(make(token, "grace@example.com").status, 303)
    }

    @Test func `another site cannot send the form, and only the token opens the page`() throws {
        let token = try invite()
        expectEqual(make(token, site: "cross-site").status, 403)
        for wrong in ["", "x", String(repeating: "A", count: 43), token + "A", "\"><script>"] {
            #expect(open(wrong).status == 400 && make(wrong).status == 400)
            #expect(!make(wrong).text.contains("<script>"))
        }
        // Not even a request from the server's own machine.
        let local = Request(
            method: "GET", path: Self.path, headers: [HTTPHeader("host", "localhost")],
            sourceAddress: "127.0.0.1", requestID: "1")
        expectEqual(kit.send(local)?.answer.status, 400)
        // The store has the hash only.
        let bytes = try #require(Base64URL.decode(token))
        let row = try kit.auth.store.get(StoreLayout.firstAdministratorLink)
        #expect(row?.attributes["hash"] != .bytes(bytes))
    }

    // MARK: Plain HTTP

    private func login(
        _ host: String, proto: String? = nil, hop: String? = nil, isDirect: Bool = true,
        path: String = "/auth/admin/login"
    ) -> String {
        var headers = [HTTPHeader("host", host)]
        if let hop { headers.append(HTTPHeader("x-forwarded-for", hop)) }
        if let proto { headers.append(HTTPHeader("x-forwarded-proto", proto)) }
        var request = Request(method: "GET", path: path, headers: headers, requestID: "1")
        request.isServedDirectly = isDirect
        return kit.send(request)?.answer.text ?? ""
    }

    @Test func `the login page warns of plain HTTP from another machine before the password`() {
        for (host, command) in [
            ("192.0.2.2:19271", "ssh -L 8080:192.0.2.2:19271 192.0.2.2"),
            ("server.lan", "ssh -L 8080:server.lan:80 server.lan"),
            ("[2001:db8::1]:8000", "ssh -L 8080:[2001:db8::1]:8000 2001:db8::1"),
            ("a;reboot", "ssh -L 8080:SERVER:80 SERVER"),
        ] {
            let page = login(host)
            #expect(page.contains("<code>\(command)</code>"), "\(host): \(page)")
            #expect(page.contains("TRUSTED_HOPS=1") && !page.contains("autofocus"))
            #expect(page.contains("http://localhost:8080/auth/admin/login"))
        }
        #expect(login("server.lan", proto: "http", isDirect: false).contains("ssh -L"))
    }

    @Test func `the form is neither shown nor accepted over HTTP from another machine`() throws {
        let page = login("192.0.2.2:8080", path: Self.path)
        #expect(page.contains("ssh -L") && !page.contains("newPassword"), "\(page)")
        var request = Request(
            method: "POST", path: Self.path,
            headers: [
                HTTPHeader("host", "192.0.2.2:8080"), HTTPHeader("sec-fetch-site", "same-origin"),
                HTTPHeader("content-type", "application/x-www-form-urlencoded"),
            ],
            body: Array("token=\(try invite())&email=a%40b.example&newPassword=abcdefgh1".utf8),
            requestID: "1")
        request.isServedDirectly = true
        #expect(kit.send(request)?.answer.status != 303)
        try expectEqual(administrators().count, 0)
    }

    @Test(arguments: ["signin", "register"])
    func `pages for people show the address of an ISSUER with HTTPS`(page: String) {
        let path = "/auth/ui/\(page)"
        let text = login("192.0.2.2:8080", path: path)
        let address = "https://auth.example.com\(path)"
        #expect(text.contains("<a href=\"\(address)\">\(address)</a>"), "\(text)")
        #expect(text.contains("not encrypted") && !text.contains("autofocus"))
        for host in ["auth.example.com", "localhost:8000"] {
            let text = login(host, path: path)
            #expect(!text.contains("not encrypted") && text.contains("autofocus"), "\(host)")
        }
    }

    @Test func `the login page does not warn over HTTPS, or on the server's own machine`() {
        for host in ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "app.localhost"] {
            #expect(!login(host).contains("ssh -L"), "\(host)")
        }
        #expect(!login("auth.example.com", proto: "https").contains("ssh -L"))
        // By a proxy that does not say how the browser reached it.
        #expect(!login("auth.example.com").contains("ssh -L"))
        #expect(!login("latchkey:8080", hop: "192.0.2.9").contains("ssh -L"))
        #expect(login("auth.example.com:8080").contains("ssh -L"))
        // Behind a gateway, which has HTTPS only.
        #expect(!login("auth.example.com", isDirect: false).contains("ssh -L"))
    }
}
