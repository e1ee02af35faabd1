import BaseTestSupport

@Suite("ASCII") struct ASCIITests {
    private static let bytes = UInt8.min...UInt8.max

    private static func matching(_ isMatch: (UInt8) -> Bool) -> String {
        String(decoding: bytes.filter(isMatch), as: UTF8.self)
    }

    @Test func `each class has its characters and no other byte`() {
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        let lower = "abcdefghijklmnopqrstuvwxyz"
        expectEqual(Self.matching(\.isDigit), "0123456789")
        expectEqual(Self.matching(\.isUppercase), upper)
        expectEqual(Self.matching(\.isLowercase), lower)
        expectEqual(Self.matching(\.isLetter), upper + lower)
        expectEqual(Self.matching(\.isLetterOrDigit), "0123456789" + upper + lower)
        expectEqual(Self.matching(\.isHexDigit), "0123456789ABCDEFabcdef")
        #expect(Self.matching(\.isBlank).utf8.elementsEqual([0x09, 0x20]))
        #expect(Self.matching(\.isSpace).utf8.elementsEqual([0x09, 0x0A, 0x0D, 0x20]))
        #expect(Self.matching(\.isControl).utf8.elementsEqual(Array(0..<0x20) + [0x7F]))
    }

    @Test func `only letters have a case`() {
        for byte in Self.bytes {
            let character = Character(Unicode.Scalar(byte))
            let isLetter = byte < 0x80 && character.isLetter
            expectEqual(byte.lowercased, isLetter ? character.lowercased().utf8.first : byte)
            expectEqual(byte.uppercased, isLetter ? character.uppercased().utf8.first : byte)
        }
        #expect("ÀZ\u{212A}k".asciiLowercased.isSame(as: "Àz\u{212A}k"))
        #expect("àz\u{212A}k".asciiUppercased.isSame(as: "àZ\u{212A}K"))
    }

    @Test(arguments: [("", ""), (" \t ", ""), (" a b\t", "a b"), ("\r\na\n", "\r\na\n")])
    func `spaces at both ends are removed`(text: String, trimmed: String) {
        #expect(text.trimmingBlanks.isSame(as: trimmed))
    }
}
