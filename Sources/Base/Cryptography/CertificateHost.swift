internal import Bytes

/// A host in a certificate: a name, a wildcard, or an address.
package enum CertificateHost: Sendable, Hashable {
    /// In lower case; the first label may be `*`.
    case name(String)
    case ipv4(UInt8, UInt8, UInt8, UInt8)
    /// The addresses that begin with these bits. This is only for the limits of an authority.
    case network(UInt8, UInt8, UInt8, UInt8, bits: Int)
    /// ::1. Other IPv6 addresses are not supported.
    case ipv6Loopback

    private static let nameBytesMax = 253

    /// The entry in the syntax of x509v3_config(5); nil for an invalid name.
    ///
    /// Only letters, digits, dots and hyphens are allowed in a name, so that a comma in untrusted
    /// input cannot add another entry.
    var configuration: String? {
        switch self {
        case .name(let name):
            return Self.isName(name) ? "DNS:\(name)" : nil
        case .ipv4(let a, let b, let c, let d):
            return "IP:\(a).\(b).\(c).\(d)"
        case .network:
            return nil
        case .ipv6Loopback:
            return "IP:0:0:0:0:0:0:0:1"
        }
    }

    /// RFC 5280 section 4.2.1.10: an address has a mask; a name includes its subdomains.
    var constraint: String? {
        switch self {
        case .name: configuration
        case .ipv4: configuration.map { $0 + "/255.255.255.255" }
        case .network(let a, let b, let c, let d, let bits):
            "IP:\(a).\(b).\(c).\(d)/" + Self.mask(bits)
        case .ipv6Loopback: configuration.map { $0 + "/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF" }
        }
    }

    private static func mask(_ bits: Int) -> String {
        (0..<4).map { index in
            String(UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - 8 * index))))
        }.joined(separator: ".")
    }

    private static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= nameBytesMax else { return false }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 1, label.elementsEqual("*".utf8) { return true }
            return (1...63).contains(label.count)
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy {
                    $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-")
                }
        }
    }
}
