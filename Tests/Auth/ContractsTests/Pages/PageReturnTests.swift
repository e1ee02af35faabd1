/// The way back to an app, with a code for the session.
@Suite("Return to an app") struct PageReturnTests {
    let kit: PageKit

    init() throws {
        kit = try PageKit { $0.pages?.returns = Self.returns }
    }

    private static let app = "https://app.example.com/signed-in"
    private static let scheme = "com.example.app:/signed-in?from=pages"
    private static let returns = [app, scheme]
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636 appendix B.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private static func query(_ changes: [String: String?] = [:]) -> [(String, String)] {
        let standard = [
            "redirect_uri": app, "state": "a b&c=d", "code_challenge": challenge,
            "code_challenge_method": "S256", "response_type": "code",
        ]
        return standard.merging(changes.compactMapValues(\.self)) { $1 }
            .filter { name, _ in !changes.keys.contains(name) || changes[name] != .some(nil) }
            .map { ($0.key, $0.value) }
    }

    /// A browser that an app has sent, signed in. Its location has the code.
    private func returned(_ changes: [String: String?] = [:]) throws -> PageBrowser {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("signin", query: Self.query(changes).map { (name: $0.0, value: $0.1) })
        try #require(browser.status == 200)
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        try #require(browser.status == 303)
        return browser
    }

    private func code(_ browser: PageBrowser) throws -> String {
        let location = try #require(browser.location)
        let start = try #require(location.firstRange(of: "code=")).upperBound
        return String(location[start...].prefix { $0 != "&" })
    }

    private func redeem(_ code: String, _ verifier: String = verifier) -> Answer {
        kit.kit.http(
            "POST", "/auth/ui/token", "{\"code\":\"\(code)\",\"codeVerifier\":\"\(verifier)\"}")
    }

