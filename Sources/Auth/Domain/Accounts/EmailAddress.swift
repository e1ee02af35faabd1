internal import Bytes

/// A syntactically valid e-mail address. An address in a request proves nothing about the sender.
///
/// A `Mailbox` of RFC 5321 section 4.1.2 without its rare forms. Quoted local parts and address
/// literals are refused, because two spellings of one mailbox could otherwise have two accounts.
/// Non-ASCII addresses are refused, because every server on the way would need SMTPUTF8 (RFC 6531),
/// which SES does not support; a non-ASCII domain has an ASCII form (RFC 5890).
package struct EmailAddress: Hashable, Sendable {
    /// The limits of RFC 5321 section 4.5.3.1, and of erratum 1690 of RFC 3696 for the whole
    /// address.
    package static let bytesMax = 254
    private static let localBytesMax = 64
    private static let labelBytesMax = 63

    /// The address as typed. Mail is sent to this form.
    package let text: String

    package init?(parsing raw: String) {
        let bytes = Array(raw.utf8)
        guard bytes.count <= Self.bytesMax,
            let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            (1...Self.localBytesMax).contains(at),
            Self.parts(bytes[..<at]).allSatisfy(Self.isAtom)
        else { return nil }
        let labels = Self.parts(bytes[(at + 1)...])
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
        text = raw
    }

    /// The form by which accounts are found: in practice, no two mailboxes differ only in case.
    package var folded: String {
        String(
            decoding: text.utf8.map { byte in
                byte.lowercased
            }, as: UTF8.self)
    }

    /// The part before the `@`.
    package var localPart: String { String(folded.prefix { $0 != "@" }) }

    /// The part after the `@`.
    package var domain: String { String(text.drop { $0 != "@" }.dropFirst()) }

    package static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.folded.utf8.elementsEqual(right.folded.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private static func parts(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    /// `atom` of RFC 5322 section 3.2.3.
    private static func isAtom(_ part: ArraySlice<UInt8>) -> Bool {
        !part.isEmpty
            && part.allSatisfy { byte in
                byte.isLetterOrDigit || "!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
            }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard let first = label.first, let last = label.last else { return false }
        return label.count <= labelBytesMax && first.isLetterOrDigit && last.isLetterOrDigit
            && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    }
}
