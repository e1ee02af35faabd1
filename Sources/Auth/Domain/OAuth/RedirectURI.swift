internal import Bytes

/// An address of a client to which a browser may return, as it is registered (OAuth 2.1 sections
/// 2.3 and 8.4).
package struct RedirectURI: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// https.
        case web
        /// http on the user's own machine, at any port.
        case loopback
        /// A scheme of an app, such as `com.example.app:/signed-in`.
        case app
    }

    package let text: String
    package let kind: Kind

    package static let bytesMax = 512
    private static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]
    private static let loopbackScheme = "http://"

    /// nil unless it is one of the three kinds. Everything else may be harmful and is refused, such
    /// as `javascript:` in any spelling.
    package init?(registering text: String) {
        guard text.utf8.count <= Self.bytesMax, Self.isPlain(text) else { return nil }
        if text.hasPrefix("https://") {
            guard Self.hasHost(text.dropFirst(8)) else { return nil }
            kind = .web
        } else if text.hasPrefix(Self.loopbackScheme) {
            guard LoopbackParts(text) != nil else { return nil }
            kind = .loopback
        } else {
            guard Self.isOfApp(text) else { return nil }
            kind = .app
        }
        self.text = text
    }

    /// Whether a request may name this address: byte for byte, but at any port on the user's own
    /// machine (section 8.4.2).
    package func accepts(_ presented: String) -> Bool {
        if presented.isSame(as: text) { return true }
        guard kind == .loopback, let own = LoopbackParts(text),
            let other = LoopbackParts(presented)
        else { return false }
        return own.host.isSame(as: other.host) && own.rest.isSame(as: other.rest)
    }

    /// The scheme, host and port of an address, for a person to read; only the scheme for an app's
    /// address.
    package static func target(of address: String) -> String {
        guard let scheme = ["https://", "http://"].first(where: { address.hasPrefix($0) }) else {
            return "\(address.prefix { $0 != ":" }):"
        }
        return scheme
            + address.dropFirst(scheme.utf8.count).prefix { $0 != "/" && $0 != "?" }
    }

    /// The source expression for a content security policy that lets a form lead to the address.
    /// The grammar has no hosts in brackets (Content Security Policy Level 3 section 2.3.1).
    package static func formTarget(of address: String) -> String {
        address.hasPrefix(loopbackScheme + "[") ? "http:" : target(of: address)
    }

    /// The address becomes part of headers and of a content security policy, so it must
    /// not be ambiguous: it has no user name, no fragment, no backslash and no `..`, even escaped.
    private static func isPlain(_ text: String) -> Bool {
        let isAllowed = text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !"\"'<>\\^`{|}#;*@".utf8.contains(byte)
        }
        guard isAllowed else { return false }
        let lower = text.asciiLowercased
        let path = lower.prefix { $0 != "?" }
        return !["%2e", "%2f", "%5c"].contains { path.utf8.contains(text: $0) }
            && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    private static func hasHost(_ rest: Substring) -> Bool {
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let name = authority.prefix { $0 != ":" }
        let port = authority.dropFirst(name.utf8.count)
        return !name.isEmpty
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2E || $0 == 0x2D }
            && (port.isEmpty || LoopbackParts.isPort(port.dropFirst()))
    }

    /// Whether the scheme is a reversed domain, which no other app and no browser uses (section
    /// 8.4.3).
    private static func isOfApp(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }
        return scheme.contains(".") && scheme.utf8.first?.isLetter == true
            && scheme.utf8.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
            && text.dropFirst(scheme.utf8.count).hasPrefix(":/")
    }

    /// `http://127.0.0.1:8080/callback?a=b`: its host, and the rest after the port.
    private struct LoopbackParts {
        let host: String
        let rest: String

        init?(_ text: String) {
            guard text.hasPrefix(loopbackScheme) else { return nil }
            let rest = text.dropFirst(loopbackScheme.utf8.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            guard
                let host = loopbackHosts.first(where: { host in
                    authority == host || authority.hasPrefix(host + ":")
                })
            else { return nil }
            let port = authority.dropFirst(host.utf8.count)
            guard port.isEmpty || Self.isPort(port.dropFirst()) else { return nil }
            self.host = host
            self.rest = String(rest.dropFirst(authority.utf8.count))
        }

        static func isPort(_ text: Substring) -> Bool {
            (1...5).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
                && UInt16(text).map { $0 > 0 } ?? false
        }
    }
}
