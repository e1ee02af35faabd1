internal import Bytes

/// The rules for a domain in an RP ID or an origin, as browsers serialise it: lower case, ASCII
/// (internationalised names as `xn--`), no trailing dot, not an IP address.
enum DomainName {
    private static let bytesMax = 253
    private static let labelBytesMax = 63

    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...bytesMax).contains(bytes.count) else { return false }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // If the last label consists of digits, browsers read the text as an IPv4 address (URL
        // Standard, "ends in a number").
        guard let last = labels.last, !last.allSatisfy(\.isDigit),
            !last.starts(with: Array("0x".utf8))
        else { return false }
        return labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...labelBytesMax).contains(label.count), label.first != hyphen,
            label.last != hyphen
        else { return false }
        return label.allSatisfy { $0.isLowercase || $0.isDigit || $0 == hyphen }
    }
}
