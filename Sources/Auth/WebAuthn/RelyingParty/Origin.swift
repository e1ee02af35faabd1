internal import Bytes

/// Why an origin was refused.
package enum OriginFailure: Error, Equatable, Sendable {
    case empty
    case tooLong
    /// The origin does not begin with `https`, `http` for localhost, or `android:apk-key-hash:`.
    case unsupportedScheme
    /// The host is not in the form in which browsers serialise it: lower case, ASCII, no trailing
    /// dot, no user information, no wildcard, no IP address.
    case invalidHost
    /// The port is not a number, or is the scheme's default port, which browsers leave out.
    case invalidPort
    /// Something follows the host: a path, even `/`, a query or a fragment.
    case trailingText
    /// The hash is not the base64url encoding of 32 bytes.
    case invalidKeyHash
    case duplicate
    case tooMany
}

/// Where a ceremony takes place: a web origin, or an Android app by its signing certificate. Apps
/// on Apple's platforms use the web origin `https://` and RP ID.
///
/// Origins are equal only if their bytes are equal: no prefix, suffix or pattern ever matches
/// (WebAuthn, "Validating the origin of a credential").
package struct Origin: Sendable, Hashable {
    /// The origin in the form of `clientDataJSON`.
    package let text: String
    /// nil for an app.
    let host: String?

    private static let bytesMax = 300
    private static let androidPrefix = "android:apk-key-hash:"

    package init(parsing text: String) throws(OriginFailure) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.bytesMax else { throw .tooLong }
        if text.hasPrefix(Self.androidPrefix) {
            guard Base64URL.decode(text.dropFirst(Self.androidPrefix.count))?.count == 32 else {
                throw .invalidKeyHash
            }
            host = nil
        } else {
            host = try Self.host(of: text)
        }
        self.text = text
    }

    /// The origin of an Android app, by the SHA-256 of its signing certificate.
    package init(androidCertificate fingerprint: CertificateFingerprint) {
        text = Self.androidPrefix + Base64URL.encode(fingerprint.bytes)
        host = nil
    }

    private static func host(of text: String) throws(OriginFailure) -> String {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { throw .unsupportedScheme }
        let authority = text.dropFirst(isSecure ? 8 : 7)
        guard !authority.utf8.contains(where: { "/?#\\".utf8.contains($0) }) else {
            throw .trailingText
        }
        let colon = authority.firstIndex(of: ":") ?? authority.endIndex
        let host = authority[..<colon]
        guard DomainName.isValid(host) else { throw .invalidHost }
        guard isPort(authority[colon...], implied: isSecure ? 443 : 80) else {
            throw .invalidPort
        }
        // The only host that browsers trust without TLS and that can be an RP ID.
        guard isSecure || host.isSame(as: "localhost") else { throw .unsupportedScheme }
        return String(host)
    }

    /// Whether the text is empty, or `:` and a number that the scheme does not imply.
    private static func isPort(_ text: Substring, implied: UInt16) -> Bool {
        guard !text.isEmpty else { return true }
        let digits = Array(text.utf8.dropFirst())
        guard let first = digits.first, first != UInt8(ascii: "0"),
            digits.allSatisfy(\.isDigit), let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return false }
        return port != implied
    }
}

extension Origin {
    // The bytes are compared, because `==` of `String` means canonical equivalence.
    package static func == (left: Origin, right: Origin) -> Bool {
        left.text.isSame(as: right.text)
    }
}

/// The origins that a relying party accepts, compared byte by byte.
package struct OriginList: Sendable, Equatable {
    package static let originsMax = 64

    package let origins: [Origin]

    /// A list without duplicates, of 1 to `originsMax`.
    package init(_ origins: [Origin]) throws(OriginFailure) {
        guard !origins.isEmpty else { throw .empty }
        guard origins.count <= Self.originsMax else { throw .tooMany }
        guard Set(origins.map { Array($0.text.utf8) }).count == origins.count else {
            throw .duplicate
        }
        self.origins = origins
    }

    /// Parses a setting: origins separated by commas or blanks.
    package init(parsing setting: String) throws(OriginFailure) {
        var origins: [Origin] = []
        for part in setting.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0.isSpace }) {
            origins.append(try Origin(parsing: String(Substring(part))))
        }
        try self.init(origins)
    }

    package func contains(_ text: String) -> Bool {
        origins.contains { $0.text.isSame(as: text) }
    }
}
