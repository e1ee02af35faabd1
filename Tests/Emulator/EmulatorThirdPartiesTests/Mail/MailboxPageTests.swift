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
}
