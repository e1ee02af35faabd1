import BaseTestSupport

private let limits = JSONLimits(bytesMax: 1 << 16, depthMax: 8, membersMax: 20)

@Suite("JSON.parse") struct JSONParserTests {
    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC\uD834\uDD1E""#, "A\u{E9}\u{20AC}\u{1D11E}"),
        (#""é\u0301x""#, "é\u{301}x"), (#""\u0000""#, "\u{0}"),
        ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func `parses strings`(text: String, expected: String) throws {
        let value = try JSON.parse(text, limits: limits)
        expectEqual(value, .string(expected))
    }

    @Test(arguments: [
        ("", JSONFailure.syntax(offset: 0)), ("  ", .syntax(offset: 2)),
        ("{} {}", .trailingBytes(offset: 3)), ("1 2", .trailingBytes(offset: 2)),
        ("nullx", .trailingBytes(offset: 4)), ("tru", .syntax(offset: 3)),
        ("01", .trailingBytes(offset: 1)), ("+1", .syntax(offset: 0)), ("1.", .syntax(offset: 0)),
        (".5", .syntax(offset: 0)), ("1e", .syntax(offset: 0)), ("-", .syntax(offset: 0)),
        ("NaN", .syntax(offset: 0)), ("0x10", .trailingBytes(offset: 1)),
        ("[1,]", .syntax(offset: 3)), ("[,1]", .syntax(offset: 1)), ("[1", .syntax(offset: 2)),
        ("{\"a\":1,}", .syntax(offset: 7)), ("{a:1}", .syntax(offset: 1)),
        ("{\"a\" 1}", .syntax(offset: 5)), ("{\"a\":}", .syntax(offset: 5)),
        ("{\"a\":1 \"b\":2}", .syntax(offset: 7)), ("\"", .syntax(offset: 1)),
        ("\"\\", .syntax(offset: 2)), ("\"\\x\"", .syntax(offset: 2)),
        ("\"\\u12\"", .syntax(offset: 5)), ("\"\\u12G4\"", .syntax(offset: 5)),
        ("\"\\ud800", .loneSurrogate(offset: 1)), ("\"\\ud800\\", .loneSurrogate(offset: 1)),
        ("\"\\ud800\\u\"", .syntax(offset: 9)), ("\"a\nb\"", .syntax(offset: 2)),
        ("\"\u{0}\"", .syntax(offset: 1)), ("\u{0}", .syntax(offset: 0)),
        ("1\u{0}", .trailingBytes(offset: 1)),
        ("\u{FEFF}1", .syntax(offset: 0)), ("\u{A0}1", .syntax(offset: 0)),
        ("'a'", .syntax(offset: 0)),
        ("// c\n1", .syntax(offset: 0)), ("{\"a\":1,\"\\u0061\":2}", .duplicateName(offset: 7)),
        ("[[[[[[[[[1]]]]]]]]]", .tooDeep(offset: 8)),
        ("[{\"a\":[{\"a\":[{\"a\":[{\"a\":[1]}]}]}]}]", .tooDeep(offset: 24)),
    ])
    func `refuses invalid JSON with the offset`(text: String, failure: JSONFailure) {
        #expect(throws: failure) { try JSON.parse(text, limits: limits) }
    }

    @Test(arguments: [
        (
            [0x22, 0xC3, 0x5C, 0x75, 0x30, 0x30, 0x41, 0x39, 0x22] as [UInt8],
            "a lead byte before an escape"
        ),
        ([0x22, 0xC3, 0x22], "a cut sequence"),
        ([0x22, 0xE2, 0x82, 0x22], "a cut sequence of three"),
        ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], "above U+10FFFF"),
    ])
    func `refuses bytes that are not UTF-8`(bytes: [UInt8], reason: String) {
        #expect(throws: JSONFailure.notUTF8(offset: 1)) { try JSON.parse(bytes, limits: limits) }
    }

    @Test func `accepts exactly what each limit allows`() throws {
        let deepest = String(repeating: "[", count: 8) + String(repeating: "]", count: 8)
        _ = try JSON.parse(deepest, limits: limits)
        let full = "{" + (0..<20).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        try expectEqual(JSON.parse(full, limits: limits).objectValue?.count, 20)
        let over = "{" + (0..<21).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(throws: JSONFailure.tooManyMembers(offset: 131)) {
            try JSON.parse(over, limits: limits)
        }
        let tight = JSONLimits(bytesMax: 4, depthMax: 1)
        try expectEqual(JSON.parse("true", limits: tight), true)
        #expect(throws: JSONFailure.tooLarge) { try JSON.parse("true ", limits: tight) }
        let scalarsOnly = JSONLimits(bytesMax: 4, depthMax: 0)
        #expect(throws: JSONFailure.tooDeep(offset: 0)) {
            try JSON.parse("{}", limits: scalarsOnly)
        }
    }

    @Test(arguments: [1, 11, 12, 13, 500])
    func `detects a duplicate among any number of members`(count: Int) {
        let names = (0..<count).map { "\"n\($0)\":0" } + ["\"n\(count / 2)\":0"]
        let text = "{" + names.joined(separator: ",") + "}"
        #expect {
            try JSON.parse(text, limits: JSONLimits(bytesMax: 1 << 16, depthMax: 1))
        } throws: {
            guard case .duplicateName = $0 as? JSONFailure else { return false }
            return true
        }
    }
}
