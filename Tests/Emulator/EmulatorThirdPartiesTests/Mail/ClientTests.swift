import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import Foundation

/// A real client, Python's smtplib; `ses.py` of ClientTests is boto3.
@Suite("Mail of a real client") struct ClientTests {
    @Test func `smtplib delivers a message to the mailbox`() throws {
        let server = try MailServer(try MailHarness())
        let listener = try SMTPListener(server.harness.mailbox)
        try run(
            Self.smtp, "\(listener.port)", "http://127.0.0.1:\(server.server.port)/_emulator/mail")
        listener.stop()
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let python = try VirtualEnvironment.program("python")
        let result = try ChildProcess.run(Command(python, ["-c", program] + arguments))
        expectEqual(result.end, .exit(0), "\(result.errorText)")
    }

    private static let smtp = #"""
        import email, json, smtplib, sys, threading, urllib.request
        from email.message import EmailMessage

        port, base = int(sys.argv[1]), sys.argv[2]
        def get(path):
            with urllib.request.urlopen(base + path, timeout=60) as answer:
                return answer.read().decode()

        found = []
        waiter = threading.Thread(target=lambda: found.append(
            get("/wait/link?to=ada@example.com&contains=verify")))
        waiter.start()

        message = EmailMessage()
        message["From"] = "App <app@example.com>"
        message["To"] = "Ada Lövelace <ada@example.com>"
        message["Subject"] = "Grüße: 4711"
        message.set_content(".dot\n..\nhttps://example.com/verify?a=1&b=2\n" + "ü" * 2000 + "\n")
        message.add_attachment(bytes(range(256)) * 100, maintype="image", subtype="png",
                               filename="ä.png")
        with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
            client.login("anybody", "anything")
            refused = client.send_message(message, to_addrs=["ada@example.com", "eve@example.com"])
            assert refused == {}, refused
            client.send_message(message, from_addr="ü@example.com", to_addrs=["bob@example.com"],
                                mail_options=["SMTPUTF8", "BODY=8BITMIME"])
            try:
                client.sendmail("a@example.com", ["nobody"], "x")
                raise AssertionError
            except smtplib.SMTPRecipientsRefused as error:
                assert error.recipients["nobody"][0] == 553, error.recipients
        waiter.join()
        assert found == ["https://example.com/verify?a=1&b=2\n"], found

        read = json.loads(get("/1"))
        assert read["subject"] == "Grüße: 4711" and read["codes"] == ["4711"], read["codes"]
        assert read["to"] == ["Ada Lövelace <ada@example.com>"], read["to"]
        assert read["bcc"] == ["eve@example.com"], read["bcc"]
        assert read["text"].replace("\r\n", "\n").startswith(".dot\n..\n"), read["text"][:50]
        attachment = read["attachments"][0]
        assert (attachment["name"], attachment["size"]) == ("ä.png", 25600), attachment
        raw = email.message_from_string(get("/1/raw"))
        assert raw["From"] == "App <app@example.com>", raw["From"]
        assert len(json.loads(get("?to=bob@example.com"))["messages"]) == 1
        """#
}
