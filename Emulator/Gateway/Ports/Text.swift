internal import Bytes

// Text from outside is compared as bytes, and only ASCII letters have a case.
extension String {
    var asciiLowercased: String {
        guard utf8.contains(where: { $0 &- 0x41 < 26 }) else { return self }
        return String(decoding: utf8.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    var asciiUppercased: String {
        guard utf8.contains(where: { $0 &- 0x61 < 26 }) else { return self }
        return String(decoding: utf8.map { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { left, right in
            left == right || (left | 0x20 == right | 0x20 && (left | 0x20) &- 0x61 < 26)
        }
    }

    /// Without spaces and tabs at its ends.
    var trimmingBlanks: String { Substring(self).trimmingBlanks }

    func has(prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    func has(suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The text behind a prefix that is known to be there.
    func dropping(prefix: String) -> String { String(Substring(utf8.dropFirst(prefix.utf8.count))) }

    /// The pieces between single bytes, empty ones too.
    func pieces(at separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The text before the first `separator`, and what follows it.
    func halves(at separator: Unicode.Scalar) -> (first: String, second: String?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return (self, nil) }
        return (
            String(Substring(utf8[..<index])),
            String(Substring(utf8[utf8.index(after: index)...]))
        )
    }
}

extension Substring {
    var trimmingBlanks: String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = utf8.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(start[...last]))
    }
}

extension [String] {
    func containsText(_ text: String) -> Bool { contains { $0.isSame(as: text) } }
}

/// A text as a key: two texts are one key only when their bytes are the same.
struct TextKey: Hashable, Sendable {
    let utf8: [UInt8]
    init(_ text: String) { utf8 = Array(text.utf8) }
}
