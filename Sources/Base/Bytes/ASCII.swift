// Protocols compare bytes, in which only the ASCII letters have a case. Other modules can inline
// these methods, because they are called for each byte.
extension UInt8 {
    @inlinable package var isDigit: Bool { self &- 0x30 < 10 }
    @inlinable package var isUppercase: Bool { self &- 0x41 < 26 }
    @inlinable package var isLowercase: Bool { self &- 0x61 < 26 }
    @inlinable package var isLetter: Bool { (self | 0x20).isLowercase }
    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }
    /// Whether the byte is a hexadecimal digit in upper or lower case.
    @inlinable package var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }
    @inlinable package var isSpace: Bool { isBlank || self == 0x0A || self == 0x0D }
    @inlinable package var isControl: Bool { self < 0x20 || self == 0x7F }
    @inlinable package var lowercased: UInt8 { isUppercase ? self | 0x20 : self }
    @inlinable package var uppercased: UInt8 { isLowercase ? self & 0xDF : self }
}

extension String {
    /// Changes only A to Z: `lowercased()` would map the Kelvin sign to `k`.
    package var asciiLowercased: String { changingCase(ofLettersFrom: UInt8(ascii: "A")) }

    package var asciiUppercased: String { changingCase(ofLettersFrom: UInt8(ascii: "a")) }

    /// The cases of a letter differ in one bit.
    private func changingCase(ofLettersFrom first: UInt8) -> String {
        guard utf8.contains(where: { $0 &- first < 26 }) else { return self }
        return String(decoding: utf8.map { $0 &- first < 26 ? $0 ^ 0x20 : $0 }, as: UTF8.self)
    }

    /// The text without leading and trailing spaces and tabs.
    package var trimmingBlanks: String { Substring(self).trimmingBlanks }
}

extension Substring {
    package var trimmingBlanks: String {
        let start = utf8.drop(while: \.isBlank)
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return "" }
        return String(Substring(start[...last]))
    }
}

extension Unicode.Scalar {
    /// Whether the scalar has the general category Cc, to which no version of Unicode adds: the
    /// control codes of ASCII and of ISO 8859. This is faster than the properties of Unicode, which
    /// need a look-up.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
