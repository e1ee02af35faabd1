import AuthPages
import FunctionRuntime

/// The administrator's pages in a browser.
@Suite("Administrator's pages of users") struct AdminConsoleTests {
    let store: MemoryStore
    let counting: CountingStore
    let kit: ContractKit
    let cookies: [(name: String, value: String)]

    init() throws {
        let clock = TestClock()
        store = MemoryStore(clock: clock.wall)
        counting = CountingStore(store)
        kit = try ContractKit(
            .latchkey, store: counting,
            settings: ["STORE": DeploymentSetting(value: "dynamodb:users", source: .environment)])
        cookies = kit.administratorCookies()
    }

    private static let hostile = #"<script>alert("x")</script>'&"#

    private func user(_ subject: String, name: String? = nil) throws -> String {
        try kit.user(subject, name: name).id
    }

    private func page(_ path: String, query: [(name: String, value: String)] = []) -> Answer {
        kit.http("GET", path, query: query, type: nil, cookies: cookies)
    }

    private func submit(
        _ path: String, _ fields: [(String, String)], site: String? = "same-origin"
    ) -> Answer {
        kit.submit(path, fields, site: site, cookies: cookies)
    }

    private func act(
        _ action: String, on id: String, _ fields: [(String, String)]
    ) throws -> Answer {
        let path = "/admin/ui/users/\(id)"
        let token = try page(path).formToken
        return submit("\(path)/\(action)", [("form", token)] + fields)
    }

    @Test func `hostile names and queries are escaped, and in curl quoted for the shell`() throws {
        let id = try user("ada", name: Self.hostile)
        let pages = [
            page("/admin/ui"), page("/admin/ui/users/\(id)"),
            page("/admin/ui", query: [("q", Self.hostile)]),
            page("/admin/ui", query: [("q", "'; reboot #")]),
            page("/admin/ui/users/<script>alert(1)"),
        ]
        for answer in pages {
            let html = answer.text
            #expect(!html.isEmpty && !html.contains("<script"))
            #expect(html.contains("<!DOCTYPE html>"))
            #expect(answer.headers.contains { $0.name == "content-security-policy" })
        }
        #expect(!pages[3].text.contains("curl &#39;&#39;; reboot"))
    }

