internal import Bytes

/// The names under which a server shows pages. A foreign site can let its own name resolve to the
/// server's address (DNS rebinding). Its pages then have the same origin as the server's, and can
/// send requests from the visitor's network. With HTTPS, certificates prevent that.
package struct PageHosts: Equatable, Sendable {
    /// The names in lower case, without port.
    private let names: [String]

    /// Names that no site can have (RFC 6761, RFC 6762, RFC 8375; `internal` is reserved by
    /// ICANN).
    private static let reserved = ["localhost", "local", "internal", "home.arpa"]

    /// - Parameter urls: the URLs of the server.
    package init(_ urls: [String]) {
        names = urls.compactMap { url in
            url.utf8.firstOccurrence(of: "://").map { range in
                Self.name(String(url[range.upperBound...].prefix { $0 != "/" && $0 != "?" }))
            }
        }
    }

    /// Also accepts hosts that no website can have: an IP address, a name without a dot, a reserved
    /// name.
    ///
    /// - Parameter host: the header `Host`. Every browser sends one.
    package func accept(_ host: String?) -> Bool {
        guard let host else { return true }
        let name = Self.name(host)
        if name.hasPrefix("[") { return Self.isIPv6(name) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, !name.isEmpty else { return false }
        guard labels.count > 1 else { return true }
        // A host that ends in a number is an IPv4 address (URL Standard section 3.5).
        return last.utf8.allSatisfy(\.isDigit) && !last.isEmpty
            || names.contains { $0.isSame(as: name) }
            || Self.reserved.contains { name.hasSuffix("." + $0) }
    }

    /// An address in brackets (RFC 3986 section 3.2.2).
    private static func isIPv6(_ name: String) -> Bool {
        guard name.hasSuffix("]") else { return false }
        let address = name.utf8.dropFirst().dropLast()
        return address.contains(UInt8(ascii: ":"))
            && address.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
    }

    private static func name(_ authority: String) -> String {
        let lower = authority.asciiLowercased
        if lower.hasPrefix("[") {
            guard let end = lower.utf8.lastIndex(of: UInt8(ascii: "]")) else { return lower }
            let rest = lower.utf8[lower.utf8.index(after: end)...]
            // Only a port is removed. Any other ending is kept, so that the name is refused.
            let isPort =
                rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(\.isDigit)
            return isPort ? String(lower[...end]) : lower
        }
        let name = lower.prefix { $0 != ":" }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }
}
