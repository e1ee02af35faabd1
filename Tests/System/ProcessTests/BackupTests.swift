import AuthTestSupport
import Foundation
import SQLiteStore
import TestSupport

/// `latchkey backup` and `latchkey restore`, as an operator types them.
@Suite("Backup and restore, with real processes", .serialized, .hangLimit)
struct BackupTests {
    private let backups: TemporaryFolder

    init() throws { backups = try TemporaryFolder() }

    private var file: String { backups.file("backup") }

    private func run(
        _ deployment: Deployment, _ arguments: String..., onFullDisk kilobytes: Int? = nil
    ) throws -> ProcessResult {
        try ChildProcess.run(command(deployment, arguments, onFullDisk: kilobytes))
    }

    private func command(
        _ deployment: Deployment, _ arguments: [String], onFullDisk kilobytes: Int? = nil
    ) -> Command {
        var command = deployment.eventless("latchkey")
        command.arguments = arguments
        return kilobytes.map(command.onFullDisk) ?? command
    }

    /// One line that says what is wrong.
    private func expectRefusal(
        _ result: ProcessResult, _ words: String, status: Int32 = 1,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(result.end == .exit(status), "\(result.errorText)", sourceLocation: location)
        #expect(
            result.errorLines.count == 1 && result.errorText.contains(words),
            "\(result.errorText)", sourceLocation: location)
    }

    // MARK: The administrator

    private func startedServer(_ deployment: Deployment) throws -> (HTTPProcess, String) {
        let server = try HTTPProcess("latchkey", in: deployment)
        let text = server.process.textSoFar.error
        let marker = "The password, shown only now, is "
        let start = try #require(text.firstRange(of: marker)?.upperBound, "\(text)")
        return (server, String(text[start...].prefix { $0 != "\n" }))
    }

    private func administratorSignsIn(_ deployment: Deployment, _ password: String) throws {
        let server = try HTTPProcess("latchkey", in: deployment)
        let client = try server.client()
        client.send(HTTPProcess.post("/auth/admin/login", #"{"password":"\#(password)"}"#))
        expectEqual(client.answer()?.status, 303)
        #expect(!server.end().errorText.contains("shown only now"))
    }

    // MARK: Tests

    @Test func `users and administrator sign in after a restore, from a running server's backup`()
        throws
    {
        let source = try Deployment()
        let (server, password) = try startedServer(source)
        let client = try source.signIn()
        let saved = try run(source, "backup", file)
        expectEqual(saved.end, .exit(0), "\(saved.errorText)")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        _ = server.end()

        // An existing file is not overwritten, and nothing is left beside it.
        expectRefusal(try run(source, "backup", file), "exists already")
        expectEqual(backups.names, ["backup"])

        let target = try Deployment()
        let restored = try run(target, "restore", file)
        expectEqual(restored.end, .exit(0), "\(restored.errorText)")
        expectEqual(
            Set(target.folder.names),
            ["jwks.json", "latchkey.db", "latchkey.db.key", "latchkey.db.admin"])
        try expectEqual(target.verdictOfPython(), Deployment.verdictIfSound)
        try expectEqual(target.refresh(client.refreshToken).status, 200)
        try administratorSignsIn(target, password)
    }

    @Test func `a non-empty store is replaced only with --replace, and never while in use`()
        throws
    {
        let source = try Deployment()
        let client = try source.signIn()
        expectEqual(try run(source, "backup", file).end, .exit(0))
        let target = try Deployment()
        let other = try target.signIn("grace")
        expectRefusal(try run(target, "restore", file), "or use --replace")
        let (server, _) = try startedServer(target)
        expectRefusal(try run(target, "restore", file, "--replace"), "stop the server first")
        _ = server.end()
        try expectEqual(target.refresh(other.refreshToken).status, 200)

        expectEqual(try run(target, "restore", file, "--replace").end, .exit(0))
        try expectEqual(target.refresh(client.refreshToken).status, 200)
        try expectEqual(target.refresh(other.refreshToken).status, 401)
        // The former database and its key are kept together.
        let kept = target.folder.names.filter { $0.contains(".before-") }
        #expect(kept.count >= 2 && kept.contains { $0.contains(".db.key.") }, "\(kept)")
    }

    @Test func `a damaged database is replaced`() throws {
        let source = try Deployment()
        let client = try source.signIn()
        expectEqual(try run(source, "backup", file).end, .exit(0))
        for garbage in [[UInt8](repeating: 7, count: 9000), Array("SQLite format 3\0".utf8)] {
            try source.folder.write(garbage, to: "latchkey.db")
            try source.folder.write(garbage, to: "latchkey.db-wal")
            let restored = try run(source, "restore", file, "--replace")
            expectEqual(restored.end, .exit(0), "\(restored.errorText)")
            try expectEqual(source.run("me", bearer: client.accessToken).status, 200)
        }
    }

    @Test func `a damaged, truncated or foreign file changes nothing`() throws {
        let source = try Deployment()
        _ = try source.signIn()
        expectEqual(try run(source, "backup", file).end, .exit(0))
        let lines = try backups.read("backup").split(separator: 0x0A).map(Array.init)
        let target = try Deployment()
        let names = target.folder.names
        func refuses(_ lines: [[UInt8]], _ words: String) throws {
            try backups.write(lines.flatMap { $0 + [0x0A] }, to: "other")
            expectRefusal(try run(target, "restore", backups.file("other")), words)
        }
        try refuses(lines.dropLast(), "incomplete")
        try refuses(Array(lines[..<2] + lines[3...]), "damaged")
        try refuses([Array(#"{"latchkeyStore":9}"#.utf8)] + lines.dropFirst(), "newer version")
        try refuses([], "not a backup")
        expectRefusal(try run(target, "restore", "/nowhere/backup"), "/nowhere/backup")
        expectRefusal(try run(target, "restore"), "FILE is missing", status: 64)
        expectEqual(target.folder.names, names)
    }

    @Test func `without keys a restore needs the same master key`() throws {
        let source = try Deployment()
        _ = try startedServer(source).0.end()
        let client = try source.signIn()
        let saved = try run(source, "backup", file, "--without-keys")
        expectEqual(saved.end, .exit(0))
        #expect(saved.errorText.contains("latchkey.db.key"), "\(saved.errorText)")
        let key = try source.folder.read("latchkey.db.key")
        try source.folder.write([UInt8](repeating: 7, count: 32), to: "latchkey.db.key")
        expectRefusal(
            try run(source, "backup", source.folder.file("other")), "is not the key under which")
        let target = try Deployment()
        expectRefusal(try run(target, "restore", file), "set MASTER_KEY")
        try target.folder.write([UInt8](repeating: 7, count: 32), to: "latchkey.db.key")
        chmod(target.folder.file("latchkey.db.key"), 0o600)
        expectRefusal(try run(target, "restore", file), "set MASTER_KEY")
        try target.folder.write(key, to: "latchkey.db.key")
        expectEqual(try run(target, "restore", file).end, .exit(0))
        try expectEqual(target.refresh(client.refreshToken).status, 200)
        let wrong = try Deployment([("MASTER_KEY", String(repeating: "x", count: 40))])
        expectRefusal(try run(wrong, "restore", file), "MASTER_KEY is not the key")
    }

    @Test(arguments: ["MASTER_KEY", "STORE"])
    func `a backup in the server's folder uses the settings file`(name: String) throws {
        var source = try Deployment()
        source.settings.removeAll { $0.name == "STORE" }
        let value = name == "STORE" ? "sqlite:other.db" : String(repeating: "k", count: 40)
        try source.folder.write(Array("\(name)=\(value)\n".utf8), to: "latchkey.env")
        chmod(source.folder.file("latchkey.env"), 0o600)
        var serve = command(source, ["serve", "127.0.0.1:0"])
        serve.input = .closed
        _ = try HTTPProcess(serve.working(in: source.folder)).end()
        func backup() throws -> ProcessResult {
            try ChildProcess.run(command(source, ["backup", file]).working(in: source.folder))
        }
        let saved = try backup()
        expectEqual(saved.end, .exit(0), "\(saved.errorText)")
        let inSetting = saved.errorText.contains("the master key is in the setting MASTER_KEY")
        expectEqual(inSetting, name == "MASTER_KEY", "\(saved.errorText)")

        unlink(file)
        chmod(source.folder.file("latchkey.env"), 0o622)
        expectRefusal(try backup(), "chmod go-w latchkey.env")
        unlink(source.folder.file("latchkey.env"))
        expectRefusal(try backup(), "--env-file")
        expectEqual(backups.names, [])
    }

    @Test func `a backup moves a deployment from SQLite to PostgreSQL and back`() throws {
        let source = try Deployment()
        let (server, password) = try startedServer(source)
        _ = server.end()
        let client = try source.signIn()
        expectEqual(try run(source, "backup", file).end, .exit(0))
        var target = try Deployment.onPostgreSQL()
        target.settings.removeAll { $0.name == "MASTER_KEY" }
        expectRefusal(try run(target, "restore", file), "--keys-to")
        let keys = backups.file("keys")
        let restored = try run(target, "restore", file, "--keys-to", keys)
        expectEqual(restored.end, .exit(0), "\(restored.errorText)")
        target.settings += [
            ("MASTER_KEY", "file:\(keys)/master-key"),
            ("ADMIN_PASSWORD_HASH", "file:\(keys)/admin-password-hash"),
            ("MAIL_URL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "no-reply@example.com"),
            ("LINK_BASE", "https://app.example.com"),
        ]
        try expectEqual(target.refresh(client.refreshToken).status, 200)
        try administratorSignsIn(target, password)
        expectRefusal(try run(target, "restore", file), "not empty")

        // The master key is a setting now, which the backup names.
        let second = backups.file("second")
        let saved = try run(target, "backup", second)
        #expect(
            saved.errorText.contains("MASTER_KEY=file:\(keys)/master-key"), "\(saved.errorText)")
        expectEqual(try run(target, "restore", second, "--replace").end, .exit(0))
        let back = try Deployment(target.settings.filter { $0.name.hasSuffix("KEY") })
        expectEqual(try run(back, "restore", second).end, .exit(0))
        let me = try back.run("me", bearer: client.accessToken)
        expectEqual(me.status, 200, "\(me.errorText)")
        expectEqual(try back.auditCount(.accountCreated, of: client.user), 1)
    }

    @Test func `an export contains the administrator and the master key`() throws {
        let source = try Deployment()
        let (server, password) = try startedServer(source)
        _ = server.end()
        let client = try source.signIn()
        let exported = try run(source, "export")
        let target = try Deployment()
        var importing = command(target, ["import"])
        importing.input = .bytes(exported.output)
        let imported = try ChildProcess.run(importing)
        expectEqual(imported.end, .exit(0), "\(imported.errorText)")
        try administratorSignsIn(target, password)
        try expectEqual(target.refresh(client.refreshToken).status, 200)
    }

    @Test func `a full disk leaves no file, and is reported in one line`() throws {
        let source = try Deployment()
        try fill(source, count: 2_000)
        expectRefusal(try run(source, "backup", file, onFullDisk: 64), "\(file): ")
        expectEqual(backups.names, [])
        expectEqual(try run(source, "backup", file).end, .exit(0))
        let target = try Deployment()
        let names = target.folder.names
        expectRefusal(try run(target, "restore", file, onFullDisk: 16), "STORE: ")
        expectEqual(target.folder.names, names)
    }

    private func fill(_ deployment: Deployment, count: Int) throws {
        _ = try deployment.signIn()
        let store = try deployment.store()
        for start in stride(from: 0, to: count, by: 50) {
            try store.write(
                (start..<min(start + 50, count)).map { number in
                    .put(
                        Item(
                            ItemKey("USER#\(number)", "PROFILE"),
                            ["text": .text(String(repeating: "t", count: 300))]), when: [])
                })
        }
    }

    @Test func `a kill during a backup leaves no file that looks complete`() throws {
        let source = try Deployment()
        try fill(source, count: 8_000)
        var moments = KillMoments()
        for _ in 0..<8 {
            unlink(file)
            let process = try ChildProcess(command(source, ["backup", file]))
            moments.wait()
            process.kill(SIGKILL)
            let wasLate = process.wait().end != .signal(SIGKILL)
            moments.adapt(wasLate: wasLate)
            #expect(wasLate || access(file, F_OK) != 0 || isWhole(file), "seed \(moments.seed)")
        }
        // With the name of a killed process of a file system that cannot do better.
        unlink(file)
        try backups.write([1], to: "backup.unfinished")
        expectEqual(try run(source, "backup", file).end, .exit(0))
        expectEqual(backups.names, ["backup"])
    }

    /// A database without its key is refused.
    private func starts(_ deployment: Deployment) throws -> Bool {
        var command = deployment.eventless("challenge")
        command.input = .bytes(Array("{}".utf8))
        let result = try ChildProcess.run(command)
        #expect(result.end == .exit(0) || result.errorText.contains("key file"))
        return result.end == .exit(0)
    }

    private func isWhole(_ path: String) -> Bool {
        guard let target = try? Deployment() else { return false }
        return (try? run(target, "restore", path))?.end == .exit(0)
    }

    /// A database without its key does not start, so neither does anything in between.
    @Test func `after a kill during a restore only a complete store can be started`() throws {
        let source = try Deployment()
        let client = try source.signIn()
        try fill(source, count: 3_000)
        expectEqual(try run(source, "backup", file).end, .exit(0))
        var moments = KillMoments()
        for round in 0..<6 {
            let target = try Deployment()
            let replaces = round % 2 == 1
            let other = replaces ? try target.signIn("grace") : nil
            let arguments = ["restore", file] + (replaces ? ["--replace"] : [])
            let process = try ChildProcess(command(target, arguments))
            _ = process.waits { target.folder.names.contains("latchkey.db.restoring") }
            moments.wait()
            process.kill(SIGKILL)
            let wasLate = process.wait().end != .signal(SIGKILL)
            moments.adapt(wasLate: wasLate)
            if access(target.database, F_OK) == 0, try starts(target) {
                let isNew = try target.refresh(client.refreshToken).status == 200
                let isOld = try other.map { try target.refresh($0.refreshToken).status == 200 }
                #expect(isNew || isOld == true, "seed \(moments.seed)")
            }
            // It can be repeated.
            expectEqual(try run(target, "restore", file, "--replace").end, .exit(0))
            try expectEqual(target.refresh(client.refreshToken).status, 200)
        }
    }
}
