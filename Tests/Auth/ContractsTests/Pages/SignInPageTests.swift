/// Registration and sign-in on the pages, and what they refuse.
@Suite("Sign-in pages") struct SignInPageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let session = "__Host-latchkey"

    @Test func `a link signs in only the app that requested it`() throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("signin")
        browser.submit("magic-link", ["email": PageKit.email, "ask": "mail", "password": ""])
        expectEqual(browser.location, "magic-link")
        let token = try kit.token()
        // Whoever opens the link, such as a scanner of mail, does not use it.
        var other = kit.browser()
        other.open("magic-link", query: [("token", token)])
        #expect(other.status == 400 && other.hidden("token") == nil)
        other.submit("magic-link", ["token": token])
        #expect(other.status == 400 && other.cookie(Self.session) == nil)
        browser.open("magic-link", query: [("token", token)])
        browser.submit("magic-link", [:])
        #expect(browser.status == 303 && browser.location == "account")
        // Once.
        var again = browser
        again.cookies = other.cookies
        again.open("magic-link", query: [("token", token)])
        again.submit("magic-link", ["token": token])
        expectEqual(again.status, 400)
    }

    /// A page's response must not reveal whether there is an account.
    @Test(arguments: ["register", "reset", "magic-link"])
    func `known and unknown addresses get the same answer`(page: String) throws {
        _ = try kit.registered()
        var answers: [Answer] = []
        for email in [PageKit.email, "bob@example.com"] {
            var browser = kit.browser()
            browser.open("signin")
            browser.submit(page, ["email": email, "newPassword": PageKit.password, "ask": "mail"])
            answers.append(browser.answer)
        }
        expectEqual(answers[0].status, 303)
        expectEqual(answers[0].status, answers[1].status)
        #expect(answers[0].headers.elementsEqual(answers[1].headers) { $0 == $1 })
        expectEqual(
            answers[0].cookies.map { "\($0.name) \($0.value.utf8.count)" },
            answers[1].cookies.map { "\($0.name) \($0.value.utf8.count)" })
    }

    @Test func `a wrong password and an unknown address look the same`() throws {
        _ = try kit.registered()
        var pages: [String] = []
        for email in [PageKit.email, "bob@example.com"] {
            var browser = kit.browser()
            browser.open("signin")
            browser.submit("signin", ["email": email, "password": "wrong wrong wrong"])
            expectEqual(browser.status, 401)
            let token = try #require(browser.hidden("form"))
            pages.append(browser.text.replacing(email, with: "").replacing(token, with: ""))
        }
        expectEqual(pages[0], pages[1])
        #expect(pages[0].contains("The e-mail address or the password is wrong."))
    }

    @Test func `errors are shown at their field, and passwords are not repeated`() throws {
        var browser = kit.browser()
        browser.open("register")
        browser.submit("register", ["email": PageKit.email, "newPassword": "short", "name": "Ada"])
        expectEqual(browser.status, 400)
        #expect(browser.text.contains("Use at least 12 characters."))
        #expect(browser.text.contains(#"value="ada@example.com""#))
        #expect(!browser.text.contains(#"value="short""#))
        browser.submit("register", ["email": "nobody", "newPassword": PageKit.password])
        #expect(browser.text.contains("This is not an e-mail address."))
        browser.submit("register", ["email": "", "newPassword": PageKit.password])
        #expect(browser.text.contains("This field is required."))
    }

    @Test func `the limits of the operations apply, and are shown`() throws {
        var browser = kit.browser()
        browser.open("signin")
        let form = try #require(browser.hidden("form"))
        for _ in 0..<10 {
            browser.submit("signin", ["email": PageKit.email, "password": "x", "form": form])
            expectEqual(browser.status, 401)
        }
        browser.submit("signin", ["email": PageKit.email, "password": "x", "form": form])
        expectEqual(browser.status, 429)
        #expect(browser.header("retry-after") != nil)
        #expect(browser.text.contains("Too many attempts."))
        // An app's requests count in the same window.
        let body = #"{"email":"ada@example.com","password":"x"}"#
        expectEqual(kit.kit.http("POST", "/auth/login", body).status, 429)
    }

    @Test func `failures are logged with the code of the error`() throws {
        var browser = kit.browser()
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": "x"])
        expectEqual(browser.outcome?.operation.name, "pageSignIn")
        expectEqual(browser.outcome?.failure?.code.text, "INVALID_CREDENTIALS")
    }

    @Test func `a session works if its access token is too long for a cookie`() throws {
        let kit = try PageKit { $0.accessTokens.audience = String(repeating: "a", count: 3000) }
        var browser = try kit.registered()
        for _ in 0..<3 {
            let cookie = try #require(browser.cookie(Self.session))
            #expect(cookie.utf8.count < 4000 && cookie.hasSuffix("~"))
            browser.open("account")
            #expect(browser.status == 200 && browser.cookie(Self.session) != cookie)
        }
        browser.submit("signout", ["scope": "session"])
        expectEqual(browser.location, "signin?notice=signedOut")
    }
}
