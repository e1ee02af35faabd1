import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Contracts
import HTTP
import TestSupport
import Testing
import Time

/// The page of devices, the trust of a browser, and the confirmation of the account's address.
@Suite("Pages of devices and addresses") struct DevicePageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let device = "__Host-latchkey-device"

    private func signedIn(_ userAgent: String) -> PageBrowser {
        var browser = kit.browser(userAgent)
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        return browser
    }

    /// The ids of the devices in the forms of the page.
    private func ids(_ browser: PageBrowser) -> [String] {
        browser.text.matches(of: /name="id" value="([^"]+)"/).map { String($0.1) }
    }

    @Test func `the devices are listed, this one marked`() throws {
        var browser = try kit.registered()
        kit.kit.clock.advance(by: .hours(1))
        _ = signedIn("Mozilla/5.0 (iPhone) Version/18 Safari/605")
        browser.open("devices")
        #expect(browser.status == 200 && ids(browser).count == 2)
        #expect(browser.text.matches(of: /This browser/).count == 1)
        for name in ["Firefox, Linux", "Safari, iPhone", "Forget every other device"] {
            #expect(browser.text.contains(name), "\(name)")
        }
        // Trust is for accounts with a second factor.
        #expect(!browser.text.contains("Trust this browser"))
    }

    @Test func `a forgotten device is signed out`() throws {
        var browser = try kit.registered()
        kit.kit.clock.advance(by: .hours(1))
        var other = signedIn("curl/8")
        browser.open("devices")
        // This browser's session was just refreshed, so it is the first.
        let id = try #require(ids(browser).last)
        browser.submit("devices", ["action": "forget", "id": id])
        #expect(browser.location == "devices?notice=revoked")
        other.open("account")
        #expect(other.location == "signin")
        browser.open("devices")
        #expect(ids(browser).count == 1 && !browser.text.contains("Forget every other"))
        // Again, from a page that is older.
        browser.submit("devices", ["action": "forget", "id": id])
        #expect(browser.status == 404 && browser.text.contains("role=\"alert\""))
    }

    @Test func `a browser that forgets itself is signed out and no longer trusted`() throws {
        var browser = try kit.registered()
        browser.cookies.append((Self.device, "x"))
        browser.open("devices")
        browser.submit(
            "devices", ["action": "forget", "id": try #require(ids(browser).first)])
        expectEqual(browser.location, "signin?notice=signedOut")
        #expect(browser.cookie(Self.device) == nil && browser.cookie("__Host-latchkey") == nil)
        browser.open("account")
        expectEqual(browser.location, "signin")
    }

    @Test func `every other device is forgotten at once`() throws {
        var browser = try kit.registered()
        var others = ["curl/8", "Edg", "OPR/1"].map(signedIn)
        browser.open("devices")
        expectEqual(ids(browser).count, 4)
        browser.submit("devices", ["action": "forgetOthers"])
        expectEqual(browser.location, "devices?notice=othersSignedOut")
        for index in others.indices {
            others[index].open("account")
            expectEqual(others[index].location, "signin")
        }
        browser.open("devices")
        #expect(browser.status == 200 && ids(browser).count == 1)
        // There is none any more.
        browser.submit("devices", ["action": "forgetOthers"])
        expectEqual(browser.location, "devices?notice=othersSignedOut")
    }

    @Test func `a device of another user is not found`() throws {
        var browser = try kit.registered()
        browser.open("devices")
        let id = try #require(ids(browser).first)
        var other = try kit.registered("grace@example.com")
        other.open("devices")
        other.submit("devices", ["action": "forget", "id": id])
        expectEqual(other.status, 404)
        browser.open("account")
        expectEqual(browser.status, 200)
    }

    // MARK: Trust

    /// A browser with a second factor, and the secret of its authenticator app.
    private func protected() throws -> (PageBrowser, secret: String) {
        var browser = try kit.registered()
        browser.open("authenticator")
        browser.submit("authenticator", ["action": "begin"])
        let secret = try #require(browser.text.firstMatch(of: /<code>([A-Z2-7]+)</)?.1)
        let uri = try #require(browser.hidden("uri"))
        browser.submit("authenticator", ["code": try kit.code(of: String(secret)), "uri": uri])
        try #require(browser.status == 200, "\(browser.text)")
        kit.kit.clock.advance(by: .seconds(30))
        return (browser, String(secret))
    }

    /// Signs out, and in with the password.
    private func signInAgain(_ browser: inout PageBrowser) {
        browser.open("account")
        browser.submit("signout", ["scope": "session"])
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
    }

    @Test func `a trusted browser signs in by password alone, for thirty days`() throws {
        var (browser, secret) = try protected()
        browser.open("devices")
        #expect(browser.text.contains("30 days"))
        browser.submit("devices", ["code": "wrong"])
        #expect(browser.text.contains("id=\"code-says\" role=\"alert\""))
        browser.submit("devices", ["code": try kit.code(of: secret)])
        expectEqual(browser.location, "devices?notice=browserTrusted")
        browser.open("devices")
        #expect(browser.text.contains("Trusted until"))
        #expect(!browser.text.contains("Trust this browser"))

        let first = try #require(browser.cookie(Self.device))
        signInAgain(&browser)
        expectEqual(browser.location, "account")
        let second = try #require(browser.cookie(Self.device))
        #expect(first != second)
        // A cookie copied before that sign-in is of no use.
        var thief = kit.browser()
        thief.cookies.append((Self.device, first))
        thief.open("signin")
        thief.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(thief.location, "second-factor")

        kit.kit.clock.advance(by: .days(31))
        signInAgain(&browser)
        expectEqual(browser.location, "second-factor")
    }

    @Test func `a trusted browser that another one forgets is asked again`() throws {
        var (browser, secret) = try protected()
        browser.open("devices")
        browser.submit("devices", ["code": try kit.code(of: secret)])
        kit.kit.clock.advance(by: .seconds(30))
        var other = signedIn("curl/8")
        other.open("second-factor")
        other.submit("second-factor", ["code": try kit.code(of: secret)])
        try #require(other.location == "account")
        other.open("devices")
        other.submit("devices", ["action": "forgetOthers"])
        browser.open("signin", query: [("notice", "signedOut")])
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(browser.location, "second-factor")
    }

    // MARK: The address

    @Test func `an unconfirmed address is confirmed from the account's page`() throws {
        var browser = try kit.registered()
        browser.open("account")
        #expect(!browser.text.contains("confirm-address"))
        let auth = kit.kit.auth
        let user = try #require(try auth.findUsers.users(withEmail: PageKit.email).users.first)
        try auth.store.write([UserRecord.replacing(user) { $0.isEmailVerified = false }])
        browser.open("account")
        #expect(browser.text.contains("href=\"confirm-address\""))
        browser.open("confirm-address")
        #expect(browser.status == 200 && browser.text.contains(PageKit.email))
        browser.submit("confirm-address", [:])
        expectEqual(browser.location, "confirm-email")
        browser.open("confirm-email")
        browser.submit("confirm-email", ["code": try kit.code()])
        expectEqual(browser.location, "account?notice=addressConfirmed")
        browser.open("account")
        #expect(!browser.text.contains("confirm-address"))
        // A form of before that.
        browser.open("confirm-address")
        expectEqual(browser.location, "account")
        browser.open("account")
        browser.submit("confirm-address", [:])
        #expect(browser.status == 409 && browser.text.contains("role=\"alert\""))
    }
}
