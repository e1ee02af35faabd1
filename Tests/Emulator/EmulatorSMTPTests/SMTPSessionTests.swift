import BaseTestSupport
import EmulatorThirdParties

/// A session and its recorded output.
struct Dialogue {
    var session: SMTPSession
    var mails: [SMTPMail] = []
    var verdict = SMTPVerdict.accepted(id: "1")

    init(_ limits: SMTPLimits = SMTPLimits()) { session = SMTPSession(limits: limits) }

    /// Sends text and returns the replies, one per line.
    mutating func say(_ text: String) -> [String] {
        let replies = say(Array(text.utf8))
        return String(decoding: replies, as: UTF8.self).split(separator: "\r\n").map { String($0) }
    }

    mutating func say(_ bytes: [UInt8]) -> [UInt8] {
        var received: [SMTPMail] = []
        let verdict = verdict
        let replies = session.receive(bytes) { mail in
            received.append(mail)
            return verdict
        }
        mails += received
        return replies
    }

    /// Sends text and returns the codes of the replies.
    mutating func codes(_ text: String) -> [String] {
        say(text).filter { $0.utf8.count > 3 && Array($0.utf8)[3] == 0x20 }.map {
            String($0.prefix(3))
        }
    }
}

@Suite("SMTP session") struct SMTPSessionTests {
    private static let begin = "EHLO me\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\n"

    @Test func `a message is stored as it was sent, without dot-stuffing`() throws {
        var dialogue = Dialogue()
        expectEqual(
            dialogue.say("EHLO me\r\n"),
            [
                "250-localhost", "250-PIPELINING", "250-SIZE 41943040", "250-8BITMIME",
                "250-SMTPUTF8", "250-AUTH PLAIN LOGIN", "250 ENHANCEDSTATUSCODES",
            ])
        expectEqual(
            dialogue.codes(
                "mail from:<a@example.com> BODY=8BITMIME SIZE=100\r\n"
                    + "rcpt to: <\"b c\"@example.com>\r\nRCPT TO:<Postmaster>\r\nDATA\r\n"),
            ["250", "250", "250", "354"])
        let replies = dialogue.say("Subject: S\r\n\r\n..\r\n..a\r\nb.\r\n\r\n.\r\nQUIT\r\n")
        expectEqual(replies, ["250 2.0.0 Ok: kept as 1", "221 2.0.0 Bye"])
        #expect(dialogue.session.isOver)
        let mail = try #require(dialogue.mails.first)
        expectEqual(
            String(decoding: mail.raw, as: UTF8.self), "Subject: S\r\n\r\n.\r\n.a\r\nb.\r\n\r\n")
        expectEqual(mail.sender, "a@example.com")
        expectEqual(mail.recipients, ["\"b c\"@example.com", "Postmaster"])
    }

