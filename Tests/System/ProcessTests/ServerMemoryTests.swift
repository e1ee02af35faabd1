import BaseTestSupport
import EmulatorThirdParties
import Foundation

/// Whether the memory of `latchkey --listen` grows with its requests, on every store.
/// `LATCHKEY_PLATEAU=20000 scripts/test ProcessTests --filter ServerMemory` sets the number of
/// users; each of them calls every operation.
@Suite("Memory of a server", .serialized, .hangLimit)
struct ServerMemoryTests {
    enum Store: CaseIterable { case memory, sqlite, postgreSQL, dynamoDB }

    private static let threads = 8

    @Test(arguments: Store.allCases)
    func `the memory of a server reaches a plateau`(store: Store) async throws {
        try await DetachedThread.value { try Self.checkPlateau(store) }
    }

    private static func checkPlateau(_ store: Store) throws {
        let users = plateauUsers ?? 128
        let mailbox = try Mailbox(directory: nil, clock: .system)
        let listener = try SMTPListener(mailbox)
        defer { listener.stop() }
        // Threads share memory blocks, so that the measurement varies less.
        let deployment = try deployment(store, smtpPort: listener.port).with(
            "MALLOC_ARENA_MAX", "1")
        let server = try HTTPProcess("latchkey", in: deployment)
        let load = try ContractLoad(deployment, port: server.port)
        var resident: [Int] = []
        for _ in 1...4 {
            try load.run(users: users / 4, threads: threads)
            resident.append(try residentKiB(server))
        }
        expectEqual(Set(load.answers.keys), Set(load.operations))
        expectEqual(load.answers.filter { $0.value.contains(500) }, [:])
        let growth = resident[3] - resident[1]
        #expect(growth <= allowanceKiB(store, users: users / 2), "KiB by quarters: \(resident)")
    }

    /// The permitted growth in the second half. A write that is never freed takes 2 to 7 KiB, and a
    /// user makes about twenty; the memory store keeps the rows themselves, 48 KiB for each user.
    private static func allowanceKiB(_ store: Store, users: Int) -> Int {
        store == .memory ? users * 64 : 2_048 + users / 8
    }

    private static func deployment(_ store: Store, smtpPort: UInt16) throws -> Deployment {
        let settings = [
            ("RATE_LIMITS", "off"),
            // So that housekeeping runs in every quarter, and not only in the last one.
            ("SERVER_HOUSEKEEPING_SECONDS", "1"),
            ("MAIL", "smtp://app@127.0.0.1:\(smtpPort)"), ("MAIL_PASSWORD", "any"),
            ("MAIL_FROM", "no-reply@example.com"), ("LINK_BASE", "https://app.example.com"),
            (
                "ADMIN_PASSWORD_HASH",
                try PasswordHash.hash(
                    SecretBytes(utf8: "an administrator's password"), cost: .standard,
                    random: .system)
            ),
            ("STORAGE_BUCKET", "objects"),
            ("STORAGE_ROLE_ARN", "arn:aws:iam::000000000000:role/storage"),
            ("AWS_ENDPOINT_URL", try EmulatorProcess.shared().awsURL),
            ("AWS_REGION", "eu-central-1"), ("AWS_ACCESS_KEY_ID", "AKIATEST"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ]
        return switch store {
        case .memory: try Deployment(settings + [("STORE", "memory:")])
        case .sqlite: try Deployment(settings)
        case .postgreSQL: try Deployment.onPostgreSQL(settings)
        case .dynamoDB: try Deployment.on(.emulator, settings)
        }
    }

    private static func residentKiB(_ server: HTTPProcess) throws -> Int {
        let status = try String(
            contentsOfFile: "/proc/\(server.process.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        let words = line.split { $0 == " " || $0 == "\t" }
        return try #require(words.dropFirst().first.flatMap { Int($0) })
    }

    @Test func `hashing passwords does not leak memory`() throws {
        let deployment = try Self.deployment(.sqlite, smtpPort: 9)
        let server = try HTTPProcess("latchkey", in: deployment)
        let clients = try (0..<16).map { _ in try server.client() }
        let before = try Self.residentKiB(server)
        for round in 0..<4 {
            for client in clients {
                client.send(
                    HTTPProcess.post(
                        "/auth/login",
                        #"{"email":"a\#(round)@example.com","password":"wrong password"}"#))
            }
            for client in clients { _ = client.answer() }
        }
        // One hash takes 19 MiB, and eight are computed at a time.
        #expect(try Self.residentKiB(server) - before < 16 << 10)
    }
}

private let plateauUsers = ProcessInfo.processInfo.environment["LATCHKEY_PLATEAU"]
    .flatMap { Int($0) }
