import AuthTestSupport
import Foundation
import TestSupport

/// A disk that is full, read-only or damaged.
@Suite("Disk faults, with real processes", .serialized, .hangLimit)
struct DiskTroubleTests {
    /// Log messages for a file size limit, which simulates a full disk here: they depend on the
    /// file that reaches the limit.
    private static let fullDisk = ["the disk is full (code", "is it full? (code"]

    @Test func `a full disk causes temporary errors and ends no session`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        // A process that opened the database before the disk was full.
        let other = try deployment.store()
        for _ in 0..<3 {
            let command = deployment.command("refresh", Deployment.refreshBody(client.refreshToken))
            let answer = try Answer(ChildProcess.run(command.onFullDisk()))
            expectEqual(answer.status, 503)
            expectEqual(answer.action, "retry")
            #expect(answer.errorText.contains(#""reason":"unavailable.store""#))
            #expect(Self.fullDisk.contains { answer.errorText.contains($0) }, "\(answer.errorText)")
        }
        // Reads still succeed.
        let me = deployment.command("me", bearer: client.accessToken)
        try expectEqual(Answer(ChildProcess.run(me.onFullDisk())).status, 200)

        #expect(try other.get(StoreLayout.profile(client.user)) != nil)
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
        try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound)
    }

    @Test func `a server on a full disk is not ready, and logs the reason`() throws {
        let deployment = try Deployment()
        _ = try deployment.signIn()
        // Keeps the log of the database, so that opening it writes nothing.
        let other = try deployment.store()
        var command = deployment.eventless("me")
        command.arguments = ["--listen", "127.0.0.1:0"]
        let server = try HTTPProcess(command.onFullDisk())
        let client = try server.client()
        client.send("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 503)
        client.send("GET /_/health HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
        let log = server.end().errorText
        #expect(log.contains(#""event":"store_failed""#), "\(log)")
        #expect(Self.fullDisk.contains { log.contains($0) }, "\(log)")
        try expectEqual(other.get(StoreLayout.readinessProbe), nil)
    }

    /// A small file system of its own, which only root can mount.
    @Test(.enabled(if: geteuid() == 0))
    func `a server that could not write is not ready until a write succeeds`() throws {
        let program = """
            import http.client, json, os, re, subprocess, sys, time
            folder, executable = sys.argv[1], sys.argv[2]
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], check=True)
            server = subprocess.Popen(
                [executable, "--listen", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE,
                env={"RATE_LIMITS": "off", "SERVER_HOUSEKEEPING_SECONDS": "0"})
            for line in server.stderr:
                found = re.search(rb'"listening","address":"127.0.0.1:([0-9]+)"', line)
                if found: break
            def ask(method, path, body=None):
                connection = http.client.HTTPConnection("127.0.0.1", int(found[1]))
                connection.request(method, path, body, {"Content-Type": "application/json"})
                return connection.getresponse().status
            def register(number):
                return ask("POST", "/auth/register", json.dumps(
                    {"email": f"a{number}@example.com", "password": "correct horse battery 7"}))
            def ready():
                time.sleep(1.1)
                return ask("GET", "/_/ready")
            print(ready(), register(0))
            with open(folder + "/filler", "wb", buffering=0) as filler:
                try:
                    while True: filler.write(b"x" * 4096)
                except OSError: pass
            statuses = {register(number) for number in range(1, 30)}
            print(503 in statuses, ready(), ready())
            os.remove(folder + "/filler")
            print(ready(), register(100))
            server.terminate(); server.communicate()
            """
        let folder = try TemporaryFolder()
        var command = Command(
            "/usr/bin/env",
            [
                "unshare", "--mount", "python3", "-c", program, folder.path,
                BuiltExecutables.path(of: "latchkey"),
            ])
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        let result = try ChildProcess.run(command)
        expectEqual(result.text, "200 202\nTrue 503 503\n200 202\n", "\(result.errorText)")
    }

    @Test func `a full disk stops the first process after the last connection was closed`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let refresh = deployment.command("refresh", Deployment.refreshBody(client.refreshToken))
        expectStartFailure(try ChildProcess.run(refresh.onFullDisk()), saying: "STORE: sqlite:")
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
    }

    @Test func `a first run on a full disk reports it and does not prevent the next`() throws {
        let deployment = try Deployment()
        let command = deployment.command("challenge").onFullDisk()
        expectStartFailure(try ChildProcess.run(command), saying: "cannot be created")
        expectEqual(deployment.strayNames, [])
        try expectEqual(deployment.run("challenge").status, 200)
    }

    /// There is space for the key only.
    @Test func `the next run creates a database that could not be created`() throws {
        let deployment = try Deployment()
        let command = deployment.command("challenge").onFullDisk(kilobytes: 1)
        expectStartFailure(try ChildProcess.run(command), saying: "STORE: ")
        try expectEqual(deployment.run("challenge").status, 200)
        expectEqual(deployment.strayNames, [])
    }

    @Test(arguments: [
        "/latchkey-no-such-folder/latchkey.db", "/proc/latchkey.db", "/dev/null/latchkey.db",
    ])
    func `a path where no file can be created stops the function`(path: String) throws {
        var command = Command(BuiltExecutables.path(of: "challenge"))
        command.environment = [("STORE", "sqlite:\(path)")]
        command.input = .bytes(Array("{}".utf8))
        expectStartFailure(try ChildProcess.run(command), saying: "MASTER_KEY: ")
        command.environment.append(("MASTER_KEY", String(repeating: "k", count: 40)))
        expectStartFailure(try ChildProcess.run(command), saying: "STORE: ")
    }

    @Test(.enabled(if: Unprivileged.isPossible))
    func `a read-only directory with a database stops the function`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        chmod(deployment.database, 0o444)
        chmod(deployment.folder.path, 0o555)
        let command = deployment.command("refresh", Deployment.refreshBody(client.refreshToken))
        expectStartFailure(try ChildProcess.run(Unprivileged.command(command)), saying: "read-only")
        chmod(deployment.folder.path, 0o755)
        chmod(deployment.database, 0o600)
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
    }

    @Test func `a file that is not a database stops the function and is unchanged`() throws {
        let deployment = try Deployment()
        _ = try deployment.run("challenge")
        let other = [UInt8](repeating: 0x2A, count: 8192)
        expectEqual(
            deployment.folder.names,
            ["jwks.json", "latchkey.db", "latchkey.db-lock", "latchkey.db.key"])
        try deployment.folder.write(other, to: "latchkey.db")
        let result = try ChildProcess.run(deployment.command("challenge"))
        expectStartFailure(result, saying: "not an SQLite database")
        try expectEqual(deployment.folder.read("latchkey.db"), other)
    }

    @Test func `no key is created beside a file that is not a database`() throws {
        let deployment = try Deployment()
        try deployment.folder.write(Array("notes".utf8), to: "latchkey.db")
        let result = try ChildProcess.run(deployment.command("challenge"))
        expectStartFailure(result, saying: "is not an SQLite database that can be opened")
        expectEqual(deployment.folder.names, ["jwks.json", "latchkey.db"])
    }

    @Test func `a database of another application stops the function and is unchanged`() throws {
        let deployment = try Deployment([("MASTER_KEY", String(repeating: "k", count: 40))])
        let program = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute("CREATE TABLE theirs (x)")
            database.commit()
            """
        var python = Command("/usr/bin/env", ["python3", "-c", program, deployment.database])
        python.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        try expectEqual(ChildProcess.run(python).end, .exit(0))
        let theirs = try deployment.folder.read("latchkey.db")
        let result = try ChildProcess.run(deployment.command("challenge"))
        expectStartFailure(result, saying: "not one of Latchkey's")
        try expectEqual(deployment.folder.read("latchkey.db"), theirs)
    }

    @Test(arguments: [Damage.overwritten, .cutShort])
    func `a damaged database is an internal error, logged without its contents`(
        damage: Damage
    ) throws {
        let deployment = try Deployment()
        // Enough rows that they need more than one page.
        let clients = try (0..<6).map { try deployment.signIn("person \($0)") }
        // Closing the last connection checkpoints the log into the file.
        do { _ = try deployment.store().get(StoreLayout.profile(clients[0].user)) }
        try #require(!deployment.folder.exists("latchkey.db-wal"))
        var bytes = try deployment.folder.read("latchkey.db")
        try #require(bytes.count > 3 * 4096)
        switch damage {
        case .overwritten:
            for index in 4096..<bytes.count { bytes[index] = 0xFF }
        case .cutShort:
            bytes.removeLast(bytes.count - 4096)
        }
        try deployment.folder.write(bytes, to: "latchkey.db")

        for client in clients {
            let result = try ChildProcess.run(
                deployment.command("refresh", Deployment.refreshBody(client.refreshToken)))
            let message = result.text + result.errorText
            #expect(!message.contains(client.refreshToken))
            switch result.end {
            case .exit(0):
                let answer = try Answer(result)
                expectEqual(answer.status, 500)
                expectEqual(answer.action, "retry")
                #expect(message.contains(#""reason":"fault.storedDataUnreadable""#), "\(message)")
            default:
                expectStartFailure(result, saying: "damaged")
            }
        }
    }

    enum Damage { case overwritten, cutShort }
}
