/// Requests that other sites, other users and other tabs send.
@Suite("Attacks on pages") struct PageAttackTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let session = "__Host-latchkey"
    private static let form = "__Host-latchkey-form"

    static let foreign: [[HTTPHeader]] = [
        [], [HTTPHeader("origin", "null")], [HTTPHeader("origin", "https://evil.example")],
        [HTTPHeader("sec-fetch-site", "cross-site")], [HTTPHeader("sec-fetch-site", "same-site")],
        [HTTPHeader("sec-fetch-site", "none")],
        [
            HTTPHeader("sec-fetch-site", "cross-site"),
            HTTPHeader("origin", "https://auth.example.com"),
            HTTPHeader("host", "auth.example.com"),
        ],
        [
            HTTPHeader("origin", "https://auth.example.com.evil.example"),
            HTTPHeader("host", "auth.example.com"),
        ],
        [HTTPHeader("origin", "https://auth.example.com"), HTTPHeader("host", "evil.example")],
    ]

    @Test(arguments: foreign)
    func `a form from another site is refused, and its text is not shown`(
        headers: [HTTPHeader]
    ) throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("signin")
        browser.headers = headers
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        #expect(browser.status == 403 && browser.cookie(Self.session) == nil)
        #expect(browser.text.contains("sent from another site"))
        #expect(!browser.text.contains(PageKit.email))
    }

    @Test(arguments: [
        "signout", "revoke-session", "add-password", "confirm-email", "passkey-options",
    ])
    func `a form of a signed-in person needs its own token, too`(page: String) throws {
        var browser = try kit.registered()
        browser.open("account")
        for token in ["", "x", String(repeating: "A", count: 43)] {
            browser.submit(page, ["id": "x", "scope": "all"], token: token)
            expectEqual(browser.status, 403)
        }
        browser.open("account")
        expectEqual(browser.status, 200)
    }

    @Test func `login CSRF: the token of another browser is refused`() throws {
        _ = try kit.registered()
        var (attacker, victim) = (kit.browser(), kit.browser())
        attacker.open("signin")
        victim.open("signin")
        let fields = ["email": PageKit.email, "password": PageKit.password]
        victim.submit("signin", fields, token: attacker.hidden("form"))
        #expect(victim.status == 403 && victim.cookie(Self.session) == nil)
        // A browser that was never given a form.
        var fresh = kit.browser()
        fresh.submit("signin", fields, token: attacker.hidden("form"))
        expectEqual(fresh.status, 403)
        victim.open("signin")
        victim.submit("signin", fields)
        expectEqual(victim.status, 303)
    }

    @Test func `a sign-in and a sign-out replace every earlier cookie`() throws {
        var browser = try kit.registered()
        let first = try #require(browser.cookie(Self.form))
        browser.open("account")
        let token = browser.hidden("form")
        browser.submit("signout", ["scope": "session"])
        let second = try #require(browser.cookie(Self.form))
        #expect(first != second)
        browser.open("signin")
        let fields = ["email": PageKit.email, "password": PageKit.password]
        browser.submit("signin", fields, token: token)
        expectEqual(browser.status, 403)
        browser.open("signin")
        browser.submit("signin", fields)
        expectEqual(browser.status, 303)
        #expect(browser.cookie(Self.form) != second)
        expectEqual(browser.cookies.map(\.name).sorted(), [Self.session, Self.form])
    }

    @Test func `a planted session cookie is replaced by a sign-in, and its session ends`() throws {
        var attacker = try kit.registered("eve@example.com")
        _ = try kit.registered()
        var victim = kit.browser()
        let planted = try #require(attacker.cookie(Self.session))
        victim.cookies = [(Self.session, planted)]
        victim.open("signin", query: [("notice", "signedOut")])
        victim.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        #expect(victim.status == 303 && victim.cookie(Self.session) != planted)
        victim.open("account")
        #expect(victim.text.contains(PageKit.email) && !victim.text.contains("eve@"))
        attacker.open("account")
        expectEqual(attacker.location, "signin")
    }

    static let hostile = [
        "\"><img src=x onerror=alert(1)>", "</title><script>alert(1)</script>",
        "'\"><svg/onload=alert(1)>", "{email}{count}", "&quot;><b>", "\u{202E}evil", "</style><b>",
    ]

    @Test(arguments: hostile)
    func `hostile text is escaped`(text: String) throws {
        var browser = kit.browser(text)
        browser.open("signin", query: [("notice", text), ("ui_locales", text)])
        let pages = ["signin", "register", "reset", "magic-link"]
        func isPlain(_ browser: PageBrowser) -> Bool {
            !browser.text.contains("<img src=x") && !browser.text.contains("<script>")
                && !browser.text.contains("<svg/") && !browser.text.contains("<b>")
                && browser.text.components(of: "<style").count == 2
        }
        #expect(isPlain(browser))
        for page in pages {
            browser.open(page, query: [("token", text), ("notice", text), ("ui_locales", text)])
            #expect(isPlain(browser), "\(page)")
            browser.open("signin")
            browser.submit(
                page,
                [
                    "email": text, "password": text, "newPassword": text, "name": text,
                    "code": text, "token": text, "ask": text, "recoveryCode": text,
                ])
            #expect((400..<500).contains(browser.status) && isPlain(browser), "\(page)")
        }
        // The name of an account and the user agents of its sessions.
        var owner = kit.browser(text)
        owner.open("register")
        owner.submit(
            "register",
            ["email": PageKit.email, "newPassword": PageKit.password, "name": text])
        owner.open("verify-email")
        #expect(isPlain(owner))
        owner.submit("verify-email", ["code": try kit.code(), "password": PageKit.password])
        owner.open("account")
        #expect(owner.status == 200 && isPlain(owner))
        // Cookies, whose text is shown.
        owner.cookies.append(("__Host-latchkey-mail", "x.PGI-PGltZyBzcmM9eD4"))
        owner.open("verify-email")
        #expect(isPlain(owner))
    }

    @Test func `tabs with an expired access token refresh at once and stay signed in`() throws {
        var browser = try kit.registered()
        let before = browser.cookies
        kit.kit.clock.advance(by: .minutes(16))
        var tabs = [browser, browser, browser]
        for index in tabs.indices {
            tabs[index].open("account")
            expectEqual(tabs[index].status, 200)
        }
        let refreshed = try tabs.map {
            String(try #require($0.cookie(Self.session)).prefix { $0 != "~" })
        }
        expectEqual(Set(refreshed).count, 1)
        browser.cookies = tabs[1].cookies
        kit.kit.clock.advance(by: .minutes(5))
        browser.open("account")
        #expect(browser.status == 200 && browser.answer.cookies.isEmpty, "nothing is written")
        // The earlier cookie is a copy: its use ends the session (RFC 9700 4.14.2).
        var thief = kit.browser()
        thief.cookies = before
        thief.open("account")
        #expect(thief.location == "signin" && thief.cookie(Self.session) == nil)
        kit.kit.clock.advance(by: .minutes(16))
        browser.open("account")
        expectEqual(browser.location, "signin")
    }

    @Test func `a refreshed session keeps its new cookie when the form is refused`() throws {
        var browser = try kit.registered()
        browser.open("account")
        kit.kit.clock.advance(by: .minutes(16))
        let before = browser.cookie(Self.session)
        browser.submit("revoke-session", ["id": "nothing"])
        #expect(browser.status == 404 && browser.cookie(Self.session) != before)
        kit.kit.clock.advance(by: .minutes(16))
        browser.open("account")
        expectEqual(browser.status, 200)
    }

    static let broken = [
        "", "~", "~~", "x", "lkr_x~", "~eyJ", "lkr_~x~y", String(repeating: "x", count: 5000),
    ]

    @Test(arguments: broken)
    func `a broken cookie does not open a session`(cookie: String) throws {
        var browser = kit.browser()
        browser.cookies = [(Self.session, cookie), (Self.form, cookie)]
        browser.open("account")
        #expect(browser.status == 303 && browser.location == "signin")
        browser.open("signin", query: [("notice", "revoked")])
        #expect(browser.status == 200 && browser.hidden("form") != nil)
    }
}

extension String {
    fileprivate func components(of mark: String) -> [Substring] {
        split(separator: mark, omittingEmptySubsequences: false)
    }
}
