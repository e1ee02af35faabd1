internal import Bytes

/// The languages of an `Accept-Language` header (RFC 9110 section 12.5.4), most preferred first.
package struct LanguagePreference: Equatable, Sendable {
    private static let headerBytesMax = 1000
    private static let rangesMax = 32
    private static let rangeBytesMax = 35

    /// The ranges in lower case, without ranges with a weight of 0.
    package let ranges: [String]

    package init(header: String?) {
        guard let header, header.utf8.count <= Self.headerBytesMax else {
            ranges = []
            return
        }
        var weighted: [(range: String, weight: Int)] = []
        for entry in header.utf8.split(separator: UInt8(ascii: ",")).prefix(Self.rangesMax) {
            guard let found = Self.entry(entry), found.weight > 0 else { continue }
            weighted.append(found)
        }
        // Equal weights keep their order; the standard library does not guarantee a stable sort.
        ranges = weighted.enumerated().sorted { left, right in
            left.element.weight != right.element.weight
                ? left.element.weight > right.element.weight : left.offset < right.offset
        }.map(\.element.range)
    }

    /// Lookup (RFC 4647 section 3.4): a range is truncated from the end until a language matches.
    ///
    /// - Parameter available: the available languages, in lower case.
    package func choose(among available: Set<String>, otherwise standard: String) -> String {
        for range in ranges {
            // `*` matches nothing: the next ranges are tried, then the standard language.
            var parts = range.split(separator: "-")
            while !parts.isEmpty {
                let candidate = parts.joined(separator: "-")
                if available.contains(candidate) { return candidate }
                parts.removeLast()
                // A single-letter subtag is removed together with the subtag after it.
                if let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
            }
        }
        return standard
    }

    /// Parses an entry such as `de-CH;q=0.8`; nil if it is malformed.
    private static func entry(
        _ text: Substring.UTF8View
    ) -> (range: String, weight: Int)? {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let range = trimmed(parts[0])
        guard (1...rangeBytesMax).contains(range.utf8.count), range.utf8.allSatisfy(isRangeByte)
        else { return nil }
        guard parts.count > 1 else { return (range.lowercased(), 1000) }
        let parameter = trimmed(parts[1])
        guard parts.count == 2, parameter.hasPrefix("q=") || parameter.hasPrefix("Q="),
            let weight = weight(parameter.utf8.dropFirst(2))
        else { return nil }
        return (range.lowercased(), weight)
    }

    /// `0.8` → 800, RFC 9110 section 12.4.2.
    private static func weight(_ text: Substring.UTF8View) -> Int? {
        guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1")
        else { return nil }
        let rest = text.dropFirst()
        guard rest.first.map({ $0 == UInt8(ascii: ".") }) ?? true, rest.count <= 4 else {
            return nil
        }
        var value = Int(first - 0x30) * 1000
        var scale = 100
        for byte in rest.dropFirst() {
            guard byte.isDigit else { return nil }
            value += Int(byte - 0x30) * scale
            scale /= 10
        }
        return value <= 1000 ? value : nil
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text.drop(while: \.isBlank)
        while text.last == 0x20 || text.last == 0x09 { text.removeLast() }
        return String(Substring(text))
    }

    private static func isRangeByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "*")
    }
}
