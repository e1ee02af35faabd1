internal import Bytes
internal import JSON
internal import Time

/// The built-in shapes of variable values in responses.
package enum PlaceholderShape: String, CaseIterable, Sendable {
    /// A version 4 UUID in lower case.
    case uuid
    /// `2026-01-06T12:00:00.000Z`
    case instant
    /// `2026-01-06T12:00:00Z`
    case instantSeconds
    /// An integer between 2020 and 2100.
    case epochSeconds
    /// The same in milliseconds, as JavaScript has it.
    case epochMilliseconds
    /// A whole number that is not negative.
    case integer
    /// Whole seconds in a header: 1 to 61.
    case retrySeconds
    /// 256 bits in base64url.
    case nonce
    /// An RFC 7638 thumbprint.
    case kid
    /// A coordinate of a P-256 key.
    case coordinate
    /// Any canonical base64url.
    case base64url
    /// A text that is not empty.
    case text
    /// A list of such texts that is not empty.
    case texts
    /// Any signed token with objects as header and claims.
    case jwt
}

extension PlaceholderShape {
    /// Numeric shapes match JSON numbers only, not numbers in quotes.
    package var isNumeric: Bool {
        switch self {
        case .epochSeconds, .epochMilliseconds, .integer: true
        case .uuid, .instant, .instantSeconds, .retrySeconds, .nonce, .kid, .coordinate, .base64url,
            .text, .texts, .jwt:
            false
        }
    }

    /// Whether the text has this shape; false for a list.
    package func fits(_ text: String) -> Bool {
        switch self {
        case .uuid: Self.isUUID(text)
        case .instant: text.utf8.count == 24 && Self.isInstant(text) && text.utf8.contains(0x2E)
        case .instantSeconds: text.utf8.count == 20 && Self.isInstant(text)
        case .epochSeconds: (1_577_836_800...4_102_444_800).contains(Self.whole(text) ?? 0)
        case .epochMilliseconds:
            (1_577_836_800_000...4_102_444_800_000).contains(Self.whole(text) ?? 0)
        case .integer: Self.whole(text) != nil
        case .retrySeconds: (1...61).contains(Self.whole(text) ?? 0)
        case .nonce, .kid, .coordinate: text.utf8.count == 43 && Base64URL.decode(text)?.count == 32
        case .base64url: !text.isEmpty && Base64URL.decode(text) != nil
        case .text: !text.isEmpty
        case .texts: false
        case .jwt: Self.isJWT(text)
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.joined().utf8.allSatisfy {
                $0.isDigit || (0x61...0x66).contains($0)
            }
            && groups[2].first == "4" && "89ab".contains(groups[3].first ?? "0")
    }

    private static func isJWT(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            .map { Base64URL.decode($0) }
        guard parts.count == 3, parts[2]?.isEmpty == false else { return false }
        return parts.prefix(2).allSatisfy { part in
            part.flatMap { try? JSON.parse($0, limits: .request) }?.objectValue != nil
        }
    }

    private static func isInstant(_ text: String) -> Bool {
        text.utf8.last == UInt8(ascii: "Z") && Instant(iso8601: text) != nil
    }

    private static func whole(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.allSatisfy(\.isDigit),
            bytes.count == 1 || bytes[0] != 0x30
        else { return nil }
        return Int64(text)
    }
}
