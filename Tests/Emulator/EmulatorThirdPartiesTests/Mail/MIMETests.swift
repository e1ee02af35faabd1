import BaseTestSupport
import EmulatorThirdParties

@Suite("MIME") struct MIMETests {
    private func message(_ lines: String...) -> MIMEMessage {
        MIMEMessage(lines.joined(separator: "\r\n"))
    }

    @Test(arguments: [
        ("plain", "plain"), ("=?utf-8?B?R3LDvMOfZQ==?=", "Grüße"), ("=?UTF-8?q?a_=C3=BC?=", "a ü"),
        ("=?iso-8859-1?Q?=FC?= =?iso-8859-1?Q?=DF?=", "üß"), ("=?utf-8*de?Q?x?=", "x"),
        ("=?utf-8?B?w7w?= x =?utf-8?Q?=C3?= =?utf-8?Q?=BC?=", "ü x ü"),
        ("=?windows-1252?Q?=80?=", "€"), ("=?koi8-r?Q?=C1?=", "=?koi8-r?Q?=C1?="),
        ("=?utf-8?X?a?=", "=?utf-8?X?a?="), ("=?utf-8?B?", "=?utf-8?B?"), ("=?", "=?"),
        ("a =?utf-8?Q?b?= c", "a b c"), ("=?utf-8?Q?a_?=", "a "),
    ])
    func `encoded words are decoded`(value: String, text: String) {
        expectEqual(message("Subject: \(value)", "", "").header("subject"), text)
    }

    @Test func `folded headers are joined, and lines without a name are ignored`() {
        let message = message(
            "Subject: a", " b", "\tc", "nonsense", "X-Empty:", "x-twice: 1", "X-Twice: 2", "", "t")
        expectEqual(message.header("SUBJECT"), "a b\tc")
        expectEqual(message.headers.map(\.name), ["Subject", "X-Empty", "x-twice", "X-Twice"])
        expectEqual(message.header("x-twice"), "1")
        expectEqual(message.text, "t")
    }

    @Test(arguments: [
        ("quoted-printable", "utf-8", "a=C3=BC=\r\nb =3D=\r\n c  \r\n=XX", "aüb = c\n=XX"),
        ("base64", "utf-8", "w7\r\nw=", "ü"), ("BASE64", "utf-8", "w7w", "ü"),
        ("8bit", "iso-8859-1", "x", "x"), ("quoted-printable", "ISO-8859-1", "=FC", "ü"),
        ("quoted-printable", "windows-1252", "=93=81", "“\u{FFFD}"),
        ("quoted-printable", "us-ascii", "=FC", "\u{FFFD}"), ("unknown", "utf-8", "=FC", "=FC"),
        ("quoted-printable", "utf-8", "=", ""), ("base64", "utf-8", "!!!", ""),
    ])
    func `text is decoded`(encoding: String, charset: String, body: String, text: String) {
        let message = message(
            "Content-Type: text/plain; charset=\"\(charset)\"",
            "Content-Transfer-Encoding: \(encoding)", "", body)
        expectEqual(message.text, text)
        expectEqual(message.notes, [])
    }

    @Test func `an unsupported charset is noted`() {
        let message = message("Content-Type: text/plain; charset=koi8-r", "", "abc")
        expectEqual(message.text, "abc")
        expectEqual(message.notes.count, 1)
    }

    @Test func `nested parts of a message are found`() {
        let message = message(
            "Content-Type: multipart/mixed; boundary=\"a b\"", "", "preamble", "--a b",
            "Content-Type: multipart/alternative; boundary=in", "", "--in", "", "text", "--in",
            "Content-Type: text/html", "", "<p>html</p>", "--in--", "--a b", "", "--a bc",
            "--a b", "Content-Type: text/plain; name*0*=utf-8''%c3%bc; name*1=.txt",
            "Content-Transfer-Encoding: base64", "", "aGVsbG8=", "--a b",
            "Content-Type: image/PNG", "Content-ID: <logo>",
            "Content-Disposition: attachment; filename=\"=?utf-8?Q?=C3=A4.png?=\"", "", "x",
            "--a b--", "epilogue", "--a b", "", "not seen")
        expectEqual(message.text, "text\n--a bc")
        expectEqual(message.html, "<p>html</p>")
        expectEqual(message.attachments.map(\.name), ["ü.txt", "ä.png"])
        expectEqual(message.attachments.map(\.type), ["text/plain", "image/png"])
        expectEqual(message.attachments.map(\.contentID), [nil, "logo"])
        expectEqual(message.attachments.map(\.bytes), [Array("hello".utf8), Array("x".utf8)])
    }

    @Test func `bare line feeds and a missing end of the message are accepted`() {
        let message = MIMEMessage(
            "Subject: s\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x\n\nb")
        expectEqual(message.header("subject"), "s")
        expectEqual(message.text, "a\nb")
    }

    @Test func `nesting depth and number of parts are limited`() {
        var deep = ""
        for level in 0..<100 {
            deep += "Content-Type: multipart/mixed; boundary=b\(level)\r\n\r\n--b\(level)\r\n"
        }
        let nested = MIMEMessage(deep + "\r\nx")
        expectEqual(nested.attachments.count, 1)
        expectEqual(nested.notes.count, 1)
        let many = String(repeating: "--b\r\nContent-Type: a/b\r\n\r\nx\r\n", count: 5000)
        let wide = MIMEMessage("Content-Type: multipart/mixed; boundary=b\r\n\r\n" + many)
        expectEqual(wide.attachments.count, 200)
        expectEqual(wide.notes, ["Only 200 parts are shown."])
        let headers = MIMEMessage(String(repeating: "A: b\r\n", count: 5000) + "\r\nx")
        expectEqual(headers.headers.count, 1000)
        expectEqual(headers.text, "x")
    }
}
