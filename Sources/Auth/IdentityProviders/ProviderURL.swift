internal import Bytes

/// A URL that may be fetched: https, or http on this machine.
///
/// Stricter than RFC 3986: only plain host names, addresses and ports are allowed, so that this
/// check and libcurl cannot disagree about the host.
package struct ProviderURL: Sendable {
    package let text: String
    let isSecure: Bool
    let isLoopback: Bool
    package let hasQuery: Bool

    private static let bytesMax = 2048

    package init?(_ text: String, allowsPlainHTTP: Bool) {
        isSecure = text.utf8.starts(with: "https://".utf8)
        guard isSecure || text.utf8.starts(with: "http://".utf8),
            text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        let rest = text.utf8.dropFirst(isSecure ? 8 : 7)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        guard let host = Self.host(ofAuthority: Array(rest[..<(end ?? rest.endIndex)])) else {
            return nil
        }
        isLoopback = Self.isLoopback(host)
        guard isSecure || isLoopback || allowsPlainHTTP else { return nil }
        hasQuery = rest.contains(UInt8(ascii: "?"))
        self.text = text
    }

    /// The URL with a path appended.
    package func appending(_ path: String) -> String {
        (text.utf8.last == UInt8(ascii: "/") ? String(text.dropLast()) : text) + path
    }

    /// No user info, fragment, backslash, space or control characters, which have confused URL
    /// parsers.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    /// The host, in lower case, of `host[:port]`.
    private static func host(ofAuthority authority: [UInt8]) -> String? {
        let colon: Int?
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let after = bracket + 1
            guard after == authority.count || authority[after] == UInt8(ascii: ":") else {
                return nil
            }
            colon = after < authority.count ? after : nil
        } else {
            colon = authority.firstIndex(of: UInt8(ascii: ":"))
        }
        let host = authority[..<(colon ?? authority.count)]
        if let colon {
            guard let port = decimal(authority[(colon + 1)...], max: 65535), port > 0 else {
                return nil
            }
        }
        let lowered = host.map(\.lowercased)
        guard let first = lowered.first else { return nil }
        let isName = lowered.allSatisfy {
            ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".")
                || $0 == UInt8(ascii: "-")
        }
        let isAddress =
            first == UInt8(ascii: "[")
            && lowered.dropFirst().dropLast().allSatisfy {
                ($0 >= 0x61 && $0 <= 0x66) || ($0 >= 0x30 && $0 <= 0x39)
                    || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
        guard isName || isAddress else { return nil }
        return String(decoding: lowered, as: UTF8.self)
    }

    /// 127.0.0.0/8, ::1 and localhost (RFC 6761 section 6.3), in their canonical forms only.
    private static func isLoopback(_ host: String) -> Bool {
        if host.utf8.elementsEqual("localhost".utf8) || host.utf8.elementsEqual("[::1]".utf8) {
            return true
        }
        let parts = Array(host.utf8).split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { decimal($0, max: 255) }
        return parts.count == 4 && numbers.count == 4 && numbers[0] == 127
    }

    private static func decimal(_ digits: ArraySlice<UInt8>, max: Int) -> Int? {
        guard (1...5).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            // `0177.0.0.1` is octal to some resolvers.
            digits.count == 1 || digits.first != 0x30
        else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= max ? value : nil
    }
}
