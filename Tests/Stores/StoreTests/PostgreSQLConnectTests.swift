import Foundation
import PostgreSQLStore

/// The messages for an operator when a server cannot be used. None contains a password.
@Suite("PostgreSQL: connections to a server", .hangLimit)
struct PostgreSQLConnectTests {
    @Test func `a server without a listener is named, with the reason`() throws {
        let port = try FreePort.find()
        let failure = try failure(at: "postgres://ada:s3cret@127.0.0.1:\(port)/db")
        expectEqual(
            failure, .unavailable(detail: "postgres:127.0.0.1:\(port)/db: no server listens there"))
        let socket = try self.failure(at: "postgres://ada@/db?host=/nonexistent")
        expectEqual(
            socket, .unavailable(detail: "postgres:/nonexistent/db: no server listens there"))
    }

    @Test func `an unknown host is named`() throws {
        let failure = try failure(at: "postgres://ada@nowhere.invalid/db?sslmode=disable")
        expectEqual(
            failure,
            .unavailable(
                detail: "postgres:nowhere.invalid:5432/db: the host name cannot be resolved"))
    }

    @Test func `a server that does not answer delays a call up to the time limit`() throws {
        let silent = try SilentServer()
        let start = Date()
        let failure = try failure(at: "postgres://ada@127.0.0.1:\(silent.port)/db")
        #expect(Date().timeIntervalSince(start) < 6)
        expectEqual(
            failure,
            .unavailable(detail: "postgres:127.0.0.1:\(silent.port)/db: no answer in time"))
    }

    @Test func `a wrong password is refused once, and a right one is accepted`() throws {
        let server = try PostgreSQLServer(
            ["hba_file": "{folder}/hba"],
            files: ["hba": "local all latchkey trust\nlocal all all scram-sha-256\n"])
        _ = try server.run("CREATE ROLE ada LOGIN SUPERUSER PASSWORD 'right'")
        func url(_ user: String) -> String {
            "postgres://\(user)@/postgres?host=\(server.folder)"
        }
        try PostgreSQL.store(at: url("ada:right")).migrate()
        for user in ["ada:wrong", "ada", "grace:right"] {
            try expectEqual(
                failure(at: url(user)),
                .refused(
                    detail: "postgres:\(server.folder)/postgres: "
                        + "the user or the password is refused (28P01)"))
        }
        let refusals = server.log.split(separator: "\n").count {
            $0.contains("password authentication failed")
        }
        expectEqual(refusals, 2)
    }

    @Test func `a server with all its connections in use is unavailable until one is free`() throws
    {
        let server = try PostgreSQLServer([
            "max_connections": "3", "superuser_reserved_connections": "0",
        ])
        var stores: [PostgreSQLStore] = []
        for _ in 0..<3 {
            let store = try PostgreSQL.store(at: server.url(table: "t"), connectionsMax: 1)
            try store.migrate()
            stores.append(store)
        }
        try expectEqual(
            failure(at: server.url(table: "t")),
            .unavailable(
                detail: "postgres:\(server.folder)/postgres: "
                    + "the server refuses connections (53300)"))
        stores.removeLast()
        let store = try PostgreSQL.store(at: server.url(table: "t"))
        var isWritten = false
        while !isWritten { isWritten = (try? store.put("p", "s")) != nil }
        #expect(try stores[0].get(ItemKey("p", "s")) != nil)
    }

    // MARK: TLS

