import AuthDomain

@Suite("E-mail addresses") struct EmailAddressTests {
    @Test(arguments: [
        "ada@example.com", "a@b.c", "ada+news@example.co.uk", "o'hara.x_y@ex-ample.org",
        "ADA@EXAMPLE.COM", "1@2.3", "ada@xn--mnchen-3ya.de",
    ])
    func `a plain address is accepted`(text: String) {
        expectEqual(EmailAddress(parsing: text)?.text, text)
    }

    @Test(arguments: [
        "", "@", "ada", "ada@", "@example.com", "ada@@example.com", "ada@example.com ",
        " ada@example.com", "ada@exam ple.com", "ada@-example.com", "ada@example-.com",
        "ada@.com", "ada@example..com", "ada@example.com.", "\"ada\"@example.com",
        "ada@[127.0.0.1]", "ada@ex_ample.com", "ada\r\nBcc: x@example.com", "ada\0@example.com",
        "ädä@example.com", "ada@exämple.com", "ada,bob@example.com", "<ada@example.com>",
        "mi\u{212A}e@example.com", "ada@localhost", ".ada@example.com", "ada.@example.com",
        "a..b@example.com", "a@b@c.org",
    ])
    func `any other text is not an e-mail address`(text: String) {
        expectEqual(EmailAddress(parsing: text), nil)
    }

    @Test func `lengths are limited as in RFC 5321`() {
        let local = String(repeating: "a", count: 64)
        let label = String(repeating: "b", count: 63)
        #expect(EmailAddress(parsing: "\(local)@\(label).com") != nil)
        expectEqual(EmailAddress(parsing: "a\(local)@\(label).com"), nil)
        expectEqual(EmailAddress(parsing: "a@b\(label).com"), nil)
        let long = "a@" + Array(repeating: label, count: 3).joined(separator: ".") + ".bbb"
        #expect(long.utf8.count <= 254 && EmailAddress(parsing: long) != nil)
        expectEqual(EmailAddress(parsing: long + "." + label), nil)
    }

    @Test func `upper and lower case of an address are equivalent`() {
        let loud = EmailAddress(parsing: "ADA@Example.com")
        expectEqual(loud, EmailAddress(parsing: "ada@example.com"))
        expectEqual(loud?.folded, "ada@example.com")
    }
}