    @Test func `a scheme of the app's own keeps its query, and is a target of forms`() throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open(
            "signin",
            query: Self.query(["redirect_uri": Self.scheme, "state": nil])
                .map { (name: $0.0, value: $0.1) })
        let policy = try #require(browser.header("content-security-policy"))
        #expect(policy.contains("form-action 'self' com.example.app:; frame-ancestors"))
        #expect(browser.text.contains("To continue to com.example.app<"))
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        let location = try #require(browser.location)
        #expect(location.hasPrefix("com.example.app:/signed-in?from=pages&code="))
        #expect(!location.contains("state"))
    }

    @Test func `the links between the pages of an app's sign-in keep the return address`() throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("register", query: Self.query().map { (name: $0.0, value: $0.1) })
        #expect(browser.text.contains("href=\"signin?back=app\""), "\(browser.text)")
        browser.open("signin", query: [("back", "app")])
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(browser.location?.hasPrefix(Self.app + "?code="), true)
    }

    @Test(arguments: ["register", "signin"])
    func `a registration returns, too, with the code of its mail`(first: String) throws {
        var browser = kit.browser()
        browser.open(first, query: Self.query().map { (name: $0.0, value: $0.1) })
        if first == "signin" {
            #expect(browser.text.contains("href=\"register?back=app\""), "\(browser.text)")
            browser.open("register", query: [("back", "app")])
        }
        browser.submit("register", ["email": PageKit.email, "newPassword": PageKit.password])
        browser.open("verify-email")
        browser.submit("verify-email", ["code": try kit.code(), "password": PageKit.password])
        expectEqual(browser.location?.hasPrefix(Self.app + "?code="), true)
        expectEqual(redeem(try code(browser)).status, 200)
    }

    @Test(arguments: ["", "x", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK", challenge])
    func `a wrong verifier is refused, and does not use up the code`(verifier: String) throws {
        let code = try code(try returned())
        expectEqual(redeem(code, verifier).status, 400)
        expectEqual(redeem(code).status, 200)
    }

    @Test func `a code expires after a minute, and with its session and account`() throws {
        let late = try code(try returned())
        kit.kit.clock.advance(by: .seconds(61))
        expectEqual(redeem(late).code, "INVALID_SIGN_IN_CODE")

        // The user has signed out everywhere in the meantime.
        var browser = kit.browser()
        browser.open("signin", query: Self.query().map { (name: $0.0, value: $0.1) })
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        let ended = try code(browser)
        let body = "{\"email\":\"\(PageKit.email)\",\"password\":\"\(PageKit.password)\"}"
        let other = kit.kit.http("POST", "/auth/login", body)
        let refresh = try #require(other["refreshToken"]?.stringValue)
        let all = "{\"refreshToken\":\"\(refresh)\",\"scope\":\"all\"}"
        expectEqual(kit.kit.http("POST", "/auth/signout", all).status, 200)
        expectEqual(redeem(ended).code, "INVALID_SIGN_IN_CODE")
    }

    @Test func `a code gives access to its own session only`() throws {
        let one = try code(try returned()).split(separator: ".")
        var browser = kit.browser()
        browser.open("signin", query: Self.query().map { (name: $0.0, value: $0.1) })
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        let two = try code(browser).split(separator: ".")
        expectEqual(redeem("\(one[0]).\(two[1])").status, 400)
        for text in ["", "x", ".", "\(one[0])", "\(one[0]).", ".\(one[1])", "\(one[0]).\(one[1])."]
        {
            expectEqual(redeem(text).status, 400)
        }
        expectEqual(redeem("\(one[0]).\(one[1])").status, 200)
    }

    static let spellings = [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "", "/",
        "https:evil.example", "https:/evil.example", "https:///evil.example",
        "https://app.example.com", "https://app.example.com/", "https://app.example.com/signed-in/",
        "https://app.example.com/signed-in?", "https://app.example.com/signed-in?x=1",
        "https://app.example.com/signed-in#", "https://app.example.com/signed-in#x",
        "https://app.example.com/signed-in/../evil", "https://app.example.com/Signed-in",
        "https://app.example.com/signed-in%20", "https://app.example.com/signed%2Din",
        "https://app.example.com//signed-in", "https://app.example.com/./signed-in",
        "https://app.example.com:443/signed-in", "https://app.example.com:8443/signed-in",
        "https://APP.example.com/signed-in", "HTTPS://app.example.com/signed-in",
        "http://app.example.com/signed-in", "https://app.example.com./signed-in",
        "https://app.example.com@evil.example/signed-in",
        "https://evil.example@app.example.com/signed-in",
        "https://evil.example/https://app.example.com/signed-in",
        "https://app.example.com.evil.example/signed-in",
        "https://evil.example#https://app.example.com/signed-in",
        "https://evil.example?https://app.example.com/signed-in",
        "https://evil.example\\@app.example.com/signed-in",
        "https://app.example.com\\.evil.example/signed-in",
        " https://app.example.com/signed-in", "https://app.example.com/signed-in ",
        "https://app.example.com/signed-in\n", "https://app.example.com/signed-in\r\nX: y",
        "\thttps://app.example.com/signed-in", "https://app.example.com/signed-in\0",
        "https://app.example.com/signed-in,https://evil.example",
        "https://app.example.com/signed-in https://evil.example",
        "https://app.ex\u{00E4}mple.com/signed-in", "https://app\u{3002}example.com/signed-in",
        "https://\u{FF41}pp.example.com/signed-in", "https://xn--pp-yia.example.com/signed-in",
        "https://[::1]/signed-in", "https://2130706433/", "javascript:alert(1)//https://app",
        "data:text/html,x", "com.example.app:/signed-in", "com.example.app:/signed-in?from=page",
        "com.example.app://signed-in?from=pages", "COM.example.app:/signed-in?from=pages",
        "com.example.app.evil:/signed-in?from=pages", "*", "null", "signin", "account",
    ]

    @Test(arguments: spellings)
    func `any other spelling of an address is refused without a redirect`(address: String) throws {
        var browser = kit.browser()
        for page in ["signin", "register"] {
            browser.open(
                page,
                query: Self.query(["redirect_uri": address]).map { (name: $0.0, value: $0.1) })
            #expect(browser.status == 400 && browser.location == nil)
            #expect(browser.text.contains("to which the app wants to return: "))
        }
        #expect(!browser.cookies.contains { $0.name == "__Host-latchkey-return" })
        // In the cookie, too.
        var planted = kit.browser()
        let parts = [Array(address.utf8), Base64URL.decode(Self.challenge) ?? [], []]
        planted.cookies = [
            ("__Host-latchkey-return", parts.map { Base64URL.encode($0) }.joined(separator: "."))
        ]
        _ = try kit.registered()
        planted.open("signin")
        planted.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(planted.location, "account")
    }

    static let incomplete: [[String: String?]] = [
        ["code_challenge": nil], ["code_challenge": ""], ["code_challenge": "x"],
        ["code_challenge": String(repeating: "A", count: 44)], ["code_challenge_method": nil],
        ["code_challenge_method": "plain"], ["code_challenge_method": "s256"],
        ["response_type": "token"], ["state": String(repeating: "x", count: 513)],
        ["state": "a\nb"], ["state": "\u{00E4}"],
    ]

    @Test(arguments: incomplete)
    func `parameters must be complete`(changes: [String: String?]) throws {
        var browser = kit.browser()
        browser.open("signin", query: Self.query(changes).map { (name: $0.0, value: $0.1) })
        #expect(browser.status == 400 && browser.location == nil)
    }

    @Test func `a parameter that occurs twice is refused`() throws {
        var browser = kit.browser()
        for name in ["redirect_uri", "state", "code_challenge", "code_challenge_method"] {
            let query = Self.query().map { (name: $0.0, value: $0.1) }
            let value = query.first { $0.name == name }?.value ?? ""
            browser.open("signin", query: query + [(name: name, value: value)])
            expectEqual(browser.status, 400, "\(name)")
        }
    }
}
