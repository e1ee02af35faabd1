internal import Bytes

extension String {
    package func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8.span, other.utf8.span)
        for index in left.indices where left[index].lowercased != right[index].lowercased {
            return false
        }
        return true
    }

    package func containsIgnoringCase(_ other: String) -> Bool {
        other.isEmpty || utf8.map(\.lowercased).contains(text: other.asciiLowercased)
    }

    /// The text without leading and trailing white space and line ends.
    package var trimmed: String { String(decoding: Array(utf8).trimmed, as: UTF8.self) }

    package var hasControls: Bool { utf8.contains(where: \.isControl) }

    package func has(prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    package func has(suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The text after a prefix that is known to be present.
    package func dropping(prefix: String) -> String {
        String(Substring(utf8.dropFirst(prefix.utf8.count)))
    }

    /// The parts between separators, including empty ones.
    package func pieces(at separator: Unicode.Scalar) -> [String] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The text before and after the first `separator`.
    package func halves(at separator: Unicode.Scalar) -> (first: String, second: String?) {
        guard let index = utf8.firstIndex(of: UInt8(ascii: separator)) else { return (self, nil) }
        return (
            String(Substring(utf8[..<index])),
            String(Substring(utf8[utf8.index(after: index)...]))
        )
    }
}

extension [String] {
    package func containsText(_ text: String) -> Bool { contains { $0.isSame(as: text) } }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    package var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isSpace }),
            let last = lastIndex(where: { !$0.isSpace })
        else { return self[endIndex..<endIndex] }
        return self[first...last]
    }

    /// The first occurrence of `needle` at or after `start`. An empty needle matches everywhere.
    package func firstRange(of needle: [UInt8], from start: Int? = nil) -> Range<Int>? {
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
