import AuthMail
import AuthTestSupport
import Foundation
import TestSupport

/// How mail clients parse our messages, tested with Python's `email` package.
@Suite struct MailMessageTests {
    static let sender = EmailAddress(parsing: "no-reply@example.com")
    static let ada = EmailAddress(parsing: "ada@example.org")

    struct Read: Decodable, Equatable {
        let headers: [String]
        let fromName: String
        let from: String
        let to: String
        let subject: String
        let id: String
        let date: String
        let type: String
        let text: String
        let html: String
        let defects: [String]
        let lineMax: Int
    }

    static func bytes(
        subject: String = "Hello", text: String = "Hello\n", html: String = "<p>Hello</p>\n",
        name: String? = nil
    ) throws -> [UInt8] {
        let bytes = try message(subject: subject, text: text, html: html, name: name).bytes
        #expect(bytes.allSatisfy { $0 < 0x80 })
        return bytes
    }

    static func message(
        subject: String = "Hello", text: String = "Hello\n", html: String = "<p>Hello</p>\n",
        name: String? = nil
    ) throws -> MailMessage {
        MailMessage(
            from: MailMessage.Sender(try #require(sender), name: name), to: try #require(ada),
            RenderedMail(language: "en", subject: subject, text: text, html: html),
            id: "0123456789abcdef0123456789abcdef", date: Instant(seconds: 1_767_700_800))
    }

    static func read(_ bytes: [UInt8]) throws -> Read {
        var python = Command("/usr/bin/env", ["python3", "-c", program])
        python.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        python.input = .bytes(bytes)
        let result = try ChildProcess.run(python)
        try #require(result.end == .exit(0), "\(result.errorText)")
        return try JSONDecoder().decode(Read.self, from: Data(result.output))
    }

    private static let program = #"""
        import sys, json, email, email.policy
        from email.header import decode_header, make_header
        from email.utils import parseaddr
        raw = sys.stdin.buffer.read()
        assert b"\n" not in raw.replace(b"\r\n", b""), "a bare line feed"
        assert b"\r" not in raw.replace(b"\r\n", b""), "a bare carriage return"
        m = email.message_from_bytes(raw, policy=email.policy.SMTP)
        parts = list(m.iter_parts())
        assert [p.get_content_type() for p in parts] == ["text/plain", "text/html"]
        defects = [str(d) for x in [m] + parts for d in x.defects]
        for name in ("from", "to", "subject", "date", "message-id"):
            defects += [name + ": " + str(d) for d in m[name].defects]
        a = m["from"].addresses
        assert len(a) == 1 and len(m["to"].addresses) == 1
        # `display_name` has spaces between encoded words (RFC 2047 section 6.2 forbids them).
        name, _ = parseaddr(email.message_from_bytes(raw)["from"])
        def text(part):
            return part.get_content().replace("\r\n", "\n")
        print(json.dumps(dict(
            headers=m.keys(), fromName=str(make_header(decode_header(name))), from_=a[0].addr_spec,
            to=str(m["to"]), subject=str(m["subject"]), id=str(m["message-id"]),
            date=m["date"].datetime.isoformat(), type=m.get_content_type(),
            text=text(parts[0]), html=text(parts[1]), defects=defects,
            lineMax=max(map(len, raw.split(b"\r\n"))))).replace('"from_"', '"from"'))
        """#

    @Test func `a message with an ASCII name is parsed unchanged`() throws {
        let read = try Self.read(try Self.bytes(name: "Example App"))
        expectEqual(
            read,
            Read(
                headers: [
                    "Date", "From", "To", "Message-ID", "Subject", "Auto-Submitted",
                    "Content-Language", "MIME-Version", "Content-Type",
                ], fromName: "Example App", from: "no-reply@example.com",
                to: "ada@example.org", subject: "Hello",
                id: "<0123456789abcdef0123456789abcdef@example.com>",
                date: "2026-01-06T12:00:00+00:00", type: "multipart/alternative",
                text: "Hello\n", html: "<p>Hello</p>\n", defects: [], lineMax: read.lineMax))
        #expect(read.lineMax <= 78)
    }

    static let subjects = [
        "Grüße aus Köln", "日本語の件名", String(repeating: "ä", count: 200),
        String(repeating: "long words and spaces ", count: 20) + "end",
        "👩‍👩‍👧‍👦 family " + String(repeating: "👩‍👩‍👧‍👦", count: 30), "=?UTF-8?B?SGk=?=",
        "a  b", String(repeating: "x", count: 66), String(repeating: "x", count: 67),
        String(repeating: "x", count: 300), "e" + String(repeating: "\u{301}", count: 200),
    ]

    @Test(arguments: subjects)
    func `any subject is preserved`(_ subject: String) throws {
        let read = try Self.read(try Self.bytes(subject: subject))
        expectEqual(read.subject, subject)
        #expect(read.lineMax <= 78)
        expectEqual(read.defects, [])
    }

    @Test func `a message in a file has whole lines, unless one is too long`() throws {
        let link = "https://example.com/?token=" + String(repeating: "x", count: 200)
        let text = "Grüße\n\(link)\n"
        let html = "<p>\(String(repeating: "x", count: 999))</p>\n"
        let message = try Self.message(text: text, html: html)
        let lines = String(decoding: message.fileBytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.contains("Grüße") && lines.contains(Substring(link)))
        let read = try Self.read(message.fileBytes)
        expectEqual(read.text, text)
        expectEqual(read.html, html)
        expectEqual(read.defects, [])
    }

    static let names = [
        "Jane \"JD\" Doe \\ Co.", "Müller & Söhne", "a@b.c", "=?x",
        String(repeating: "n", count: 90),
        "Ünïcödé " + String(repeating: "名", count: 60), "(comment)", "a,b;c:<d>",
    ]

    @Test(arguments: names)
    func `any display name is preserved`(_ name: String) throws {
        let read = try Self.read(try Self.bytes(name: name))
        expectEqual(read.fromName, name)
        expectEqual(read.from, "no-reply@example.com")
        #expect(read.lineMax <= 78)
        expectEqual(read.defects, [])
    }

    @Test(arguments: [
        "Hi\r\nBcc: eve@example.com", "Hi\nX: y", "Hi\rX: y", "Hi\u{2028}X: y", "Hi\0there",
        "Hi\u{85}X: y", "\r\n\r\nbody", "Hi\u{202E}gpj.exe",
    ])
    func `nothing in a subject or a name becomes a header`(_ text: String) throws {
        let plain = try Self.read(try Self.bytes(name: "A"))
        let read = try Self.read(try Self.bytes(subject: text, name: text))
        expectEqual(read.headers, plain.headers)
        expectEqual(read.text, "Hello\n")
        #expect(!read.subject.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!read.subject.unicodeScalars.contains("\u{202E}"))
    }

    static let bodies = [
        "", "x", "trailing space \n and tab\t\nend\n", "=3D = ==\n", ".\n..\n.x\n",
        "From me\n>From you\n", String(repeating: "word ", count: 400) + "\n",
        String(repeating: "é", count: 500) + "\n", "\n\n\nx\n\n",
        "--=_0123456789abcdef0123456789abcdef\n",
        "--=_0123456789abcdef0123456789abcdef--\n", String(repeating: "x", count: 75) + "\n",
        String(repeating: "x", count: 76) + "\n", String(repeating: "x", count: 77) + "\n",
        String(repeating: "x", count: 75) + "é\n", String(repeating: "x", count: 75) + " \n",
        "🙂 emoji\n",
    ]

    @Test(arguments: bodies)
    func `any text is preserved`(_ text: String) throws {
        let read = try Self.read(try Self.bytes(text: text, html: text))
        expectEqual(read.text, text)
        expectEqual(read.html, text)
        #expect(read.lineMax <= 78)
        expectEqual(read.defects, [])
    }
}
