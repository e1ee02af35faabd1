import BaseTestSupport
import Foundation
import Glibc

/// `latchkey` as a server, with few settings or none.
@Suite("A server without settings", .serialized, .hangLimit)
struct ServerStartTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ settings: [(name: String, value: String)] = []) throws -> HTTPProcess {
        try HTTPProcess(folder.command(settings))
    }

    private func post(
        _ server: HTTPProcess, _ path: String, _ body: String
    ) throws -> LoopbackClient.Answer {
        let client = try server.client()
        client.send(HTTPProcess.post(path, body))
        return try #require(client.answer())
    }

    /// The newest value of a member in the log lines of an event.
    private func logged(
        _ member: String, of event: String, by server: HTTPProcess
    ) throws -> String {
        var found: String?
        _ = server.process.waits {
            for line in server.process.textSoFar.error.split(separator: "\n") {
                guard let line = try? JSON.parse(Array(line.utf8), limits: .request),
                    line["event"]?.stringValue == event
                else { continue }
                found = line[member]?.stringValue
            }
            return found != nil || !server.process.isRunning
        }
        return try #require(found, "\(server.process.textSoFar.error)")
    }

    private func mode(_ name: String) -> UInt32? {
        var status = stat()
        return stat(folder.file(name), &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private static let password = "correct horse battery staple 7"

    @Test func `in an empty folder a user registers, verifies the address and signs in`() throws {
        let server = try start()
        try expectEqual(post(server, "/auth/register", #"{"email":"ada@example.com"}"#).status, 400)
        let registration = #"{"email":"ada@example.com","password":"\#(Self.password)"}"#
        try expectEqual(post(server, "/auth/register", registration).status, 202)

        let link = try logged("link", of: "mail_written", by: server)
        let token = try #require(link.split(separator: "=").last)
        let verification = #"{"token":"\#(token)","password":"\#(Self.password)"}"#
        try expectEqual(post(server, "/auth/verify-email", verification).status, 201)
        let login = #"{"email":"ada@example.com","password":"\#(Self.password)"}"#
        try expectEqual(post(server, "/auth/login", login).status, 200)

        let file = try logged("file", of: "mail_written", by: server)
        #expect(!server.process.textSoFar.error.contains("mail_sent"))
        expectEqual(mode("mail"), 0o700)
        expectEqual(mode("mail/\(file)"), 0o600)
        expectEqual(server.end().end, .exit(0))
        for name in folder.names where name.hasPrefix("latchkey.db") {
            expectEqual(mode(name), 0o600, "\(name)")
        }
    }

    @Test func `the oldest of a thousand messages is removed for a new one`() throws {
        mkdir(folder.file("mail"), 0o700)
        for number in 1000..<2000 {
            try folder.write([], to: "mail/20260101T00\(number)Z-a.eml")
        }
        try folder.write([], to: "mail/notes.txt")
        let server = try start()
        let body = #"{"email":"ada@example.com","password":"\#(Self.password)"}"#
        try expectEqual(post(server, "/auth/register", body).status, 202)
        let file = try logged("file", of: "mail_written", by: server)
        _ = server.end()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("mail"))
        #expect(names.count == 1001 && names.contains(file) && names.contains("notes.txt"))
        #expect(!names.contains("20260101T001000Z-a.eml"))
    }

    @Test func `the administrator's password is made once, shown once and kept as a hash`() throws {
        let first = try start()
        let text = first.process.textSoFar.error
        let marker = "The password, shown only now, is "
        let start = try #require(text.firstRange(of: marker)?.upperBound)
        let password = String(text[start...].prefix { $0 != "\n" })
        expectEqual(password.count, 23)
        expectEqual(mode("latchkey.db.admin"), 0o600)
        let kept = String(decoding: try folder.read("latchkey.db.admin"), as: UTF8.self)
        #expect(kept.hasPrefix("$argon2id$") && !kept.contains(password))
        let body = #"{"password":"\#(password)"}"#
        try expectEqual(post(first, "/auth/admin/login", body).status, 303)
        let firstLog = first.end().errorLines.filter { $0.hasPrefix("{") }
        #expect(!firstLog.contains { $0.contains(password) })

        let second = try self.start()
        try expectEqual(post(second, "/auth/admin/login", body).status, 303)
        let wrong = #"{"password":"\#(password)x"}"#
        try expectEqual(post(second, "/auth/admin/login", wrong).status, 401)
        let later = second.end().errorText
        #expect(!later.contains(password) && !later.contains(marker))
    }

    @Test func `an administrator's password that others could read is refused`() throws {
        _ = try start().end()
        chmod(folder.file("latchkey.db.admin"), 0o640)
        let result = try ChildProcess.run(folder.command())
        expectEqual(result.end, .exit(1))
        #expect(
            result.errorText.contains("latchkey.db.admin can be read or written by other users"))
    }

    @Test func `a disabled feature answers 503, and the log names the missing setting`() throws {
        let server = try start()
        for (path, setting) in [
            ("/auth/credentials", "STORAGE_BUCKET"),
            ("/auth/signin", "APPLE_CLIENT_IDS, GOOGLE_CLIENT_IDS or OIDC_PROVIDERS"),
        ] {
            let answer = try post(server, path, "{}")
            expectEqual(answer.status, 503)
            #expect(answer.body.contains(#""code":"NOT_CONFIGURED""#), "\(answer.body)")
            expectEqual(answer.header("retry-after"), nil)
            try expectEqual(logged("missing", of: "failed", by: server), setting)
        }
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `passkeys are off if the issuer has no domain`() throws {
        let server = try start([("ISSUER", "https://192.0.2.1")])
        let answer = try post(server, "/auth/passkeys/options", #"{"purpose":"signIn"}"#)
        #expect(answer.status == 503 && answer.body.contains(#""code":"NOT_CONFIGURED""#))
        try expectEqual(logged("missing", of: "failed", by: server), "PASSKEY_RP_ID")
        try expectEqual(logged("passkeys", of: "features", by: server), "off, set PASSKEY_RP_ID")
        // A code is enough.
        let ticket = try post(server, "/auth/second-factor", #"{"ticket":"x","code":"000000"}"#)
        expectEqual(ticket.status, 401)
        _ = server.end()
    }

    @Test func `with a store for several machines, no administrator's password is made`() throws {
        let settings = [
            ("STORE", "memory:"), ("MAIL_URL", "folder:mail"), ("LINK_BASE", "app://x"),
        ]
        let server = try start(settings)
        let answer = try post(server, "/auth/admin/login", #"{"password":"x"}"#)
        expectEqual(answer.status, 503)
        try expectEqual(logged("missing", of: "failed", by: server), "ADMIN_PASSWORD_HASH")
        _ = server.end()
        #expect(folder.names.isEmpty)
    }

    @Test func `the log has one line with the enabled and the disabled features`() throws {
        let server = try start([
            ("GOOGLE_CLIENT_IDS", "web.apps.example.com"),
            ("PASSKEY_ORIGINS", "http://localhost:5173"),
        ])
        let member = { name in try logged(name, of: "features", by: server) }
        try expectEqual(member("store"), "on: sqlite:latchkey.db")
        try expectEqual(member("google"), "on: web.apps.example.com")
        try expectEqual(member("apple"), "off, set APPLE_CLIENT_IDS")
        try expectEqual(member("mail"), "on: folder:mail")
        try expectEqual(member("storage"), "off, set STORAGE_BUCKET")
        let passkeys = try member("passkeys")
        #expect(passkeys.contains("on: localhost, not on these pages: http://localhost:"))
        try expectEqual(member("administration"), "on: /auth/admin/login")
        _ = server.end()
    }

    @Test func `all invalid settings are reported at once, and nothing is created`() throws {
        let settings: [(name: String, value: String)] = [
            ("TRUSTED_HOPS", "many"), ("MAIL_URL", "sendmail"), ("STORAGE_BUCKET", "A B"),
        ]
        let result = try ChildProcess.run(folder.command(settings))
        expectEqual(result.end, .exit(1))
        for name in ["TRUSTED_HOPS", "MAIL_URL must be", "STORAGE_BUCKET is not"] {
            #expect(result.errorText.contains(name), "\(result.errorText)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test func `one event creates no files, and features without settings are refused`() throws {
        func answer(_ event: String, _ settings: [(String, String)] = []) throws -> ProcessResult {
            var command = folder.command(settings, [])
            command.input = .bytes(Array(event.utf8))
            return try ChildProcess.run(command)
        }
        let refused = try answer("{}")
        expectEqual(refused.end, .exit(1))
        for name in ["MAIL_URL", "LINK_BASE"] {
            #expect(refused.text.contains("\(name) is required"), "\(refused.text)")
        }
        for name in ["STORAGE_BUCKET", "ADMIN_PASSWORD_HASH"] {
            #expect(!refused.text.contains(name), "\(refused.text)")
        }
        #expect(folder.names.isEmpty)
        let without = try answer(
            #"{"function":"admin-login","password":"secret"}"#,
            [
                ("MAIL_URL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "a@example.com"),
                ("LINK_BASE", "https://app.example.com"),
            ])
        expectEqual(without.end, .exit(0), "\(without.errorText)")
        #expect(without.text.contains("NOT_CONFIGURED"), "\(without.text)")
    }

    @Test func `housekeeping beside a server without settings needs no settings`() throws {
        _ = try start().end()
        let result = try ChildProcess.run(
            folder.command([], ["--event", #"{"function":"housekeeping"}"#]))
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(result.text.contains(#""jobs""#))
    }

    @Test func `a server runs its own housekeeping`() throws {
        let server = try start([
            ("MAIL_DELIVERY", "outbox"), ("SERVER_HOUSEKEEPING_SECONDS", "1"),
        ])
        let registration = #"{"email":"ada@example.com","password":"\#(Self.password)"}"#
        try expectEqual(post(server, "/auth/register", registration).status, 202)
        #expect(try logged("link", of: "mail_written", by: server).contains("token="))
        expectEqual(server.end().end, .exit(0))
    }

    // MARK: Where settings come from

    @Test func `the environment takes precedence over a file of settings`() throws {
        let file =
            "\u{FEFF}STORE=sqlite:other.db\n# Google\nGOOGLE_CLIENT_IDS=from-file\n"
            + "export APP_NAME='An App'\nTRUSTED_PROXIES=1\nhttps_proxy=\nHOOK_REGION=eu\n"
        try folder.write(Array(file.utf8), to: "latchkey.env")
        let server = try HTTPProcess(
            folder.command(
                [("GOOGLE_CLIENT_IDS", "from-environment"), ("STORE", "")],
                ["--env-file", "latchkey.env", "--listen", "127.0.0.1:0"]))
        try expectEqual(logged("google", of: "features", by: server), "on: from-environment")
        try expectEqual(logged("store", of: "features", by: server), "on: sqlite:other.db")
        let unknown = try logged("problem", of: "settings_unknown", by: server)
        expectEqual(unknown, "Not settings, although in a file of settings: TRUSTED_PROXIES")
        _ = server.end()
    }

    @Test(arguments: [
        ("GOOGLE_CLIENT_IDS\n", "settings:1: expected NAME=VALUE"),
        ("A=b\n[signin]\n", "settings:2: expected NAME=VALUE"),
        ("A='b'\nB=\"c\n", "settings:2: the value has a quote at one end only"),
        ("trusted_hops=1\n", "trusted_hops is not a setting; did you mean TRUSTED_HOPS?"),
    ])
    func `a file that does not contain settings is refused, without printing its lines`(
        text: String, problem: String
    ) throws {
        try folder.write(Array(text.utf8), to: "settings")
        let result = try ChildProcess.run(
            folder.command([], ["--env-file=settings", "--listen", "127.0.0.1:0"]))
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains(problem) && !result.errorText.contains("GOOGLE"))
        let missing = try ChildProcess.run(folder.command([], ["--env-file", "none", "--version"]))
        expectEqual(missing.errorText, "latchkey: none: No such file or directory\n")
    }

    /// As systemd passes them: `LoadCredential=MASTER_KEY:/etc/latchkey/master-key`.
    @Test func `a credential of systemd with the name of a setting is its value`() throws {
        mkdir(folder.file("credentials"), 0o700)
        let key = String(repeating: "k", count: 40)
        try folder.write(Array(key.utf8), to: "credentials/MASTER_KEY")
        try folder.write(Array("short".utf8), to: "credentials/master-key")
        let directory = ("CREDENTIALS_DIRECTORY", folder.file("credentials"))
        let server = try start([directory])
        try expectEqual(post(server, "/auth/challenge", "{}").status, 200)
        _ = server.end()
        #expect(!folder.names.contains("latchkey.db.key"))

        try folder.write(Array("short".utf8), to: "credentials/MASTER_KEY")
        let result = try ChildProcess.run(folder.command([directory]))
        #expect(result.errorText.contains("MASTER_KEY must hold at least"))
    }
}