    @Test(arguments: [
        ("MAIL FROM:<a@b.c>\r\n", ["503"]),
        ("EHLO\r\n", ["501"]),
        ("HELO me\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.c>\r\n", ["250", "250", "250"]),
        ("EHLO me\r\nMAIL FROM:a@b.c\r\n", ["250", "501"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c\r\n", ["250", "501"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c>x\r\n", ["250", "501"]),
        ("EHLO me\r\nMAIL FROM:<a b@b.c>\r\n", ["250", "553"]),
        ("EHLO me\r\nMAIL FROM:<ab>\r\n", ["250", "553"]),
        ("EHLO me\r\nMAIL FROM:<@x:a@b.c>\r\n", ["250", "553"]),
        ("EHLO me\r\nMAIL FROM:<ä@b.c>\r\n", ["250", "553"]),
        ("EHLO me\r\nMAIL FROM:<ä@b.c> SMTPUTF8\r\nRCPT TO:<ö@ü.c>\r\n", ["250", "250", "250"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c> X=1\r\n", ["250", "555"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c> SIZE=41943041\r\n", ["250", "552"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c> SIZE=99999999999999999999\r\n", ["250", "552"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c> SIZE=-1\r\n", ["250", "501"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c>\r\nMAIL FROM:<a@b.c>\r\n", ["250", "250", "503"]),
        ("EHLO me\r\nRCPT TO:<a@b.c>\r\nDATA\r\n", ["250", "503", "503"]),
        ("EHLO me\r\nMAIL FROM:<a@b.c>\r\nDATA\r\nRCPT TO:<>\r\n", ["250", "250", "554", "501"]),
        (
            "EHLO me\r\nMAIL FROM:<a@b.c>\r\nRSET\r\nMAIL FROM:<a@b.c>\r\n",
            ["250", "250", "250", "250"]
        ),
        (
            "EHLO me\r\nMAIL FROM:<a@b.c>\r\nEHLO me\r\nRCPT TO:<a@b.c>\r\n",
            ["250", "250", "250", "503"]
        ),
        (
            "NOOP\r\nNOOP x\r\nVRFY a\r\nVRFY\r\nHELP\r\nEXPN a\r\n",
            ["250", "250", "252", "501", "214", "502"]
        ),
        ("STARTTLS\r\nBDAT 3\r\nFOO\r\n\r\n", ["502", "502", "500", "500"]),
        ("EHLO me\r\nAUTH PLAIN AGEAYg==\r\nAUTH PLAIN AGEAYg==\r\n", ["250", "235", "503"]),
        ("EHLO me\r\nAUTH PLAIN\r\nAGEAYg==\r\n", ["250", "334", "235"]),
        (
            "EHLO me\r\nAUTH PLAIN YQ==\r\nAUTH PLAIN ?\r\nAUTH PLAIN\r\n*\r\n",
            ["250", "501", "501", "334", "501"]
        ),
        ("EHLO me\r\nAUTH LOGIN\r\nYQ==\r\nYg==\r\n", ["250", "334", "334", "235"]),
        ("EHLO me\r\nAUTH LOGIN YQ==\r\nYg==\r\n", ["250", "334", "235"]),
        ("EHLO me\r\nAUTH CRAM-MD5\r\nAUTH\r\n", ["250", "504", "501"]),
        ("AUTH PLAIN\r\n", ["503"]),
        ("POST / HTTP/1.1\r\nEHLO me\r\n", ["421"]),
        ("NOOP\nNOOP\r\n", ["500"]),
        ("NOOP\rNOOP\r\nNOOP\r\n", ["500"]),
        ("NO\u{0}OP\r\nNOOP\r\n", ["500", "250"]),
    ])
    func `commands are answered as in RFC 5321`(text: String, codes: [String]) {
        var dialogue = Dialogue()
        expectEqual(dialogue.codes(text), codes)
        expectEqual(dialogue.mails, [])
    }

    @Test(arguments: [
        "x\n.\r\nMAIL FROM:<evil@example.com>\r\n.\r\n",
        "x\r\n.\nMAIL FROM:<evil@example.com>\r\n.\r\n",
        "x\n.\nMAIL FROM:<evil@example.com>\r\n.\r\n", "x\r.\r\r\n.\r\n", "x\r\n.\r.\r\n.\r\n",
        "x\r\n.\r\r\n.\r\n", "\n.\r\n.\r\n", "x\r.\rMAIL FROM:<evil@example.com>\r\n.\r\n",
    ])
    func `only a dot between two CRLFs ends a message`(data: String) {
        var dialogue = Dialogue()
        _ = dialogue.say(Self.begin + "DATA\r\n")
        expectEqual(dialogue.codes(data + "NOOP\r\n"), ["554", "250"])
        expectEqual(dialogue.mails, [])
        #expect(!dialogue.session.isOver)
    }

    @Test func `limits are enforced`() {
        let limits = SMTPLimits(
            messageBytesMax: 20, recipientsMax: 2, commandBytesMax: 64, lineBytesMax: 10,
            commandsMax: 12, errorsMax: 3)
        func codes(_ text: String) -> [String] {
            var dialogue = Dialogue(limits)
            return dialogue.codes(text)
        }
        let rcpt = "RCPT TO:<c@example.com>\r\n"
        expectEqual(codes(Self.begin + rcpt + rcpt), ["250", "250", "250", "250", "452"])
        let data = Self.begin + "DATA\r\n"
        expectEqual(codes(data + "0123456789\r\n01234567\r\n.\r\n").suffix(1), ["552"])
        expectEqual(codes(data + "012345678\r\n0123456\r\n.\r\n").suffix(1), ["250"])
        expectEqual(codes(data + "01234567890\r\n.\r\nNOOP\r\n").suffix(2), ["554", "250"])
        expectEqual(codes(data + "01234567890\r.\r\n.\r\nNOOP\r\n").suffix(2), ["554", "250"])
        expectEqual(codes("NOOP " + String(repeating: "x", count: 57) + "\r\n"), ["250"])
        expectEqual(codes("NOOP " + String(repeating: "x", count: 58) + "\r\nNOOP\r\n"), ["500"])
        expectEqual(codes(String(repeating: "NOOP\r\n", count: 20)).suffix(2), ["250", "421"])
        expectEqual(codes(String(repeating: "X\r\n", count: 20)), ["500", "500", "500", "421"])
        let endless = String(repeating: "012345678\r\n", count: 200_000)
        expectEqual(codes(data + endless).suffix(1), ["421"])
    }

    @Test func `errors of the mailbox are reported`() {
        var dialogue = Dialogue()
        dialogue.verdict = .refused("454 4.7.0 Throttling failure: Maximum sending rate exceeded.")
        let replies = dialogue.say(Self.begin + "DATA\r\nx\r\n.\r\nNOOP\r\n")
        expectEqual(
            replies.suffix(2),
            [
                "454 4.7.0 Throttling failure: Maximum sending rate exceeded.", "250 2.0.0 Ok",
            ])
    }
}
