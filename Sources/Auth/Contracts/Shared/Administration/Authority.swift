internal import Bytes

/// A host and its port, as in the header `Host` and in URLs (RFC 3986 section 3.2).
package struct Authority {
    package let text: String

    package init(_ text: String) { self.text = text.asciiLowercased }

    /// - Parameter url: with scheme and authority.
    package init(of url: String) {
        let start = url.utf8.firstOccurrence(of: "://")?.upperBound ?? url.startIndex
        self.init(String(url[start...].prefix { $0 != "/" && $0 != "?" }))
    }

    /// The host without the port. An IPv6 address keeps its brackets.
    package var name: String {
        if let end = text.utf8.lastIndex(of: UInt8(ascii: "]")) { return String(text[...end]) }
        return String(text.prefix { $0 != ":" })
    }

    /// nil for the standard port of the scheme.
    package var port: String? {
        let rest = text.dropFirst(name.count)
        return rest.isEmpty ? nil : String(rest.dropFirst())
    }

    /// Browsers treat these as secure (Secure Contexts section 3.1).
    package var isLoopback: Bool {
        name.isSame(as: "localhost") || name.hasSuffix(".localhost") || name.isSame(as: "[::1]")
            || isIPv4Loopback
    }

    /// The whole name must be an address: `127.example.com` only begins like one.
    private var isIPv4Loopback: Bool {
        name.hasPrefix("127.") && name.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    }

    /// Whether the host is an IP address. Pages at an IP address cannot use passkeys (WebAuthn
    /// section 5.1.3: the effective domain must be a domain).
    package var isAddress: Bool {
        name.hasPrefix("[")
            || !name.isEmpty && name.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    }

    /// Whether the text is safe in a command or a setting that is shown for copying.
    package var isPlain: Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetterOrDigit || "-.:[]".utf8.contains($0) }
    }
}
