/// An e-mail address from a request. Mail can be sent to it; it proves nothing.
///
/// The grammar is that of the HTML Standard (`input type=email`): the addresses that forms accept.
/// Quoted local parts, address literals and addresses beyond ASCII are refused, because two
/// spellings of one mailbox could otherwise have two accounts.
package struct EmailAddress: Hashable, Sendable {
    /// RFC 5321 section 4.5.3.1, and erratum 1690 of RFC 3696 for the whole.
    package static let bytesMax = 254
    private static let localBytesMax = 64
    private static let labelBytesMax = 63

    /// As typed: mail goes there.
    package let text: String

    package init?(parsing raw: String) {
        let bytes = Array(raw.utf8)
        guard bytes.count <= Self.bytesMax,
            let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            (1...Self.localBytesMax).contains(at), bytes[..<at].allSatisfy(Self.isLocal)
        else { return nil }
        let labels = bytes[(at + 1)...].split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(Self.isLabel) else { return nil }
        text = raw
    }

    /// By which an account is found: in all practice mailboxes do not differ by case.
    package var folded: String {
        String(
            decoding: text.utf8.map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }, as: UTF8.self)
    }

    /// The part before the `@`.
    package var localPart: String { String(folded.prefix { $0 != "@" }) }

    package static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.folded.utf8.elementsEqual(right.folded.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private static func isLocal(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard let first = label.first, let last = label.last else { return false }
        return label.count <= labelBytesMax && isLetterOrDigit(first) && isLetterOrDigit(last)
            && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
