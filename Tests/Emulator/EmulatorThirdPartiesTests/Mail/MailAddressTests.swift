import EmulatorThirdParties
import TestSupport

@Suite("Mail addresses") struct MailAddressTests {
    @Test(
        arguments: [
            ("a@b.c", nil, "a@b.c"), ("  a@b.c ", nil, "a@b.c"), ("<a@b.c>", nil, "a@b.c"),
            ("Ada <a@b.c>", "Ada", "a@b.c"), ("\"L, A \\\"x\\\"\" <a@b.c>", "L, A \"x\"", "a@b.c"),
            ("=?utf-8?Q?=C3=84?= <a@b.c>", "Ä", "a@b.c"),
            ("Ada (x, y) <a@b.c> (z)", "Ada", "a@b.c"),
            ("\"a b\"@b.c", nil, "\"a b\"@b.c"), ("a@[127.0.0.1]", nil, "a@[127.0.0.1]"),
            ("ada@bücher.example", nil, "ada@bücher.example"), ("a+b@b.c", nil, "a+b@b.c"),
            ("用户@例え.テスト", nil, "用户@例え.テスト"),
        ] as [(String, String?, String)])
    func `valid addresses are parsed`(text: String, name: String?, address: String) throws {
        try expectEqual(MailAddress(parsing: text), MailAddress(name: name, address: address))
    }

    @Test(
        arguments: [
            ("a", .missingDomain), ("a@", .missingDomain), ("@b.c", .missingUser), ("", .illegal),
            ("a b@b.c", .controlInLocal), ("a@b..c", .illegalDomain), ("a@b c", .illegalDomain),
            ("a@b/c", .illegalDomain), ("x: a@b.c;", .group), ("undisclosed-recipients:;", .group),
            ("a@b.c, d@e.f", .illegal), ("Ada <a@b.c", .illegal), ("Ada <a@b.c> x", .illegal),
            ("<a@b.c><d@e.f>", .illegal), ("\"a <a@b.c>", .illegal), ("(a", .illegal),
            ("<a\r\n@b.c>", .controlInLocal), ("a@@b.c", .illegal), ("a@[x@y]", .illegal),
            ("\"a\"b\"@b.c", .illegal),
        ] as [(String, AddressFailure)])
    func `invalid addresses are refused`(text: String, failure: AddressFailure) {
        #expect(throws: failure) { try MailAddress(parsing: text) }
    }

    @Test func `a list is split at its commas`() throws {
        let list = try MailAddress.list(parsing: "\"A, B\" <a@b.c>,, d@e.f,\r\n <g@h.i>,")
        expectEqual(list.map(\.address), ["a@b.c", "d@e.f", "g@h.i"])
        expectEqual(list[0].text, "A, B <a@b.c>")
    }
}
