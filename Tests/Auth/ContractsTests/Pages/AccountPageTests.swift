/// Changes of an account on the pages, and the sign-in that they ask for.
@Suite("Account pages") struct AccountPageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let next = "__Host-latchkey-next"
    static let sensitive = ["passkeys", "email", "authenticator", "delete"]

    private func wait(_ span: Span) { kit.kit.clock.advance(by: span) }

    @Test(arguments: sensitive)
    func `a sensitive change requires a recent sign-in, and then continues`(page: String) throws {
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
    func `a form that was open for too long requires a new proof`(page: String) throws {
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

    @Test(arguments: [
        "https://evil.example", "//evil.example", "signout", "callback/{provider}", "script/{file}",
        "account\r\nx: y", "",
    ])
    func `a made-up cookie does not redirect to another page`(value: String) throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open("signin")
        browser.cookies.append((Self.next, value))
        browser.submit("signin", ["email": PageKit.email, "password": PageKit.password])
        expectEqual(browser.location, "account")
    }

    @Test func `a changed name is shown, and administrators find the account by it`() throws {
        func found(_ name: String) throws -> [User] {
            try kit.kit.auth.findUsers.users(beginningWith: name, limit: 9, after: nil)?.users ?? []
        }
        var browser = try kit.registered("lovelace@example.com")
        try expectEqual(found("ada").count, 1)
        browser.open("name")
        #expect(browser.text.contains("value=\"Ada\""))
        browser.submit("name", ["name": " Grace\u{202E} Hopper "])
        expectEqual(browser.location, "account?notice=nameSaved")
        browser.open("account")
        #expect(browser.text.contains("</small>Grace Hopper</span>"))
        let user = try #require(try found("hopper").first)
        try #expect(found("ada").isEmpty && user.displayName == "Grace Hopper")
        let events = try kit.kit.auth.listAudit(of: user.id, limit: 9, after: nil).entries
        #expect(events.first?.event == "nameChanged" && events.first?.session != nil)
        browser.open("name")
        browser.submit("name", ["name": ""])
        browser.open("account")
        #expect(!browser.text.contains("Grace"))
        try #expect(found("hopper").isEmpty)
    }
}
