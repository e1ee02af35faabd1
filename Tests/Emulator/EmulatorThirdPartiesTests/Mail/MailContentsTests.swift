import EmulatorThirdParties
import TestSupport

@Suite("Links and codes") struct MailContentsTests {
    private func contents(text: String = "", html: String? = nil, subject: String = "")
        -> MailContents
    {
        var raw = "Subject: \(subject)\r\nContent-Type: multipart/mixed; boundary=zzz\r\n\r\n"
        raw += "--zzz\r\n\r\n\(text)\r\n"
        if let html { raw += "--zzz\r\nContent-Type: text/html\r\n\r\n\(html)\r\n" }
        return MailContents(MIMEMessage(raw + "--zzz--\r\n"))
    }

    @Test(arguments: [
        ("code 1234", ["1234"]), ("12345678.", ["12345678"]), ("123", []), ("123456789", []),
        ("(482913)", ["482913"]), ("验证码：482913。", ["482913"]), ("a1234", []), ("1234b", []),
        ("2026-11-21 1234", ["1234"]), ("call +4912345", []), ("$1234", []), ("1,2345", []),
        ("12:3456", []), ("https://x.y/123456 then 654321", ["654321"]),
        ("1234 1234 5678", ["1234", "5678"]),
        ("G-123456 is your code", ["123456"]), ("", []),
    ])
    func `codes are standalone numbers`(text: String, codes: [String]) {
        expectEqual(contents(text: text).codes, codes)
    }

    @Test(arguments: [
        ("see https://a.b/c?d=1&e=2#f.", ["https://a.b/c?d=1&e=2#f"]),
        ("(https://a.b/c) <https://d.e>", ["https://a.b/c", "https://d.e"]),
        ("https://a.b/x_(y) z", ["https://a.b/x_(y)"]), ("myapp://verify/1", ["myapp://verify/1"]),
        ("://x", []), ("HTTP://A.B", ["HTTP://A.B"]),
        ("a://b https://c a://b", ["a://b", "https://c"]),
        ("**https://a.b**", ["https://a.b"]),
    ])
    func `links end where the sentence continues`(text: String, links: [String]) {
        expectEqual(contents(text: text).links, links)
    }

    @Test func `links and text are extracted from HTML`() {
        let contents = contents(
            html: """
                <style>p{color:#123456}</style><p>Hi&nbsp;Ada,<br>your <b>code</b> is \
                <span>4829</span>&#49;3</p><!-- 999999 --><A HREF='https://a.b/?x=1&amp;y=2'>x</a>\
                <a href=javascript:alert(1)>y</a><a href="mailto:a@b.c">z</a>
                """, subject: "Order 7777")
        expectEqual(contents.links, ["https://a.b/?x=1&y=2"])
        expectEqual(contents.codes, ["482913", "7777"])
        expectEqual(contents.code(besides: "YOUR code"), "482913")
        expectEqual(contents.code(besides: "order"), "7777")
        expectEqual(contents.code(besides: "gone"), nil)
        #expect(contents.link(containing: "Y=2") != nil)
        expectEqual(contents.link(containing: "gone"), nil)
    }
}
