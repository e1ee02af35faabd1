import FunctionRuntime

/// Sign-in with Apple, Google and others on the pages.
@Suite("Providers on pages") struct PageProviderTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let held = "__Host-latchkey-provider"
    private static let session = "__Host-latchkey"

    /// A browser at the provider, and where that sends it back.
    private func atProvider(
        _ provider: String, from page: String = "signin", _ fields: [String: String] = [:],
        _ browser: PageBrowser? = nil
    ) throws -> (browser: PageBrowser, address: String) {
        var browser = browser ?? kit.browser()
        browser.open(page)
        browser.submit("provider", fields.merging(["provider": provider]) { $1 })
        let refresh = try #require(browser.header("refresh"), "\(browser.status) \(browser.text)")
        return (browser, String(refresh.dropFirst("0;url=".count)))
    }

    /// The provider's answer to the address: a code, and the state.
    private func approve(
        _ address: String, subject: String = "001", email: String? = "ada@example.com"
    ) throws -> [(name: String, value: String)] {
        let (code, state) = try kit.kit.fake.approve(address) {
            $0.subject = subject
            $0.email = email
        }
        return [("code", code), ("state", state)]
    }

    private func signedIn(_ provider: String = "google") throws -> PageBrowser {
        var (browser, address) = try atProvider(provider)
        browser.open("callback/\(provider)", query: try approve(address))
        try #require(browser.location == "../account", "\(browser.text)")
        return browser
    }

    @Test func `Apple's form is sent again with the cookies, and has the name only once`() throws {
        var (browser, address) = try atProvider("apple")
        let answer = try approve(address)
        let mine = browser.cookies
        // Another site's form brings no cookies.
        browser.cookies = []
        browser.headers = [HTTPHeader("sec-fetch-site", "cross-site")]
        let user = "{\"name\":{\"firstName\":\"Ada\",\"lastName\":\"Lovelace\"}}"
        browser.submit(
            "callback/apple",
            ["code": answer[0].value, "state": answer[1].value, "user": user, "form": ""])
        expectEqual(browser.status, 303)
        expectEqual(browser.location, "apple?code=\(answer[0].value)&state=\(answer[1].value)")
        expectEqual(browser.cookie(Self.session), nil)
        browser.cookies += mine
        browser.open("callback/apple", query: answer)
        expectEqual(browser.location, "../account")
        expectEqual(browser.cookie("__Host-latchkey-name"), nil)
        browser.open("account")
        #expect(browser.text.contains("Signed in as Ada Lovelace"))
    }

    @Test(arguments: [
        "", "x", "{}", "[]", "{\"name\":\"x\"}", "{\"name\":{\"firstName\":1}}",
        String(repeating: "x", count: 5000),
    ])
    func `a name that cannot be read is left out`(user: String) throws {
        var (browser, address) = try atProvider("apple")
        let answer = try approve(address)
        browser.submit(
            "callback/apple",
            ["code": answer[0].value, "state": answer[1].value, "user": user, "form": ""])
        browser.open("callback/apple", query: answer)
        expectEqual(browser.location, "../account")
        browser.open("account")
        #expect(browser.text.contains("Signed in as ada@example.com"))
    }

    @Test(arguments: [
        "https:evil.example", "javascript:alert(1)", "evil.example", "Apple", "apple ", "..", "",
        "\\evil.example", "//evil.example", "apple%2F..",
    ])
    func `a form cannot choose the address of a redirect`(provider: String) {
        var browser = kit.browser()
        browser.submit("callback/\(provider)", ["code": "x", "state": "x", "form": ""])
        #expect(browser.status >= 400 && browser.location == nil)
    }

    @Test func `a name that was sent with another state is ignored`() throws {
        var (browser, address) = try atProvider("apple")
        let other = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let user = "{\"name\":{\"firstName\":\"Mallory\"}}"
        for state in [other, "a; Domain=example.com", "x.y"] {
            browser.submit(
                "callback/apple", ["code": "x", "state": state, "user": user, "form": ""])
            #expect(browser.answer.cookies.allSatisfy { !$0.value.contains(";") })
        }
        browser.open("callback/apple", query: try approve(address))
        browser.open("account")
        #expect(!browser.text.contains("Mallory"))
    }

    @Test func `a code is valid once, with its state, in the browser that began the sign-in`()
        throws
    {
        var (browser, address) = try atProvider("google")
        let answer = try approve(address)
        var other = kit.browser()
        other.open("callback/google", query: answer)
        #expect(other.status == 400 && other.cookie(Self.session) == nil)
        // Login CSRF: the code and state of another browser, which has begun one, too.
        var (victim, _) = try atProvider("google")
        victim.open("callback/google", query: answer)
        #expect(victim.status == 400 && victim.cookie(Self.session) == nil)
        for query in [[answer[0]], [answer[1]], [answer[0], ("state", "x")], []] {
            var copy = browser
            copy.open("callback/google", query: query)
            expectEqual(copy.cookie(Self.session), nil)
        }
        // Mix-up: the answer does not come from the provider that was asked.
        var mixed = browser
        mixed.open("callback/apple", query: answer)
        expectEqual(mixed.status, 400)
        var thief = browser
        browser.open("callback/google", query: answer)
        expectEqual(browser.location, "../account")
        thief.open("callback/google", query: answer)
        #expect(thief.status == 401 && thief.cookie(Self.session) == nil)
        expectEqual(thief.cookie(Self.held), nil)
        browser.open("callback/google", query: answer)
        expectEqual(browser.status, 400)
    }

    @Test func `a token without the nonce of this browser is refused`() throws {
        var (browser, address) = try atProvider("google")
        let answer = try approve(address)
        var parts = try #require(browser.cookie(Self.held)).split(separator: ".").map(String.init)
        let other = try kit.kit.auth.challenge(Caller(address: "192.0.2.7")).nonce
        parts[2] = other
        browser.cookies.removeAll { $0.name == Self.held }
        browser.cookies.append((Self.held, parts.joined(separator: ".") + "."))
        browser.open("callback/google", query: answer)
        #expect(browser.status == 401 && browser.cookie(Self.session) == nil)
    }

    @Test func `an expired sign-in begins again`() throws {
        var (browser, address) = try atProvider("google")
        let answer = try approve(address)
        kit.kit.clock.advance(by: .minutes(11))
        browser.open("callback/google", query: answer)
        #expect(browser.status == 401 && browser.cookie(Self.session) == nil)
    }

    @Test func `only the page's own buttons start a sign-in at a provider`() throws {
        var browser = kit.browser()
        browser.open("signin")
        for (provider, name) in [("apple", "Apple"), ("google", "Google")] {
            let button = #"<button class="way \#(provider)" name="provider" value="\#(provider)">"#
            let start = try #require(browser.text.firstRange(of: button)).upperBound
            let content = browser.text[start...].prefix { $0 != "\n" }
            #expect(content.hasPrefix(#"<svg class="mark""#))
            #expect(content.hasSuffix("Continue with \(name)</button>"))
        }
        browser.submit("provider", ["provider": "google"], token: "x")
        #expect(browser.status == 403 && browser.cookie(Self.held) == nil)
        browser.open("signin")
        for name in ["evil", "", "Google", "google "] {
            browser.submit("provider", ["provider": name])
            #expect(browser.status >= 400 && browser.header("refresh") == nil)
        }
    }

    @Test func `the page reports that a provider does not answer, and nothing is used up`() throws {
        var (browser, address) = try atProvider("google")
        let answer = try approve(address)
        kit.kit.fake.refuseCodes(.signIn(.identityRejected(.keysUnavailable(.unreachable))))
        browser.open("callback/google", query: answer)
        #expect(browser.status == 503 && browser.text.contains("at the moment"))
    }

    @Test func `the second factor is required, and apps get their code`() throws {
        var browser = try signedIn()
        let access = String(try #require(browser.cookie(Self.session)?.split(separator: "~").last))
        let enrolled = kit.kit.http("POST", "/auth/totp", bearer: access)
        let secret = try #require(enrolled["secret"]?.stringValue)
        let code = try kit.code(of: secret)
        expectEqual(
            kit.kit.http("POST", "/auth/totp/confirm", "{\"code\":\"\(code)\"}", bearer: access)
                .status, 200)
        var (other, address) = try atProvider("google")
        other.open("callback/google", query: try approve(address))
        #expect(other.location == "../second-factor" && other.cookie(Self.session) == nil)
        browser.open("account")
        expectEqual(browser.location, "signin")
    }

    @Test func `an identity that one user began to add is not added to the next user's account`()
        throws
    {
        let browser = try kit.registered()
        var (begun, address) = try atProvider("google", from: "account", ["add": "1"], browser)
        let next = try kit.registered("grace@example.com")
        begun.cookies.removeAll { $0.name == Self.session }
        begun.cookies.append((Self.session, try #require(next.cookie(Self.session))))
        begun.open("callback/google", query: try approve(address))
        expectEqual(begun.status, 400)
        begun.open("account")
        #expect(begun.text.contains("Add Google"))
        // The user has signed out in the meantime.
        let again = try atProvider("google", from: "account", ["add": "1"], browser)
        var out = again.browser
        out.cookies.removeAll { $0.name == Self.session }
        out.open("callback/google", query: try approve(again.address))
        #expect(out.status == 401 && out.cookie(Self.session) == nil)
    }

    @Test(arguments: [
        "", "....", "google.x", "google...x.", String(repeating: "x", count: 2000),
        "google.s.n.v.s.t",
    ])
    func `a broken cookie does not begin a sign-in`(cookie: String) throws {
        var browser = kit.browser()
        browser.cookies = [(Self.held, cookie)]
        browser.open("callback/google", query: [("code", "x"), ("state", "x")])
        expectEqual(browser.status, 400)
    }
}