    @Test func `the server's certificate is verified`() throws {
        let (valid, expired) = (try TLSPostgreSQL(), try TLSPostgreSQL(isExpired: true))
        let other = try TLSPostgreSQL.authority()
        func outcome(
            _ server: TLSPostgreSQL, host: String = "localhost", mode: String = "verify-full",
            authority: CertificateAuthority? = nil
        ) throws -> StoreFailure? {
            try server.outcome(host: host, mode: mode, authority: authority ?? server.authority)
        }
        try expectEqual(outcome(valid), nil)
        try expectEqual(outcome(valid, host: "127.0.0.1", mode: "verify-ca"), nil)
        try expectEqual(failure(at: valid.url(host: "127.0.0.1") + "?sslmode=require"), nil)

        let untrusted =
            "the server's certificate is not trusted or has expired; see sslmode and sslrootcert"
        for (server, authority) in [(valid, other), (expired, expired.authority)] {
            for mode in ["verify-full", "verify-ca"] {
                try expectEqual(
                    outcome(server, mode: mode, authority: authority),
                    .refused(detail: "postgres:localhost:\(server.port)/postgres: \(untrusted)"))
            }
        }
        try expectEqual(
            outcome(valid, host: "127.0.0.1"),
            .refused(
                detail: "postgres:127.0.0.1:\(valid.port)/postgres: "
                    + "the server's certificate is for another host; see sslmode"))
        // Without a file of authorities none is trusted.
        try expectEqual(
            failure(at: valid.url(host: "localhost") + "?sslmode=verify-full"),
            .refused(detail: "postgres:localhost:\(valid.port)/postgres: \(untrusted)"))
    }

    @Test func `a server without TLS is refused where it is required`() throws {
        let port = try String(FreePort.find())
        let server = try PostgreSQLServer(["listen_addresses": "127.0.0.1", "port": port])
        let url = "postgres://latchkey@127.0.0.1:\(port)/postgres?sslmode="
        try PostgreSQL.store(at: url + "disable").migrate()
        for mode in ["require", "verify-full"] {
            try expectEqual(
                failure(at: url + mode),
                .refused(
                    detail: "postgres:127.0.0.1:\(port)/postgres: "
                        + "the server has no TLS; see sslmode"))
        }
        withExtendedLifetime(server) {}
    }

    private func failure(at url: String) throws -> StoreFailure? {
        try PostgreSQL.failure(at: url)
    }
}

extension PostgreSQL {
    /// The failure of a read.
    static func failure(at url: String, authorities: String? = nil) throws -> StoreFailure? {
        let store = try store(at: url, authorities: authorities)
        do throws(StoreFailure) {
            _ = try store.get(ItemKey("p", "s"))
            return nil
        } catch {
            return error
        }
    }
}

/// A server on a loopback port, with a certificate for `localhost` of an authority of its own.
private final class TLSPostgreSQL: Sendable {
    let authority: CertificateAuthority
    let port: String
    private let server: PostgreSQLServer
    private let folder: TemporaryFolder

    private static let random = RandomSource.system

    static func authority() throws -> CertificateAuthority {
        let now = WallClock.system.now()
        return try .make(
            limitedTo: [.name("localhost")], validity: now - .days(3)..<now + .days(1),
            random: random)
    }

    init(isExpired: Bool = false) throws {
        let now = WallClock.system.now()
        authority = try Self.authority()
        folder = try TemporaryFolder()
        port = try String(FreePort.find())
        let key = try P256PrivateKey.generate(random: Self.random)
        let certificate = try authority.issue(
            to: key, name: "server", hosts: [.name("localhost")],
            validity: now - .days(2)..<(isExpired ? now - .days(1) : now + .days(1)),
            random: Self.random)
        server = try PostgreSQLServer(
            [
                "listen_addresses": "127.0.0.1", "port": port, "ssl": "on",
                "ssl_cert_file": "{folder}/server.pem", "ssl_key_file": "{folder}/server.key",
            ],
            files: [
                "server.pem": certificate.pem,
                "server.key": String(decoding: try key.pem().reveal(), as: UTF8.self),
            ])
        try PostgreSQL.store(at: self.url(host: "127.0.0.1") + "?sslmode=require").migrate()
    }

    func url(host: String) -> String { "postgres://latchkey@\(host):\(port)/postgres" }

    func outcome(
        host: String, mode: String, authority: CertificateAuthority
    ) throws -> StoreFailure? {
        try folder.write(Array(authority.certificate.pem.utf8), to: "authority.pem")
        return try PostgreSQL.failure(
            at: url(host: host)
                + "?sslmode=\(mode)&sslrootcert=\(folder.file("authority.pem"))")
    }
}

/// Accepts connections and never answers.
private final class SilentServer {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [descriptor] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(isListening)
    }

    deinit { close(descriptor) }
}
