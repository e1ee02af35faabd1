import BaseTestSupport
import EmulatorThirdParties

@Suite("SES SendEmail") struct SendEmailTests {
    private static let ada = #""Destination":{"ToAddresses":["ada@example.com"]}"#
    private static let hello =
        #""Simple":{"Subject":{"Data":"Hi"},"Body":{"Text":{"Data":"Hello"}}}"#

    @Test func `a simple message arrives with its content and headers`() throws {
        let harness = try MailHarness()
        let answer = try harness.call(
            .post, "/v2/email/outbound-emails",
            #"""
            {"FromEmailAddress":"Äpp <no-reply@example.com>","Destination":{"ToAddresses":
            ["Ada <ada@example.com>"],"CcAddresses":["bob@example.com"],"BccAddresses":
            ["eve@example.com"]},"ReplyToAddresses":["help@example.com"],"Content":{"Simple":{
            "Subject":{"Data":"Grüße 👋","Charset":"UTF-8"},"Body":{"Text":{"Data":"a=1\nß"},
            "Html":{"Data":"<p>ß</p>"}},"Headers":[{"Name":"List-Unsubscribe","Value":"<x>"}],
            "Attachments":[{"FileName":"é.txt","ContentType":"text/plain","RawContent":"aGk="}]}},
            "EmailTags":[{"Name":"flow","Value":"verify"}]}
            """#)
        answer.isAccepted()
        let id = try #require(answer.json["MessageId"]?.stringValue)
        #expect(id.hasPrefix("0100018bcfe56800-") && id.hasSuffix("-000000"))
        let mail = try #require(try harness.mailbox.message(messageID: id))
        let summary = mail.entry.summary
        expectEqual(summary.from, ["Äpp <no-reply@example.com>"])
        expectEqual(summary.to, ["Ada <ada@example.com>"])
        expectEqual(summary.cc, ["bob@example.com"])
        expectEqual(summary.bcc, ["eve@example.com"])
        expectEqual(summary.subject, "Grüße 👋")
        expectEqual(summary.recipients, ["ada@example.com", "bob@example.com", "eve@example.com"])
        let message = mail.message
        expectEqual(message.text, "a=1\nß")
        expectEqual(message.html, "<p>ß</p>")
        expectEqual(message.header("list-unsubscribe"), "<x>")
        expectEqual(message.header("reply-to"), "help@example.com")
        expectEqual(message.header("message-id"), "<\(id)@email.amazonses.com>")
        expectEqual(message.header("date"), "Tue, 14 Nov 2023 22:13:20 +0000")
        expectEqual(message.attachments.map(\.name), ["é.txt"])
        expectEqual(message.attachments.map(\.bytes), [Array("hi".utf8)])
        #expect(!String(decoding: mail.raw, as: UTF8.self).contains("eve@example.com"))
    }

    @Test(arguments: [
        "", "one line", "two\nlines\n", "  blanks \t\nat ends ", ".\n..\n.x", "From me\n\n\nx",
        "=3D = ü€👋", String(repeating: "x", count: 500), String(repeating: "ü ", count: 200),
        "--=_mixed_\n--", "\u{0}\u{7F}", "a\rb",
    ])
    func `text is preserved`(text: String) throws {
        let harness = try MailHarness()
        try harness.sendSimple(text: text)
        let alone = try harness.newest()
        expectEqual(alone.message.text, text == "a\rb" ? "a\nb" : text)
        try harness.sendSimple(text: text, html: text)
        let message = try harness.newest().message
        expectEqual(message.html, alone.message.text)
        expectEqual(message.text, alone.message.text)
        let lines = alone.raw.split(separator: 0x0A)
        #expect(lines.allSatisfy { $0.count <= 100 && $0.allSatisfy { $0 < 0x80 } })
    }

    @Test func `a raw message is unchanged except for Bcc`() throws {
        let harness = try MailHarness()
        let raw =
            "From: a@example.com\r\nBcc: x@example.com,\r\n y@example.com\r\nSubject: S\r\n"
            + "\r\nBcc: z\r\n"
        let data = Base64.encode(Array(raw.utf8))
        try harness.call(
            .post, "/v2/email/outbound-emails", #"{"Content":{"Raw":{"Data":"\#(data)"}}}"#
        ).isAccepted()
        let mail = try harness.newest()
        expectEqual(
            String(decoding: mail.raw, as: UTF8.self),
            "From: a@example.com\r\nSubject: S\r\n\r\nBcc: z\r\n")
        expectEqual(mail.entry.summary.sender, "a@example.com")
        expectEqual(mail.entry.summary.recipients, ["x@example.com", "y@example.com"])
    }

    @Test(
        arguments: [
            (#""Content":{\#(hello)}"#, "BadRequestException", "Recipient list is empty."),
            (ada, "BadRequestException", nil),
            (#"\#(ada),"Content":{}"#, "BadRequestException", nil),
            (#"\#(ada),"Content":{\#(hello),"Raw":{"Data":"aGk="}}"#, "BadRequestException", nil),
            (#"\#(ada),"Content":{"Raw":{"Data":"?"}}"#, "SerializationException", nil),
            (#"\#(ada),"Content":{"Simple":{"Body":{}}}"#, "BadRequestException", nil),
            (
                #"\#(ada),"Content":{"Simple":{"Subject":{"Data":"S"},"Body":{}}}"#,
                "BadRequestException", nil
            ),
            (
                #"""
                \#(ada),"Content":{"Simple":{
                "Subject":{"Data":"a\r\nBcc: x@y.z"},"Body":{"Text":{"Data":""}}}}
                """#,
                "BadRequestException", "The subject contains control characters"
            ),
            (
                #"\#(ada),"EmailTags":[{"Name":"a b","Value":"c"}],"Content":{\#(hello)}"#,
                "BadRequestException", nil
            ),
            (
                #""Destination":{"ToAddresses":["nobody"]},"Content":{\#(hello)}"#,
                "BadRequestException", "Missing final '@domain'"
            ),
            (
                #""Destination":{"ToAddresses":["a@b..c"]},"Content":{\#(hello)}"#,
                "BadRequestException", "Domain contains illegal character"
            ),
            (
                #""Destination":{"ToAddresses":["team: a@b.c;"]},"Content":{\#(hello)}"#,
                "BadRequestException", "Groups of addresses are not accepted"
            ),
            (
                #""Destination":{"ToAddresses":["a@b.c, d@e.f"]},"Content":{\#(hello)}"#,
                "BadRequestException", "Illegal address"
            ),
            (
                #""Destination":{"ToAddresses":["a@b.c\r\nX: y"]},"Content":{\#(hello)}"#,
                "BadRequestException", nil
            ),
            (#""Destination":[],"Content":{\#(hello)}"#, "SerializationException", nil),
            (#"\#(ada),"Content":"x""#, "SerializationException", nil),
            (
                #"\#(ada),"Content":{"Template":{"TemplateName":"gone"}}"#, "NotFoundException",
                "Template gone does not exist"
            ),
        ] as [(String, String, String?)])
    func `invalid requests are refused`(members: String, code: String, message: String?) throws {
        let harness = try MailHarness()
        try harness.send(members).expect(code == "NotFoundException" ? 404 : 400, code, message)
        expectEqual(harness.mailbox.count, 0)
    }

    @Test func `a message has at most fifty recipients`() throws {
        let harness = try MailHarness()
        func members(_ count: Int) -> String {
            let list = (0..<count).map { "\"u\($0)@example.com\"" }.joined(separator: ",")
            return #""Destination":{"BccAddresses":[\#(list)]},"Content":{\#(Self.hello)}"#
        }
        try harness.send(members(50)).isAccepted()
        try harness.send(members(51)).expect(
            400, "BadRequestException", "Recipient count exceeds 50.")
    }

    @Test func `a sender must be verified if that is configured`() throws {
        let harness = try MailHarness(requiresVerifiedSenders: true)
        try harness.sendSimple().expect(
            400, "MessageRejected",
            "Email address is not verified. The following identities failed the check in region "
                + "US-EAST-1: no-reply@example.com")
        try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"Example.com"}"#)
            .isAccepted()
        try harness.sendSimple().isAccepted()
    }

    @Test(arguments: [
        (MailFault.sendingPaused, 400, "SendingPausedException"),
        (.accountSuspended, 400, "AccountSuspendedException"),
        (.throttled, 429, "TooManyRequestsException"),
        (.limitExceeded, 400, "LimitExceededException"),
        (.domainNotVerified, 400, "MailFromDomainNotVerifiedException"),
        (.rejected, 400, "MessageRejected"),
    ])
    func `a fault occurs as often as configured`(
        fault: MailFault, status: Int, code: String
    ) throws {
        let harness = try MailHarness()
        harness.mailbox.faults.switchOn(fault, times: 2)
        try harness.sendSimple().expect(status, code)
        try harness.sendSimple().expect(status, code)
        try harness.sendSimple().isAccepted()
        harness.mailbox.faults.switchOn(fault)
        for _ in 0..<3 { try harness.sendSimple().expect(status, code) }
        harness.mailbox.faults.switchOff(fault)
        try harness.sendSimple().isAccepted()
    }

    @Test func `unsigned and wrongly signed requests are rejected`() throws {
        let harness = try MailHarness()
        try harness.call(.post, "/v2/email/outbound-emails", "{}", as: nil).expect(
            403, "MissingAuthenticationTokenException")
        let unknown = SESHarness.unknown
        try harness.call(.get, "/v2/email/account", as: unknown).expect(
            403, "UnrecognizedClientException")
        try harness.call(.get, "/v2/email/account", as: SESHarness.wrong(harness.developer)).expect(
            403, "InvalidSignatureException")
    }

    @Test func `policies determine who may send as whom`() throws {
        let harness = try MailHarness(
            poorPolicy: #""Effect":"Allow","Action":"ses:SendEmail","Resource":"#
                + #""arn:aws:ses:us-east-1:123456789012:identity/example.com","#
                + #""Condition":{"StringLike":{"ses:FromAddress":"no-reply@*"}}"#)
        func send(from: String) throws -> SESTestResponse {
            try harness.call(
                .post, "/v2/email/outbound-emails",
                #"{"FromEmailAddress":"\#(from)",\#(Self.ada),"Content":{\#(Self.hello)}}"#,
                as: harness.poor)
        }
        try send(from: "no-reply@example.com").isAccepted()
        let refusal = try send(from: "boss@example.com")
        refusal.expect(
            403, "AccessDeniedException",
            "User `arn:aws:iam::123456789012:user/poor' is not authorized to perform "
                + "`ses:SendEmail' on resource "
                + "`arn:aws:ses:us-east-1:123456789012:identity/boss@example.com'")
        try send(from: "no-reply@elsewhere.example").expect(403, "AccessDeniedException")
        try harness.call(.get, "/v2/email/account", as: harness.poor).expect(
            403, "AccessDeniedException")
    }
}
