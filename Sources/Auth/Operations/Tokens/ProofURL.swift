internal import Bytes

/// The URL of a DPoP proof in normalised form, for comparison: without query and fragment (RFC 9449
/// section 4.3; RFC 3986 sections 6.2.2 and 6.2.3).
package struct ProofURL: Equatable, Sendable {
    private let scheme: String
    private let authority: String
    private let path: String

    /// nil if the text is not an absolute HTTP or HTTPS URL.
    package init?(parsing text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let scheme = String(text[..<colon]).asciiLowercased
        guard let port = Self.ports[scheme] else { return nil }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let whole = String(Substring(rest[..<end])).asciiLowercased
        let authority = whole.hasSuffix(port) ? String(whole.dropLast(port.count)) : whole
        guard !authority.isEmpty, authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !authority.utf8.contains(UInt8(ascii: "@"))
        else { return nil }
        let raw = rest[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let path = PercentEncoding.decode(Substring(raw), plusIsSpace: false) else {
            return nil
        }
        self.scheme = scheme
        self.authority = authority
        self.path = path.isEmpty ? "/" : path
    }

    /// - Parameter path: decoded, with its leading slash.
    package init?(base: String, path: String) {
        guard let base = ProofURL(parsing: base) else { return nil }
        scheme = base.scheme
        authority = base.authority
        let isSlash = base.path.utf8.last == UInt8(ascii: "/")
        self.path = (isSlash ? String(base.path.dropLast()) : base.path) + path
    }

    private static let ports = ["http": ":80", "https": ":443"]
}
