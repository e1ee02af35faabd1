import EmulatorThirdParties
import TestSupport

@Suite("Mailbox in a browser") struct MailboxPageTests {
    private static let browser = ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"]

    @Test(arguments: [
        ("", "/#/mail"), ("?to=ada%40example.com", "/#/mail?to=ada%40example.com"),
        ("?subject=%3Cb%3E&x=y", "/#/mail?subject=%3Cb%3E"), ("/1", "/#/mail/1"),
        ("/latest", "/#/mail/1"),
    ])
    func `a browser is sent to the dashboard, and scripts get JSON`(
        target: String, place: String
    ) throws {
        let server = try MailServer(try MailHarness())
        try server.harness.sendSimple()
        let page = try server.get("/_emulator/mail\(target)", Self.browser)
        #expect(page.status == 303 && page.header("location") == place && page.body.isEmpty)
        for accept in ["application/json, text/html", "*/*"] {
            try expectEqual(
                server.get("/_emulator/mail\(target)", ["Accept: \(accept)"]).body.first, "{")
        }
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
}

extension String {
    fileprivate var trimmingCharactersOfLineEnds: String {
        String(drop(while: \.isNewline).reversed().drop(while: \.isNewline).reversed())
    }
}
