/// What a designer checks: the marks of providers, what cannot be undone, and the ways out.
@Suite("Look of pages") struct PageLookTests {
    private static let app = "https://shop.example.com/account"

    private let kit: PageKit

    init() throws {
        kit = try PageKit { $0.pages = PagesPolicy(appName: "Shop", returns: [Self.app]) }
    }

    @Test func `other sign-in methods follow an "or", outside of the password's form`()
        throws
    {
        var browser = kit.browser()
        browser.open("signin")
        let or = try #require(browser.text.firstRange(of: #"<p class="or">or</p>"#))
        let main = try #require(browser.text.firstRange(of: #"class="main""#))
        let mail = try #require(browser.text.firstRange(of: "Mail me a code"))
        #expect(main.upperBound < or.lowerBound && or.upperBound < mail.lowerBound)
        #expect(browser.text.contains(##"form="password-form" formaction="magic-link""##))
    }

    @Test(arguments: ["signin", "register"])
    func `a password can be shown, by a button that needs the script`(page: String) throws {
        var browser = kit.browser()
        browser.open(page)
        #expect(
            browser.text.contains(
                #"<button type="button" hidden data-reveal aria-pressed="false" "#
                    + #"aria-label="Show password">Show</button>"#))
        #expect(browser.text.contains("<script src="))
    }

    @Test func `the button for deletion is red, and separate from the others`() throws {
        var browser = try kit.registered()
        browser.open("account")
        #expect(browser.text.contains(#"<a class="danger" href="delete">"#))
        browser.open("delete")
        #expect(browser.text.contains(#"<button class="main danger">"#))
    }

    @Test func `pages of the account show the user and a button to sign out`() throws {
        var browser = try kit.registered()
        for page in ["account", "devices", "email", "password"] {
            browser.open(page)
            let header = try #require(
                browser.text.firstMatch(
                    of: /<header class="bar">.*?<\/header>/.dotMatchesNewlines()))
            #expect(header.output.contains("Shop") && header.output.contains("Signed in as Ada"))
            #expect(header.output.contains(#"action="signout""#))
        }
        browser.submit("signout", ["scope": "session"])
        expectEqual(browser.location, "signin?notice=signedOut")
    }

    @Test func `the account page links back to a listed app`() throws {
        let link = "<a href=\"\(Self.app)\">Back to Shop</a>"
        var browser = try kit.registered()
        browser.open("account")
        #expect(!browser.text.contains("Back to Shop"))
        for other in [
            "https://evil.example", Self.app + "/", "javascript:alert(1)", "",
            "https://shop.example.com",
        ] {
            browser.open("account", query: [("redirect_uri", other)])
            #expect(browser.status == 400 && !browser.text.contains("Back to Shop"), "\(other)")
        }
        browser.open("account", query: [("redirect_uri", Self.app)])
        #expect(browser.text.contains(link))
        browser.open("devices")
        #expect(browser.text.contains(link))
        browser.submit("signout", ["scope": "session"])
        #expect(browser.cookie("__Host-latchkey-app") == nil)
    }

    @Test func `a cookie cannot add another app`() throws {
        var browser = try kit.registered()
        for value in ["aHR0cHM6Ly9ldmlsLmV4YW1wbGU", "x", ""] {
            browser.cookies.removeAll { $0.name == "__Host-latchkey-app" }
            browser.cookies.append(("__Host-latchkey-app", value))
            browser.open("account")
            #expect(browser.status == 200 && !browser.text.contains("Back to Shop"))
        }
    }

    @Test func `a user who must sign in first returns to the app, too`() throws {
        var browser = try kit.registered()
        browser.open("account")
        browser.submit("signout", ["scope": "session"])
        browser.open("account", query: [("redirect_uri", Self.app)])
        expectEqual(browser.location, "signin")
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        browser.open("account")
        #expect(browser.text.contains("Back to Shop"))
    }

    @Test func `mails and limits show hours and minutes`() throws {
        var browser = kit.browser()
        browser.open("register")
        browser.submit(
            "register", ["email": PageKit.email, "newPassword": PageKit.password, "name": ""])
        let values = try kit.lastMail().values
        #expect(values["hours"] == "24" && values["minutes"] == nil)
        browser.open("signin")
        let form = try #require(browser.hidden("form"))
        for _ in 0...10 {
            browser.submit("signin", ["email": PageKit.email, "password": "x", "form": form])
        }
        expectEqual(browser.status, 429)
        #expect(browser.text.firstMatch(of: /Try again in \d+ (minutes|hours)\./) != nil)
    }
}
