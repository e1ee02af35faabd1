import FunctionRuntime

/// An administrator gives an account another address.
@Suite("Addresses changed by administrators") struct AdminEmailTests {
    let pages: PageKit
    var kit: ContractKit { pages.kit }
    let cookies: [(name: String, value: String)]
    let id: String
    let browser: PageBrowser

    init() throws {
        pages = try PageKit()
        browser = try pages.registered()
        id = try #require(
            try pages.kit.auth.findUsers.users(withEmail: PageKit.email).users.first?.id.text)
        cookies = pages.kit.administratorCookies()
    }

    private func change(_ email: String, _ more: String = "") -> Answer {
        kit.http(
            "PUT", "/auth/users/\(id)/email",
            #"{"email":"\#(email)","password":"open sesame"\#(more)}"#, cookies: cookies)
    }

    private func undo(_ token: String) -> Int {
        kit.http("POST", "/auth/email/undo", #"{"token":"\#(token)"}"#).status
    }

    @Test func `a stolen mailbox cannot undo, not even with an earlier link`() throws {
        expectEqual(change("second@example.com", #","reason":"Asked""#).status, 200)
        let earlier = try pages.token()
        let reset = kit.http("POST", "/auth/forgot-password", #"{"email":"second@example.com"}"#)
        expectEqual(reset.status, 202)
        let link = try pages.token()

        let sent = pages.mail.mails.count
        let answer = change("third@example.com", #","undo":"none","reason":"Mailbox stolen""#)
        expectEqual(answer.status, 200)
        // Only a notice, without a link, to the address that was stolen.
        let notice = try pages.lastMail()
        expectEqual(pages.mail.mails.count, sent + 1)
        #expect(notice.kind == .emailChanged && notice.to == "second@example.com")
        expectEqual(notice.values["link"], nil)

        expectEqual(undo(earlier), 400)
        let newPassword = kit.http(
            "POST", "/auth/reset-password",
            #"{"token":"\#(link)","newPassword":"a thief's new password"}"#)
        expectEqual(newPassword.status, 400)
        var former = browser
        former.open("account")
        expectEqual(former.location, "signin")
        let login = kit.http(
            "POST", "/auth/login",
            #"{"email":"third@example.com","password":"\#(PageKit.password)"}"#)
        expectEqual(login.status, 401)
        // Both former addresses are free.
        for email in [PageKit.email, "second@example.com"] {
            let address = try #require(EmailAddress(parsing: email))
            try expectEqual(kit.auth.store.get(StoreLayout.emailClaim(address)), nil)
        }
        let user = try #require(try kit.auth.findUsers.users(withID: id).users.first)
        #expect(user.restorePoints.isEmpty)
        let events = kit.http("GET", "/auth/users/\(id)/audit", cookies: cookies)
        let event = events["events"]?.arrayValue?.first
        #expect(event?["detail"] == "final" && event?["reason"] == "Mailbox stolen")

        // The owner continues with the new mailbox.
        let again = kit.http(
            "POST", "/auth/users/\(id)/mail-password-link", #"{"reason":"Lost"}"#,
            cookies: cookies)
        expectEqual(again.status, 204)
        let own = kit.http(
            "POST", "/auth/reset-password",
            #"{"token":"\#(try pages.token())","newPassword":"the owner's new password"}"#)
        expectEqual(own.status, 204)
    }

    @Test func `the links of an address can be cancelled without a new address`() throws {
        expectEqual(change("new@example.com").status, 200)
        let token = try pages.token()
        let answer = change("new@example.com", #","undo":"none","reason":"Old mailbox stolen""#)
        expectEqual(answer.status, 200)
        expectEqual(undo(token), 400)
    }

    @Test func `an administrator can exclude the undo of a change on the page`() throws {
        let page = kit.http("GET", "/admin/ui/users/\(id)", type: nil, cookies: cookies)
        #expect(page.text.contains("name=\"undo\" type=\"checkbox\" value=\"none\""))
        let answer = kit.submit(
            "/admin/ui/users/\(id)/email",
            [
                ("form", try page.formToken), ("email", "new@example.com"), ("undo", "none"),
                ("reason", "Stolen"), ("password", "open sesame"),
            ], cookies: cookies)
        expectEqual(answer.status, 303)
        let user = try #require(try kit.auth.findUsers.users(withID: id).users.first)
        #expect(user.email == "new@example.com" && user.restorePoints.isEmpty)
    }
}
