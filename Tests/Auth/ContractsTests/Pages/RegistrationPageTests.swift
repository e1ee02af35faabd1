/// Registrations that are finished from their mails, and attacks on them.
@Suite("Registration pages") struct RegistrationPageTests {
    let kit: PageKit

    init() throws { kit = try PageKit() }

    private static let session = "__Host-latchkey"
    private static let mail = "__Host-latchkey-mail"
    private static let email = PageKit.email

    /// A browser that has asked for an account.
    private func registrant(
        _ password: String = PageKit.password, name: String = "Ada"
    ) throws -> PageBrowser {
        var browser = kit.browser()
        browser.open("register")
        browser.submit("register", ["email": Self.email, "newPassword": password, "name": name])
        try #require(browser.location == "verify-email")
        return browser
    }

    private func hasAccount() throws -> Bool {
        var browser = kit.browser()
        browser.open("reset")
        let before = kit.mail.mails.count
        browser.submit("reset", ["email": Self.email])
        kit.kit.auth.afterReply.run(until: nil)
        return kit.mail.mails.count > before
    }

    // MARK: In the browser that registered

    @Test func `the owner of a taken address gets a mail about signing in`() throws {
        _ = try kit.registered()
        _ = try registrant()
        let mail = try kit.lastMail()
        #expect(mail.kind == .alreadyRegistered)
        #expect(mail.values["link"]?.hasSuffix("/auth/ui/account") == true)
    }

    // MARK: In another browser

    @Test func `on another device the link asks for the password only once`() throws {
        _ = try registrant()
        let token = try kit.token()
        var phone = kit.browser("Mozilla/5.0 (iPhone) Safari/604.1")
        phone.open("verify-email", query: [("token", token)])
        #expect(phone.status == 200 && phone.text.contains("asked for in another browser"))
        phone.submit("verify-email", ["password": PageKit.password])
        expectEqual(phone.location, "account")
    }

    @Test func `a mail scanner that opens the link does not use it up`() throws {
        var browser = try registrant()
        let token = try kit.token()
        for _ in 0..<3 {
            var scanner = kit.browser("Scanner")
            scanner.open("verify-email", query: [("token", token)])
            #expect(scanner.status == 200 && scanner.cookie(Self.session) == nil)
        }
        #expect(try !hasAccount())
        browser.open("verify-email", query: [("token", token)])
        expectEqual(browser.location, "account")
    }

    @Test(arguments: ["verify-email", "magic-link", "reset-password"])
    func `without a link and a mail the page asks for the address`(page: String) throws {
        _ = try kit.registered()
        var browser = kit.browser()
        browser.open(page)
        #expect(browser.status == 200 && browser.hidden("ask") == "again")
        browser.submit(page, ["ask": "again", "email": "nobody"])
        #expect(browser.status == 400 && browser.text.contains("This is not an e-mail address."))
        browser.submit(page, ["ask": "again", "email": Self.email])
        expectEqual(browser.location, "\(page)?notice=sentAgain")
        browser.open(page)
        #expect(browser.text.contains(#"name="code""#))
    }

    // MARK: A stranger has registered the address with a password of their own

    private static let theirs = "the stranger's password"

    /// The owner of the mailbox must not finish the stranger's registration, by any page, without
    /// the stranger's password.
    private func expectUnfinished(_ owner: inout PageBrowser, _ fields: [String: String]) throws {
        owner.submit("verify-email", fields)
        #expect((400..<500).contains(owner.status), "\(fields)")
        #expect(owner.cookie(Self.session) == nil)
    }

    @Test func `opening a stranger's link does not sign in to the stranger's account`() throws {
        _ = try registrant(Self.theirs, name: "Mallory")
        let token = try kit.token()
        var owner = kit.browser()
        owner.open("verify-email", query: [("token", token)])
        #expect(owner.status == 200 && owner.text.contains(#"type="password""#))
        try expectUnfinished(&owner, [:])
        owner.open("verify-email", query: [("token", token)])
        try expectUnfinished(&owner, ["password": PageKit.password])
        #expect(try !hasAccount())
    }

    @Test func `the owner's registration does not confirm a stranger's`() throws {
        _ = try registrant(Self.theirs, name: "Mallory")
        let (token, code) = (try kit.token(), try kit.code())
        var owner = try registrant()
        owner.open("verify-email", query: [("token", token)])
        #expect(owner.status == 200 && owner.cookie(Self.session) == nil)
        try expectUnfinished(&owner, ["token": token])
        try expectUnfinished(&owner, ["token": token, "password": PageKit.password])
        owner.open("verify-email")
        try expectUnfinished(&owner, ["code": code])
        owner.submit("verify-email", ["code": try kit.code()])
        expectEqual(owner.location, "account")
        // With the owner's password.
        owner.submit("signout", ["scope": "session"])
        for (password, location) in [(Self.theirs, nil), (PageKit.password, "account")] {
            var browser = kit.browser()
            browser.open("signin")
            browser.submit("signin", ["email": Self.email, "password": password])
            expectEqual(browser.location, location)
        }
    }

    @Test func `requesting the mail again does not accept a stranger's password`() throws {
        _ = try registrant(Self.theirs, name: "Mallory")
        var owner = kit.browser()
        owner.open("verify-email")
        owner.submit("verify-email", ["ask": "again", "email": Self.email])
        expectEqual(owner.location, "verify-email?notice=sentAgain")
        let (token, code) = (try kit.token(), try kit.code())
        owner.open("verify-email")
        #expect(owner.text.contains(#"type="password""#))
        try expectUnfinished(&owner, ["code": code])
        // The mark in the cookie decides only what the page shows.
        let cookie = try #require(owner.cookie(Self.mail))
        owner.cookies.removeAll { $0.name == Self.mail }
        owner.cookies.append((Self.mail, cookie + ".registrant"))
        owner.open("verify-email", query: [("token", token)])
        #expect(owner.status >= 400 && owner.cookie(Self.session) == nil)
        owner.open("verify-email")
        try expectUnfinished(&owner, ["code": code])
        #expect(try !hasAccount())
    }

    @Test func `a secret derived from the link is refused`() throws {
        _ = try registrant(Self.theirs, name: "Mallory")
        let token = try kit.token()
        let link = try #require(Base64URL.decode(token))
        let place = Array(link[..<32]) + SHA256.hash(Array(link[32...]))
        let secret = Base64URL.encode(place + [UInt8](repeating: 7, count: 32))
        let address = Base64URL.encode(Array(Self.email.utf8))
        var owner = kit.browser()
        owner.cookies = [(Self.mail, "\(secret).\(address).registrant")]
        owner.open("verify-email", query: [("token", token)])
        #expect(owner.status == 401 && owner.cookie(Self.session) == nil, "\(owner.status)")
        #expect(try !hasAccount())
    }

    @Test func `a stranger who requests another mail cannot complete the owner's registration`()
        throws
    {
        var mallory = try registrant(Self.theirs, name: "Mallory")
        var owner = try registrant()
        mallory.open("verify-email")
        mallory.submit("verify-email", ["ask": "again", "email": Self.email])
        // The mail goes to the owner, who may open its link.
        let token = try kit.token()
        owner.open("verify-email", query: [("token", token)])
        #expect(owner.status == 200 && owner.cookie(Self.session) == nil)
        #expect(try !hasAccount())
    }
}
