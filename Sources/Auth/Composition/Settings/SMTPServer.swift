internal import Bytes

struct SMTPServer: Equatable, Sendable {
    /// Whether TLS begins with the first byte (RFC 8314 section 3.3), and not with STARTTLS.
    let isImplicitTLS: Bool
    let host: String
    let port: UInt16
    let user: String?

    /// - Parameter url: `smtp://[USER@]HOST[:PORT]` or `smtps://…`; nil is returned for anything
    ///   else. The user is percent-encoded; a password is not allowed.
    init?(url: String) {
        var rest: String
        if let after = url.dropping("smtps://") {
            isImplicitTLS = true
            rest = after
        } else if let after = url.dropping("smtp://") {
            isImplicitTLS = false
            rest = after
        } else {
            return nil
        }
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            let user = rest[..<at]
            guard !user.isEmpty, !user.utf8.contains(UInt8(ascii: ":")),
                let decoded = PercentEncoding.decode(user, plusIsSpace: false),
                decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { return nil }
            self.user = decoded
            rest = String(rest[rest.utf8.index(after: at)...])
        } else {
            user = nil
        }
        // Submission with STARTTLS (RFC 6409), and with TLS (RFC 8314 section 7.3).
        var port: UInt16 = isImplicitTLS ? 465 : 587
        let afterAddress = rest.utf8.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
        if let colon = rest[afterAddress...].utf8.lastIndex(of: UInt8(ascii: ":")) {
            let digits = rest[rest.utf8.index(after: colon)...]
            guard digits.utf8.allSatisfy(\.isDigit),
                let given = UInt16(digits),
                given > 0
            else { return nil }
            port = given
            rest = String(rest[..<colon])
        }
        guard (1...253).contains(rest.utf8.count), rest.utf8.allSatisfy(Self.isHostByte) else {
            return nil
        }
        host = rest
        self.port = port
    }

    /// Whether the host is this machine, the only one to which mail may be sent without TLS.
    var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-.[]:".utf8.contains(byte)
    }
}
