import EmulatorMail
import TestSupport
import Testing

@Suite("Mailbox pages") struct PageTests {
    private static let browser = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"]
    private static let nasty = #"<script>alert("1")</script>'&"#

    @Test func `a browser gets pages in which the content of mails is escaped`() throws {
        let server = try MailServer(try MailHarness())
        let empty = try server.get("/_emulator/mail", Self.browser)
        #expect(empty.body.contains("No mail yet"))
        try server.harness.sendSimple(
            subject: Self.nasty, text: "\(Self.nasty) 123456 javascript://x https://a.b/?'\"<x>",
            html: "<p>\(Self.nasty)</p>")
        for target in ["", "?to=%22%3E%3Cscript%3E", "?subject=script", "/1"] {
            let page = try server.get("/_emulator/mail\(target)", Self.browser)
            expectEqual(page.status, 200)
            expectEqual(page.header("content-type"), "text/html; charset=utf-8")
            expectEqual(
                page.header("content-security-policy")?.contains("default-src 'none'"), true)
            #expect(!page.body.contains("<script"))
            #expect(!page.body.contains("href=\"javascript"))
        }
        let page = try server.get("/_emulator/mail/1", Self.browser).body
        #expect(page.contains("<span class=\"code\">123456</span>"))
        #expect(page.contains("<iframe sandbox"))
        try expectEqual(
            server.get("/_emulator/mail", ["Accept: application/json, text/html"]).body.first, "{")
    }

    @Test func `inline images are embedded in the HTML`() throws {
        let server = try MailServer(try MailHarness())
        try server.harness.send(
            #""Destination":{"ToAddresses":["a@b.c"]},"Content":{"Simple":{"Subject":{"Data":"S"},"#
                + #""Body":{"Html":{"Data":"<img src=\"cid:logo\">"}},"Attachments":[{"FileName":"#
                + #""l.png","ContentType":"image/png","ContentId":"logo","ContentDisposition":"#
                + #""INLINE","RawContent":"aGk="}]}}"#
        ).isAccepted()
        try expectEqual(
            server.get("/_emulator/mail/1/html").body.trimmingCharactersOfLineEnds,
            #"<img src="data:image/png;base64,aGk=">"#)
        let file = try server.get("/_emulator/mail/1/attachments/0")
        expectEqual(file.body, "hi")
        expectEqual(
            file.header("content-disposition")?.hasPrefix("attachment; filename=\"l.png\""), true)
    }

    @Test(arguments: [
        (["Origin: http://localhost"], 303), (["Sec-Fetch-Site: same-origin"], 303), ([], 403),
        (["Origin: http://evil.example"], 403), (["Origin: null"], 403),
        (["Sec-Fetch-Site: cross-site", "Origin: http://localhost"], 403),
    ])
    func `only requests of the same origin delete`(headers: [String], status: Int) throws {
        let server = try MailServer(try MailHarness())
        try server.harness.sendSimple()
        let target = "/_emulator/mail/1/delete"
        try expectEqual(server.ask("POST", target, headers + ["Content-Length: 0"]).status, status)
        expectEqual(server.harness.mailbox.count, status == 303 ? 0 : 1)
    }
}

extension String {
    fileprivate var trimmingCharactersOfLineEnds: String {
        String(drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed())
    }
}
