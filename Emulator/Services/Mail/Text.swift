// What comes from outside is compared as bytes, and only ASCII letters have a case.
extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    var isBlank: Bool { self == 0x20 || self == 0x09 }
    var isSpace: Bool { isBlank || self == 0x0A || self == 0x0D }
    var isControl: Bool { self < 0x20 || self == 0x7F }
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension String {
    var asciiLowercased: String {
        guard utf8.contains(where: { $0 &- 0x41 < 26 }) else { return self }
        return String(decoding: utf8.map(\.lowercased), as: UTF8.self)
    }

    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    func containsIgnoringCase(_ other: String) -> Bool {
        utf8.map(\.lowercased).firstRange(of: other.utf8.map(\.lowercased)) != nil
    }

    /// Without blanks and line ends on either side.
    var trimmed: String { String(decoding: Array(utf8).trimmed, as: UTF8.self) }

    var hasControls: Bool { utf8.contains(where: \.isControl) }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isSpace }),
            let last = lastIndex(where: { !$0.isSpace })
        else { return self[endIndex..<endIndex] }
        return self[first...last]
    }

    /// Where `needle` first stands at or after `start`. An empty one stands everywhere.
    func firstRange(of needle: [UInt8], from start: Int? = nil) -> Range<Int>? {
        guard let head = needle.first else { return startIndex..<startIndex }
        var at = start ?? startIndex
        while let found = self[at...].firstIndex(of: head) {
            guard endIndex - found >= needle.count else { return nil }
            if self[found..<found + needle.count].elementsEqual(needle) {
                return found..<found + needle.count
            }
            at = found + 1
        }
        return nil
    }
}
