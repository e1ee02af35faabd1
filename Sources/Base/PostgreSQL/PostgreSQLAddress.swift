package import Bytes

/// The parts of a URL: `postgres://user:password@host:port/database?sslmode=…&table=…`.
package struct PostgreSQLAddress: Sendable {
    /// How the server is authenticated, as libpq names it. The modes `allow` and `prefer`, which
    /// use encryption only if the server offers or requires it, are not supported.
    package enum TLS: String, CaseIterable, Sendable {
        case disable
        /// Encrypts, and accepts any certificate.
        case require
        case verifyCA = "verify-ca"
        case verifyFull = "verify-full"

        var verifies: Bool { self == .verifyCA || self == .verifyFull }
    }

    /// A name, an address, or the directory of a Unix socket.
    package let host: String
    package let port: UInt16
    package let user: String
    package var password: SecretBytes?
    package let database: String
    package let tls: TLS
    /// A file of trusted authorities; nil for the authorities of the machine.
    package let authorities: String?
    /// A certificate of the client and its private key.
    package let certificate: String?
    package let key: String?
    package let table: String

    package static let tableDefault = "latchkey"

    private static let schemes = ["postgres://", "postgresql://"]

    package enum Problem: Error, Equatable, Sendable {
        /// The text is not a PostgreSQL URL.
        case malformed
        case noUser
        case noDatabase
        case unknownParameter
        case tlsMode
        case tableName
    }

    package static func hasScheme(_ text: String) -> Bool {
        schemes.contains(where: text.hasPrefix)
    }

    package init(url: String) throws(Problem) {
        guard let scheme = Self.schemes.first(where: url.hasPrefix) else { throw .malformed }
        var rest = url.utf8.dropFirst(scheme.utf8.count)
        var parameters: [(String, String)] = []
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            let query = String(rest[rest.index(after: mark)...]) ?? ""
            guard let pairs = PercentEncoding.parseForm(query, pairsMax: 16) else {
                throw .malformed
            }
            parameters = pairs
            rest = rest[..<mark]
        }
        func parameter(_ name: String) -> String? {
            parameters.last { $0.0.isSame(as: name) }?.1
        }
        let known = ["sslmode", "sslrootcert", "sslcert", "sslkey", "host", "table"]
        guard parameters.allSatisfy({ pair in known.contains { $0.isSame(as: pair.0) } }) else {
            throw .unknownParameter
        }

        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { throw .noDatabase }
        guard let database = Self.decoded(rest[rest.index(after: slash)...]) else {
            throw .malformed
        }
        guard !database.isEmpty else { throw .noDatabase }
        var authority = rest[..<slash]
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { throw .noUser }
        let credentials = authority[..<at].split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        authority = authority[authority.index(after: at)...]
        guard let user = Self.decoded(credentials[0]) else { throw .malformed }
        guard !user.isEmpty else { throw .noUser }
        if credentials.count == 2 {
            guard let password = Self.decoded(credentials[1]) else { throw .malformed }
            self.password = SecretBytes(utf8: password)
        }
        let (written, port) = try Self.hostAndPort(authority)
        let host = parameter("host") ?? (written.isEmpty ? "localhost" : written)
        guard !host.isEmpty, let table = Self.table(parameter("table")) else {
            throw host.isEmpty ? .malformed : .tableName
        }
        if let mode = parameter("sslmode") {
            guard let tls = TLS.allCases.first(where: { $0.rawValue.isSame(as: mode) }) else {
                throw .tlsMode
            }
            self.tls = tls
        } else {
            tls = Self.isOfThisMachine(host) ? .disable : .verifyFull
        }
        self.host = host
        self.port = port
        self.user = user
        self.database = database
        self.table = table
        authorities = parameter("sslrootcert")
        certificate = parameter("sslcert")
        key = parameter("sslkey")
    }

    /// The server and database for an error message, without the user and the password.
    package var place: String {
        host.hasPrefix("/") ? "\(host)/\(database)" : "\(host):\(port)/\(database)"
    }

    /// Whether the server's certificate is checked and the URL names no authorities.
    package var needsAuthorities: Bool { tls.verifies && authorities == nil }

    var isUnixSocket: Bool { host.hasPrefix("/") }

    private static func hostAndPort(_ text: Substring.UTF8View) throws(Problem) -> (String, UInt16)
    {
        var host = text
        var port = "5432"[...].utf8
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { throw .malformed }
            let rest = host[host.index(after: end)...]
            host = host[host.index(after: host.startIndex)..<end]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { throw .malformed }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            port = host[host.index(after: colon)...]
            host = host[..<colon]
        }
        guard let number = UInt16(Substring(port)), number > 0, let name = decoded(host),
            // libpq would take this as a list of hosts, which is not supported.
            !name.utf8.contains(UInt8(ascii: ","))
        else { throw .malformed }
        return (name, number)
    }

    private static func isOfThisMachine(_ host: String) -> Bool {
        host.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains { host.isSame(as: $0) }
    }

    /// An identifier that needs no quotes, short enough for the name of its index.
    private static func table(_ name: String?) -> String? {
        guard let name else { return tableDefault }
        let bytes = name.utf8
        guard let first = bytes.first, first == UInt8(ascii: "_") || first.isLowercase,
            bytes.count <= 48,
            bytes.allSatisfy({
                $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "_")
            })
        else { return nil }
        return name
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        let decoded = PercentEncoding.decode(Substring(text), plusIsSpace: false)
        // libpq takes C strings.
        return decoded.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
