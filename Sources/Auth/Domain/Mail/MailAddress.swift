/// An address to which we send: what RFC 5321 section 4.1.2 calls a Mailbox, without its rare forms.
///
/// Quoted local parts, address literals and addresses outside ASCII are refused: the latter need
/// SMTPUTF8 (RFC 6531) of each server on the way, and SES does not offer it. A domain outside ASCII
/// has an ASCII form (RFC 5890), which is accepted.
package struct MailAddress: Hashable, Sendable {
    package static let bytesMax = 254
    private static let localBytesMax = 64
    private static let labelBytesMax = 63

    package let text: String
    package let domain: String

    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax,
            let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
        else { return nil }
        let local = text.utf8[..<at]
        let domain = text.utf8[text.utf8.index(after: at)...]
        guard (1...Self.localBytesMax).contains(local.count),
            Self.parts(local).allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAtomByte) })
        else { return nil }
        let labels = Self.parts(domain)
        guard labels.count >= 2, labels.allSatisfy(Self.isLabel) else { return nil }
        self.text = text
        self.domain = String(Substring(domain))
    }

    private static func parts(_ text: Substring.UTF8View) -> [Substring.UTF8View] {
        text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    /// `atext` of RFC 5322 section 3.2.3.
    private static func isAtomByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        (1...labelBytesMax).contains(label.count)
            && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }
}
