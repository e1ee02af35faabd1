import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import Foundation

/// Real clients: boto3 and Python's smtplib.
@Suite("Mail of real clients") struct ClientTests {
    @Test func `boto3 sends mail and receives errors`() throws {
        let server = try MailServer(try MailHarness(now: Instant(seconds: Int64(time(nil)))))
        try run(Self.boto, "http://127.0.0.1:\(server.server.port)")
        expectEqual(server.harness.mailbox.count, 4)
    }

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

    private static let boto = #"""
        import sys, boto3
        from botocore.config import Config
        from botocore.exceptions import ClientError
        from email.message import EmailMessage

        ses = boto3.client(
            "sesv2", endpoint_url=sys.argv[1], region_name="us-east-1",
            aws_access_key_id="AKIADEVELOPER0000000", aws_secret_access_key="secret",
            config=Config(retries={"max_attempts": 1}, connect_timeout=5, read_timeout=60))

        sent = ses.send_email(
            FromEmailAddress="App <no-reply@example.com>",
            Destination={"ToAddresses": ["ada@example.com"]},
            Content={"Simple": {
                "Subject": {"Data": "Grüße"}, "Body": {"Text": {"Data": "code 123456"}},
                "Attachments": [{"FileName": "a.bin", "RawContent": bytes(range(256))}]}})
        assert sent["MessageId"].endswith("-000000"), sent

        raw = EmailMessage()
        raw["From"] = "a@example.com"
        raw["To"] = "ada@example.com"
        raw["Subject"] = "ü"
        raw.set_content("text ü\n")
        raw.add_alternative("<b>html</b>", subtype="html")
        ses.send_email(Content={"Raw": {"Data": raw.as_bytes()}})

        ses.create_email_template(
            TemplateName="t", TemplateContent={"Subject": "Hi {{n}}", "Text": "{{n}}"})
        template = lambda data: ses.send_email(
            FromEmailAddress="a@example.com", Destination={"ToAddresses": ["ada@example.com"]},
            Content={"Template": {"TemplateName": "t", "TemplateData": data}})
        template('{"n":"x"}')
        assert ses.get_email_template(TemplateName="t")["TemplateContent"]["Text"] == "{{n}}"
        assert [t["TemplateName"] for t in ses.list_email_templates()["TemplatesMetadata"]] == ["t"]
        rendered = ses.test_render_email_template(TemplateName="t", TemplateData='{"n":"x"}')
        assert "Subject: Hi x" in rendered["RenderedTemplate"]

        ses.create_email_identity(EmailIdentity="a@example.com")
        assert ses.get_email_identity(EmailIdentity="a@example.com")["VerifiedForSendingStatus"]
        listed = ses.list_email_identities()["EmailIdentities"]
        assert [i["IdentityName"] for i in listed] == ["a@example.com"], listed
        ses.delete_email_identity(EmailIdentity="a@example.com")
        assert ses.get_account()["SendQuota"]["SentLast24Hours"] == 3

        def refused(code, call):
            try:
                call()
            except ClientError as error:
                assert error.response["Error"]["Code"] == code, error
                assert error.response["Error"]["Message"], error
                return type(error).__name__
            raise AssertionError(code)

        assert refused("NotFoundException", lambda: ses.get_email_identity(
            EmailIdentity="a@example.com")) == "NotFoundException"
        assert refused("BadRequestException", lambda: ses.send_email(
            FromEmailAddress="a@example.com", Destination={}, Content={"Simple": {
                "Subject": {"Data": "s"}, "Body": {"Text": {"Data": "t"}}}})) == \#
                "BadRequestException"
        assert refused("AlreadyExistsException", lambda: ses.create_email_template(
            TemplateName="t", TemplateContent={"Subject": "s", "Text": "t"}))
        ses.delete_email_template(TemplateName="t")
        ses.send_email(
            FromEmailAddress="a@example.com", Destination={"BccAddresses": ["ada@example.com"]},
            Content={"Simple": {"Subject": {"Data": "s"}, "Body": {"Text": {
                "Data": "x" * (5 << 20)}}}})
        """#

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
