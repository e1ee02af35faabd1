import AuthDomain
import AuthTestSupport
import Contracts
import HTTP
import TestSupport
import Testing
import Time

/// Changes of an account on the pages, and the sign-in that they ask for.
@Suite("Account pages") struct AccountPageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let next = "__Host-latchkey-next"
    static let sensitive = ["passkeys", "email", "authenticator", "delete"]

    private func wait(_ span: Span) { kit.kit.clock.advance(by: span) }

    @Test(arguments: sensitive)
    func `a sensitive change asks for a recent sign-in, and continues`(page: String) throws {
        var browser = try kit.registered()
        browser.open(page)
        expectEqual(browser.status, 200)
        wait(.minutes(11))
        browser.open(page)
        #expect(browser.status == 303 && browser.location == "step-up")
        expectEqual(browser.cookie(Self.next), page)
        browser.open("step-up")
        browser.submit("step-up", ["currentPassword": "wrong wrong wrong"])
        expectEqual(browser.status, 403)
        #expect(browser.text.contains("id=\"currentPassword-says\" role=\"alert\""))
        browser.submit("step-up", ["currentPassword": PageKit.password])
        #expect(browser.status == 303 && browser.location == page)
        expectEqual(browser.cookie(Self.next), nil)
        browser.open(page)
        expectEqual(browser.status, 200)
    }

    @Test(arguments: sensitive)
    func `a form of a change that was open for long asks, too`(page: String) throws {
        var browser = try kit.registered()
        browser.open(page)
        wait(.minutes(11))
        browser.submit(
            page,
            [
                "action": page == "passkeys" ? "remove" : "begin", "id": "x", "confirm": "yes",
                "email": "other@example.com",
            ])
        #expect(browser.status == 303 && browser.location == "step-up")
        expectEqual(browser.cookie(Self.next), page)
        browser.open("account")
        expectEqual(browser.status, 200)
    }

    @Test(arguments: sensitive + ["password", "export", "step-up"])
    func `a page of an account is for signed-in users, who continue there`(
        page: String
    ) throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open(page)
        #expect(browser.status == 303 && browser.location == "signin")
        browser.open("signin")
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        let isPage = page != "export" && page != "step-up"
        expectEqual(browser.location, isPage ? page : "account")
        expectEqual(browser.cookie(Self.next), nil)
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "signout", "callback/{provider}", "script/{file}",
        "account\r\nx: y", "",
    ])
    func `a cookie leads to no other page`(value: String) throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("signin")
        browser.cookies.append((Self.next, value))
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(browser.location, "account")
    }

    @Test func `a changed password replaces the session, and signs others out`() throws {
        var (browser, other) = (try kit.registered(), kit.browser())
        other.open("signin")
        other.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(other.location, "account")
        browser.open("password")
        let new = "another horse battery"
        browser.submit("password", ["currentPassword": "wrong", "newPassword": new])
        expectEqual(browser.status, 403)
        #expect(browser.text.contains("id=\"currentPassword-says\" role=\"alert\""))
        browser.submit("password", ["currentPassword": PageKit.password, "newPassword": "short"])
        expectEqual(browser.status, 400)
        #expect(browser.text.contains("id=\"newPassword-says\" role=\"alert\""))
        #expect(!browser.text.contains("value=\"short\""))
        browser.submit("password", ["currentPassword": PageKit.password, "newPassword": new])
        expectEqual(browser.location, "account?notice=passwordSaved")
        browser.open("account")
        expectEqual(browser.status, 200)
        other.open("account")
        expectEqual(other.location, "signin")
    }

    @Test func `a second factor is set up, steps up, and is turned off`() throws {
        var browser = try kit.registered()
        browser.open("authenticator")
        browser.submit("authenticator", ["action": "begin"])
        #expect(browser.text.contains("<svg") && browser.text.contains("role=\"img\""))
        let uri = try #require(browser.hidden("uri"))
        let secret = try #require(
            uri.split(separator: "secret=").last?.prefix { $0.isLetter || $0.isNumber })
        let plain = uri.replacing("&amp;", with: "&")
        browser.submit("authenticator", ["code": "000000", "uri": plain])
        #expect(browser.status == 403 || browser.status == 401)
        #expect(browser.text.contains("<svg") && browser.text.contains("id=\"code-says\""))
        browser.submit(
            "authenticator", ["code": try kit.code(of: String(secret)), "uri": plain])
        expectEqual(browser.status, 200)
        expectEqual(browser.text.ranges(of: "<code>").count, 10)
        wait(.minutes(11))
        browser.open("email")
        expectEqual(browser.location, "step-up")
        browser.open("step-up")
        // The password is no longer enough.
        #expect(!browser.text.contains("currentPassword"))
        browser.submit("step-up", ["currentPassword": PageKit.password])
        expectEqual(browser.status, 403)
        browser.submit("step-up", ["code": try kit.code(of: String(secret))])
        expectEqual(browser.location, "email")
        wait(.minutes(1))
        browser.open("authenticator")
        browser.submit(
            "authenticator", ["action": "off", "code": try kit.code(of: String(secret))])
        expectEqual(browser.location, "account?notice=secondFactorOff")
    }

    @Test func `an address is changed with the code of a mail`() throws {
        var browser = try kit.registered()
        browser.open("email")
        browser.submit("email", ["email": PageKit.email])
        #expect(browser.text.contains("already your address"))
        browser.submit("email", ["email": "other@example.com"])
        expectEqual(browser.location, "confirm-email")
        browser.open("confirm-email")
        browser.submit("confirm-email", ["code": try kit.code()])
        expectEqual(browser.location, "account?notice=addressConfirmed")
        browser.open("account")
        #expect(browser.text.contains("other@example.com"))
    }

    @Test func `an account is deleted once that is confirmed`() throws {
        var browser = try kit.registered()
        browser.open("delete")
        browser.submit("delete", [:])
        #expect(browser.status == 400 && browser.text.contains("id=\"confirm-says\""))
        browser.submit("delete", ["confirm": "yes"])
        expectEqual(browser.location, "signin?notice=deleted")
        expectEqual(browser.cookie("__Host-latchkey"), nil)
    }

    @Test func `the last way to sign in stays`() throws {
        var browser = try kit.registered()
        browser.open("account")
        browser.submit("remove-method", ["method": "email"])
        #expect(browser.status == 409 && browser.text.contains("last way to sign in"))
    }

    @Test func `a ceremony needs the form's token, and the session where it is of one`() throws {
        var browser = try kit.registered()
        browser.open("passkeys")
        browser.submit("passkey-options", ["purpose": "add"], token: "x")
        expectEqual(browser.status, 403)
        browser.open("passkeys")
        browser.submit("passkey-options", ["purpose": "add"])
        expectEqual(browser.status, 200)
        wait(.minutes(11))
        browser.open("account")
        browser.submit("passkey-options", ["purpose": "add"])
        #expect(browser.status == 303 && browser.location == "step-up")
        expectEqual(browser.cookie(Self.next), "passkeys")
        var stranger = kit.browser()
        stranger.open("signin")
        stranger.submit("passkey-options", ["purpose": "stepUp"])
        #expect(stranger.status == 303 && stranger.location == "signin")
        stranger.open("signin")
        stranger.submit("passkey-options", ["purpose": "signUp"])
        expectEqual(stranger.status, 400)
    }
}
