import FunctionRuntime

/// The administrator's password, cookie and session.
@Suite("Administrators' sessions") struct AdminLoginTests {
    let store: MemoryStore
    let kit: ContractKit

    /// `news_app` with a page of an application behind the administrator's session.
    init() throws {
        let clock = TestClock()
        store = MemoryStore(clock: clock.wall)
        let base = Contract.newsApp
        kit = try ContractKit(
            Contract(
                name: base.name, policy: base.policy, rules: base.rules,
                endpoints: base.endpoints + [
                    .adminOnly(AuthOperation("dashboard"), .get("/admin/")) { _, _ in
                        .html(200, "<h1>Dashboard</h1>")
                    },
                    .adminOnly(AuthOperation("change"), .post("/admin/change")) { _, _ in
                        .noContent
                    },
                ], errors: base.errors), store: store)
    }

    private func login(
        _ password: String = "open sesame", next: String? = nil,
        cookies: [(name: String, value: String)] = []
    ) -> Answer {
        let pairs = [("password", password)] + (next.map { [("next", $0)] } ?? [])
        return kit.submit("/auth/admin/login", pairs, cookies: cookies)
    }

    private func cookie(_ answer: Answer) throws -> [(name: String, value: String)] {
        let cookie = try #require(answer.cookies.first)
        return [(cookie.name, cookie.value)]
    }

    private func page(
        _ cookies: [(name: String, value: String)], _ path: String = "/admin/"
    ) -> Answer {
        kit.http("GET", path, type: nil, cookies: cookies)
    }

    @Test func `the store has the hash of the cookie and not the cookie`() throws {
        let value = try cookie(login())[0].value
        let bytes = try #require(Base64URL.decode(value))
        expectEqual(bytes.count, 32)
        let key = ItemKey("ADMINSESSION#\(Base64URL.encode(SHA256.hash(bytes)))", "SESSION")
        try expectEqual(store.get(key)?.expiresAt, kit.clock.now + .hours(1))
    }

    @Test func `a page without a session redirects to the login and back`() throws {
        let refused = page([])
        expectEqual(refused.status, 303)
        expectEqual(refused.location, "/auth/admin/login?next=%2Fadmin%2F")
        let login = kit.http("GET", "/auth/admin/login")
        #expect(login.status == 200 && login.body?.type == "text/html; charset=utf-8")
        let entered = self.login(next: "/admin/?page=2")
        expectEqual(entered.location, "/admin/?page=2")
        // A redirect cannot repeat a request that changes something.
        let post = kit.http("POST", "/admin/change")
        expectEqual(post.location, "/auth/admin/login")
    }

    @Test func `the login page keeps the return path, escaped, and has no script`() {
        let answer = kit.http("GET", "/auth/admin/login", query: [("next", "/a?b=\"><script>&c='")])
        let page = answer.text
        #expect(page.contains("value=\"/a?b=&quot;&gt;&lt;script&gt;&amp;c=&#39;\""))
        #expect(!page.contains("<script") && page.contains("type=\"password\""))
        let policy = answer.value("content-security-policy")
        expectEqual(policy?.contains("default-src 'none'"), true)
    }

    static let destinations: [(String, String)] = [
        ("/admin/", "/admin/"), ("/admin/?a=b&c=%2F", "/admin/?a=b&c=%2F"), ("/", "/"),
        ("", "/"), ("admin", "/"), ("//evil.example", "/"), ("///evil.example", "/"),
        ("/\\evil.example", "/"), ("\\\\evil.example", "/"), ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"), ("/\t/evil.example", "/"), ("/\n/evil.example", "/"),
        ("/a\r\nset-cookie: a=b", "/"), (" //evil.example", "/"), ("/é", "/"), ("/a b", "/"),
        ("/a\u{0}", "/"), ("/a\\b", "/"), ("/" + String(repeating: "a", count: 2048), "/"),
        ("/%2F/evil.example", "/%2F/evil.example"),
    ]

    @Test(arguments: destinations) func `a login redirects to a path of its own origin`(
        next: String, expected: String
    ) {
        expectEqual(LocalPath(next).text, expected)
        expectEqual(login(next: next).location, expected)
    }

    @Test func `a path that looks like another host is not redirected to`() {
        for path in ["//evil.example/", "/\\evil.example"] {
            let request = Request(method: "GET", path: path, requestID: "1")
            #expect(!LocalPath(of: request).text.hasPrefix("//"))
        }
        let request = Request(method: "GET", path: "/a b/é", query: [("q", "x&y")], requestID: "1")
        expectEqual(LocalPath(of: request).text, "/a%20b/%C3%A9?q=x%26y")
    }

    @Test func `guesses from all addresses share a limit`() {
        func attempt(_ index: Int) -> Int? {
            let request = Request(
                method: "POST", path: "/auth/admin/login", body: Array(#"{"password":"x"}"#.utf8),
                sourceAddress: "192.0.2.\(index)", requestID: "1")
            return kit.send(request)?.answer.status
        }
        for index in 0..<50 { expectEqual(attempt(index), 401) }
        expectEqual(attempt(60), 429)
    }

    @Test func `a session ends an hour after its last use, and after twelve hours`() throws {
        let mine = try cookie(login())
        for _ in 0..<23 {
            kit.clock.advance(by: .minutes(30))
            expectEqual(page(mine).status, 200)
        }
        kit.clock.advance(by: .minutes(30))
        expectEqual(page(mine).status, 303)
        let other = try cookie(login())
        kit.clock.advance(by: .hours(1))
        expectEqual(page(other).status, 303)
    }

    @Test func `logging in again ends the browser's previous session`() throws {
        let first = try cookie(login())
        let second = try cookie(login(cookies: first))
        #expect(page(first).status == 303 && page(second).status == 200)
    }

    @Test func `a login, a failed one and a logout are audited`() throws {
        _ = login("wrong")
        let mine = try cookie(login())
        _ = kit.http("POST", "/auth/admin/logout", "", cookies: mine)
        let chains = [AuditChain.administration, .administrationAttempts]
        let records = try chains.flatMap {
            try store.query(PartitionQuery($0.partition, limit: 10)).items
        }
        let events = Set(records.compactMap { $0.attributes["event"] })
        expectEqual(
            events,
            [.text("adminLoginFailed"), .text("adminLoggedIn"), .text("adminLoggedOut")])
        #expect(records.allSatisfy { $0.attributes["address"] == .text("192.0.2.1") })
    }
}