    @Test func `the page after an action shows the action's cost in the store`()
        throws
    {
        let id = try user("ada")
        let path = "/admin/ui/users/\(id)"
        let token = try page(path).formToken
        for action in ["signout", "disable", "enable"] {
            counting.forget()
            let done = submit("\(path)/\(action)", [("form", token), ("reason", "x")])
            let cost = counting.cost
            #expect(cost.readUnits > 0 && cost.writeUnits > 0)
            let target = try #require(done.location)
            #expect(target.hasSuffix("&reads=\(cost.readUnits)&writes=\(cost.writeUnits)"))
            let query = try #require(
                PercentEncoding.parseForm(String(target.split(separator: "?")[1]), pairsMax: 8))
            counting.forget()
            let html = page(path, query: query).text
            #expect(
                html.contains(
                    "The action used \(cost.readUnits) read units (4 KB each) and "
                        + "\(cost.writeUnits) write units (1 KB each). "
                        + "This page used \(counting.cost.readUnits) read units"))
        }
    }

    @Test(arguments: ["-1", "1e9", "9999999", "<script>", "", "１"])
    func `an invalid cost in a link is not shown`(_ value: String) throws {
        let id = try user("ada")
        for query in [
            [("notice", "disabled"), ("reads", value), ("writes", "1")],
            [("reads", "1"), ("writes", "1")],
            [("notice", value), ("reads", "1"), ("writes", "1")],
        ] {
            let html = page("/admin/ui/users/\(id)", query: query).text
            #expect(html.contains("This page used") && !html.contains("The action used"))
        }
    }

    // MARK: Languages

    @Test func `the language of the browser or the address is kept`() throws {
        let id = try user("ada")
        let path = "/admin/ui/users/\(id)"
        let browser = kit.http(
            "GET", path, type: nil, headers: [HTTPHeader("accept-language", "de-CH, en;q=0.5")],
            cookies: cookies
        ).text
        #expect(browser.contains("<html lang=\"de\">") && browser.contains("Konto angelegt"))
        #expect(browser.contains("action=\"../../../admin/ui/users/\(id)/disable\""))

        let german = [(name: "ui_locales", value: "de")]
        let form = page(path, query: german)
        let html = form.text
        #expect(html.contains(">Sperren</button>"))
        #expect(html.contains("href=\"../../../admin/ui/system?ui_locales=de\""))
        #expect(html.contains("action=\"../../../admin/ui/users/\(id)/disable?ui_locales=de\""))
        #expect(page("/admin/ui", query: german).text.contains("name=\"ui_locales\" value=\"de\""))
        func disable(_ fields: [(String, String)]) -> Answer {
            kit.http(
                "POST", "\(path)/disable", PercentEncoding.form(fields), query: german,
                type: "application/x-www-form-urlencoded",
                headers: [HTTPHeader("sec-fetch-site", "same-origin")], cookies: cookies)
        }
        let token = ("form", try form.formToken)
        let refused = disable([token]).text
        #expect(refused.contains("Begründung fehlt.") && refused.contains(">Zurück</a>"))
        let done = disable([token, ("reason", "Ticket 1")])
        #expect(done.location?.hasSuffix("&ui_locales=de") == true)
    }

    @Test func `the sign-in and each group of settings are translated`() throws {
        let german = [(name: "ui_locales", value: "de")]
        let signIn = kit.http("GET", "/admin/ui", query: german)
        expectEqual(
            signIn.location,
            "/auth/admin/login?next=%2Fadmin%2Fui%3Fui_locales%3Dde&ui_locales=de")
        let login = kit.http("GET", "/auth/admin/login", query: german)
        #expect(login.text.contains("action=\"login?ui_locales=de\""))
        #expect(login.text.contains("<h1>Verwaltung</h1>"))
        func groups(_ query: [(name: String, value: String)]) -> [String] {
            page("/admin/ui/system", query: query).text
                .matches(of: /<summary>([^<]+) \(\d+ (?:of|von) \d+/).map { String($0.1) }
        }
        let english = AdminText.texts(in: .english)
        let known = AdminText.allCases.filter { english.key($0).hasPrefix("group.") }
        expectEqual(groups([]), known.map { english($0) })
        expectEqual(groups(german), known.map { AdminText.texts(in: .german)($0) })
    }

    // MARK: Actions

    @Test func `a refused form is shown with what was typed, except the password`() throws {
        let token = try page("/admin/ui").formToken
        let typed = [
            ("email", "no address"), ("name", Self.hostile), ("reason", "Ticket 1"),
            ("password", "wrong secret"),
        ]
        let refused = submit("/admin/ui/users", [("form", token)] + typed)
        #expect(refused.status == 401 && !refused.text.contains("<script"))
        for part in ["value=\"no address\"", "value=\"Ticket 1\"", "value=\"\(token)\""] {
            #expect(refused.text.contains(part))
        }
        #expect(refused.text.contains("name=\"password\""))
        #expect(!refused.text.contains("wrong secret"))
        #expect(!submit("/admin/ui/users", typed).text.contains("<form"))
    }

    @Test func `an action needs the form's token, its own origin, and a reason`() throws {
        let id = try user("ada")
        let path = "/admin/ui/users/\(id)"
        let token = try page(path).formToken
        let reason = ("reason", "Ticket 1")
        #expect(submit("\(path)/disable", [reason]).status == 403)
        #expect(submit("\(path)/disable", [reason, ("form", "AAAA")]).status == 403)
        for site in ["same-site", "cross-site", nil] {
            let answer = submit("\(path)/disable", [reason, ("form", token)], site: site)
            #expect(answer.status == 403)
        }
        #expect(submit("\(path)/disable", [("form", token)]).status == 400)
        #expect(submit("\(path)/disable", [("form", token), ("reason", "  ")]).status == 400)
        let long = String(repeating: "x", count: 501)
        #expect(submit("\(path)/disable", [("form", token), ("reason", long)]).status == 400)
        #expect(!page(path).text.contains(">disabled</span>"))
        let done = submit("\(path)/disable", [reason, ("form", token)])
        #expect(done.status == 303)
        #expect(
            done.location?.hasPrefix("../../../../admin/ui/users/\(id)?notice=disabled&") == true)
        #expect(page(path).text.contains(">disabled</span>"))
    }

    @Test func `the timeline shows an action, its reason, and that its event is verified`() throws {
        let id = try user("ada")
        #expect(try act("disable", on: id, [("reason", "Ticket <7>")]).status == 303)
        #expect(try act("enable", on: id, [("reason", "Found")]).status == 303)
        let html = page("/admin/ui/users/\(id)").text
        #expect(html.contains("Reason: Ticket &lt;7&gt;"))
        #expect(html.contains("by the administrator"))
        #expect(html.contains("and none is missing."))
        #expect(html.matches(of: /title="verified"/).count == 3)
    }

    @Test func `the timeline marks events that are not genuine`() throws {
        let id = try user("ada")
        let user = try #require(UserID(parsing: id))
        let rows = try store.query(
            PartitionQuery(AuditChain.account(user).partition, limit: 10)
        ).items
        var changed = try #require(rows.first)
        changed.attributes["address"] = .text("203.0.113.99")
        try store.write([.put(changed, when: [])])
        let html = page("/admin/ui/users/\(id)").text
        #expect(html.contains("The audit log was tampered with: changed 1"))
        #expect(html.contains("✗ not genuine"))
        try store.write([.delete(changed.key, when: [])])
        #expect(page("/admin/ui/users/\(id)").text.contains("tampered with: missing 1"))
    }

    @Test func `an event that cannot be read is reported on older pages too`() throws {
        let id = try user("ada")
        let user = try #require(UserID(parsing: id))
        let path = "/admin/ui/users/\(id)"
        for _ in 0..<26 {
            _ = try act("disable", on: id, [("reason", "x")])
            _ = try act("enable", on: id, [("reason", "x")])
        }
        var (oldest, cursor) = (page(path).text, "")
        while let link = oldest.firstMatch(of: /after=([^" ]+)">Older/) {
            let next = try #require(PercentEncoding.decode(String(link.1), plusIsSpace: false))
            try #require(next != cursor)
            cursor = next
            oldest = page(path, query: [("after", cursor)]).text
        }
        #expect(!cursor.isEmpty)
        #expect(oldest.contains("Account created") && !oldest.contains("tampered"))
        let rows = try store.query(
            PartitionQuery(AuditChain.account(user).partition, limit: 100)
        ).items
        var changed = try #require(rows.last)
        changed.attributes["at"] = nil
        try store.write([.put(changed, when: [])])
        #expect(page(path, query: [("after", cursor)]).text.contains("tampered with: changed 1"))
    }

    @Test func `a deletion needs the password again, and erases the account`() throws {
        let id = try user("ada")
        let reason = ("reason", "Asked by mail")
        #expect(try act("delete", on: id, [reason]).status == 400)
        #expect(try act("delete", on: id, [reason, ("password", "wrong")]).status == 401)
        #expect(page("/admin/ui/users/\(id)").text.contains("ada@example.com"))
        let done = try act("delete", on: id, [reason, ("password", "open sesame")])
        #expect(done.location?.hasPrefix("../../../../admin/ui?notice=deleted&") == true)
        #expect(page("/admin/ui/users/\(id)").status == 404)
        let found = page("/admin/ui", query: [("q", "ada@example.com")])
        #expect(found.text.contains("No user found."))
        let user = try #require(UserID(parsing: id))
        let events = try store.query(
            PartitionQuery(AuditChain.account(user).partition, limit: 10)
        ).items
        #expect(events.first?.attributes["event"] == .text("accountDeleted"))
        #expect(events.first?.attributes["reason"] == .text("Asked by mail"))
        #expect(events.first?.attributes["by"] == .text("password"))
    }

    @Test func `guesses at the password of a deletion are limited, right ones are not`() throws {
        for number in 1...6 {
            let id = try user("ada \(number)")
            let done = try act("delete", on: id, [("reason", "x"), ("password", "open sesame")])
            expectEqual(done.status, 303)
        }
        let id = try user("ada")
        var last = try act("delete", on: id, [("reason", "x"), ("password", "wrong")])
        for _ in 0..<5 {
            last = try act("delete", on: id, [("reason", "x"), ("password", "wrong")])
        }
        #expect(last.status == 429 && last.text.contains("Try again in "))
    }

    @Test func `users do not see the reasons of administrators`() throws {
        let answer = kit.signedIn(FakeIdentity { $0.subject = "ada" })
        let id = try #require(answer["user"]?["id"]?.stringValue)
        let token = try #require(answer["accessToken"]?.stringValue)
        let made = kit.http(
            "PUT", "/auth/users/\(id)/admin", #"{"reason":"a secret","password":"open sesame"}"#,
            cookies: cookies)
        expectEqual(made.status, 200)
        let seen = kit.http("GET", "/auth/users/\(id)/audit", cookies: cookies)
        expectEqual(seen["events"]?.arrayValue?.first?["reason"], "a secret")
        for path in ["/auth/audit", "/auth/export"] {
            let own = kit.http("GET", path, bearer: token)
            #expect(own.status == 200 && own["events"]?.arrayValue?.isEmpty == false, "\(path)")
            expectEqual(own["events"]?.arrayValue?.contains { $0["reason"] != nil }, false)
        }
    }
}
