import FunctionRuntime

/// The pages that show the messages, and the mails of the timeline.
@Suite("Administrator's pages of mails") struct AdminMailTests {
    let kit: ContractKit
    let mail = FakeMailSystem()
    let cookies: [(name: String, value: String)]

    init() throws {
        let previews = MailPreviews(
            languages: ["de", "en"], standardLanguage: "en", sender: "Ex <no-reply@example.com>"
        ) { mail in
            let language = mail.language ?? "-"
            return MailPreview(
                language: language, subject: "<\(mail.kind.rawValue)> \(language)",
                text: mail.values.sorted { $0.key < $1.key }
                    .map { "\($0.key)=\($0.value)" }.joined(separator: "\n"),
                html: "<script>alert(1)</script>", isCustom: language == "de")
        }
        kit = try ContractKit(.latchkey, mail: mail, previews: previews)
        cookies = kit.administratorCookies()
    }

    private func page(_ path: String, language: String? = nil) -> Answer {
        let query = language.map { [(name: "language", value: $0)] } ?? []
        return kit.http("GET", path, query: query, type: nil, cookies: cookies)
    }

    private func policy(_ answer: Answer) -> String {
        answer.value("content-security-policy") ?? ""
    }

    private func user(_ subject: String, isVerified: Bool) throws -> String {
        try kit.user(subject, isVerified: isVerified).id
    }

    @Test(arguments: ["de", "en"])
    func `the list has every mail, in the chosen language`(_ language: String) {
        let html = page("/admin/ui/mails", language: language).text
        for kind in Mail.Kind.allCases {
            #expect(html.contains("&lt;\(kind.rawValue)&gt; \(language)"))
            #expect(html.contains("mails/\(kind.rawValue)?language=\(language)\""))
        }
        #expect(html.contains("Ex &lt;no-reply@example.com&gt;"))
    }

    @Test(arguments: [nil, "fr", "", "<script>", "en"])
    func `another language is the default one`(_ language: String?) {
        let html = page("/admin/ui/mails", language: language).text
        #expect(html.contains("&lt;magicLink&gt; en") && !html.contains("<script"))
    }

    @Test func `a German administration opens its mails in German`() {
        let page = kit.http(
            "GET", "/admin/ui/mails", query: [("ui_locales", "de")], cookies: cookies)
        #expect(page.text.contains("&lt;magicLink&gt; de"))
    }

    @Test func `a message is shown with example links and codes that are not valid`() throws {
        let answer = page("/admin/ui/mails/resetPassword", language: "de")
        let html = answer.text
        #expect(html.contains("/reset-password?token=EXAMPLE"))
        #expect(html.contains("code=00000000") && html.contains("minutes=30"))
        #expect(html.contains("from MAIL_TEMPLATES"))
        #expect(policy(answer).contains("frame-src 'self'"))
        let reset = kit.http(
            "POST", "/auth/reset-password",
            #"{"token":"EXAMPLE","newPassword":"correct horse battery"}"#)
        expectEqual(reset.status, 400)
        #expect(page("/admin/ui/mails/resetPassword").text.contains("built in"))
    }

    /// The message may be a template with scripts.
    @Test func `the HTML of a message is shown without scripts and without an origin`() {
        let frame = page("/admin/ui/mails/newDevice", language: "en").text
        #expect(frame.contains("<iframe sandbox title=\"The message\" src=\""))
        #expect(frame.contains("admin/ui/mails/newDevice/html?language=en\""))
        #expect(!frame.contains("<script"))
        let answer = page("/admin/ui/mails/newDevice/html", language: "en")
        expectEqual(answer.text, "<script>alert(1)</script>")
        let policy = policy(answer)
        #expect(policy.hasPrefix("sandbox; default-src 'none'; "))
        #expect(!policy.contains("script-src") && !policy.contains("allow-"))
    }

    // MARK: The timeline

    @Test func `the timeline shows the mails that events caused`() throws {
        let id = try user("ada", isVerified: false)
        let sent = kit.http(
            "POST", "/auth/users/\(id)/mail-verification-link", #"{"reason":"Asked"}"#,
            cookies: cookies)
        expectEqual(sent.status, 204)
        let html = page("/admin/ui/users/\(id)").text
        #expect(html.contains("admin/ui/mails/verifyEmail\">confirm the address</a>"))
        #expect(!html.contains("mails/newDevice\""))
    }

    @Test func `the timeline shows why a mail was not delivered`() throws {
        let id = try user("ada", isVerified: false)
        mail.fail(.addressRejected)
        _ = kit.http("POST", "/auth/users/\(id)/mail-verification-link", "{}", cookies: cookies)
        kit.auth.afterReply.run(until: nil)
        let html = page("/admin/ui/users/\(id)").text
        #expect(html.contains("Mail not delivered"))
        #expect(html.contains("The mail system says that the address does not exist."))
    }

    // MARK: Mailing a link again

    @Test func `a link that verifies the address is mailed with a reason, and works`() throws {
        let (id, bearer) = try kit.user("ada", isVerified: false)
        let path = "/auth/users/\(id)/mail-verification-link"
        let html = page("/admin/ui/users/\(id)").text
        #expect(html.contains("Mail a link to verify the address"))
        expectEqual(kit.http("POST", path, #"{"reason":"Ticket 1"}"#, cookies: cookies).status, 204)
        kit.auth.afterReply.run(until: nil)
        let sent = try #require(mail.mails.last)
        #expect(sent.kind == .verifyEmail && sent.to == "ada@example.com")
        // No app has asked for it.
        expectEqual(sent.values["code"], nil)
        let link = try #require(sent.values["link"])
        let token = try #require(link.split(separator: "=").last.map(String.init))
        let confirmed = kit.http(
            "POST", "/auth/email/confirm", #"{"token":"\#(token)"}"#, bearer: bearer)
        expectEqual(confirmed.status, 200)
        let events = kit.http("GET", "/auth/users/\(id)/audit", cookies: cookies)
        let asked = events["events"]?.arrayValue?.first { $0["type"] == "verificationRequested" }
        #expect(asked?["reason"] == "Ticket 1" && asked?["by"] == "password")
    }

    @Test func `the link is only for an unverified address, and is rate-limited`() throws {
        let ada = try user("ada", isVerified: true)
        let path = "/auth/users/\(ada)/mail-verification-link"
        expectEqual(kit.http("POST", path, cookies: cookies).status, 409)
        #expect(!page("/admin/ui/users/\(ada)").text.contains("verify the address"))
        let grace = try user("grace", isVerified: false)
        var last = 0
        for _ in 0..<4 {
            last =
                kit.http(
                    "POST", "/auth/users/\(grace)/mail-verification-link", cookies: cookies
                ).status
        }
        expectEqual(last, 429)
    }
}
