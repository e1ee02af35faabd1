import BaseTestSupport
import Foundation
import Glibc

/// What the operator of a server meets at its start: errors, the log, the first address.
@Suite("Messages at the start of a server", .serialized, .hangLimit)
struct ServerDoorTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a program whose standard error is a terminal, until it has written `end` or ended.
    private func atTerminal(_ command: Command, until end: String) throws -> String {
        let program = """
            import os, pty, signal, subprocess, sys
            ours, theirs = pty.openpty()
            server = subprocess.Popen(sys.argv[2:], stdin=theirs, stderr=theirs)
            os.close(theirs)
            text = b""
            try:
                while sys.argv[1].encode() not in text:
                    text += os.read(ours, 65536)
            except OSError:
                pass
            server.send_signal(signal.SIGTERM)
            print(f"status {server.wait()}", file=sys.stderr)
            sys.stdout.buffer.write(text)
            """
        var terminal = Command(
            "/usr/bin/env", ["python3", "-c", program, end, command.path] + command.arguments)
        terminal.environment = command.environment + [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        let result = try ChildProcess.run(terminal.working(in: folder))
        return (result.text + result.errorText).replacing("\r\n", with: "\n")
    }

    // MARK: Before the start

    @Test func `a mailbox of a login shell does not stop a server`() throws {
        let server = try HTTPProcess(folder.command([("MAIL", "/var/mail/root")]))
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `an address in use is reported, and no file is created`() throws {
        let other = try HTTPProcess(
            folder.command([("STORE", "memory:"), ("MAIL_URL", "folder:mail")]))
        let result = try ChildProcess.run(
            folder.command([], ["--listen", "127.0.0.1:\(other.port)"]))
        expectEqual(result.end, .exit(1))
        #expect(result.text.isEmpty)
        #expect(
            result.errorText.contains(
                "cannot listen at 127.0.0.1:\(other.port): another program uses this address; "
                    + "choose another, such as --listen 127.0.0.1:\(other.port + 1)"),
            "\(result.errorText)")
        expectEqual(result.errorLines.count, 1)
        let command = try ChildProcess.run(folder.command([], ["serve", ":\(other.port)"]))
        #expect(command.errorText.contains("such as serve :\(other.port + 1)"))
        let both = try ChildProcess.run(
            folder.command([("TRUSTED_HOPS", "many")], ["--listen", "127.0.0.1:\(other.port)"]))
        expectEqual(both.errorLines.count, 2, "\(both.errorText)")
        #expect(both.errorText.contains("TRUSTED_HOPS must be"))
        _ = other.end()
        expectEqual(folder.names, [])
    }

    @Test(arguments: ["missing/latchkey.db", "file/latchkey.db"])
    func `a folder that is not writable is reported only once`(path: String) throws {
        try folder.write([], to: "file")
        let result = try ChildProcess.run(folder.command([("STORE", "sqlite:\(path)")]))
        expectEqual(result.end, .exit(1))
        expectEqual(result.errorLines.count, 1, "\(result.errorText)")
        #expect(result.errorText.contains("\(folder.file(path)).key cannot be created ("))
        #expect(result.text.isEmpty)
        expectEqual(folder.names, ["file"])
    }

    @Test(.enabled(if: Unprivileged.isPossible))
    func `an unreadable key is reported`() throws {
        _ = try HTTPProcess(folder.command()).end()
        chmod(folder.file("latchkey.db.key"), 0)
        let result = try ChildProcess.run(Unprivileged.command(folder.command()))
        expectEqual(result.end, .exit(1))
        #expect(
            result.errorText.contains(
                "\(folder.file("latchkey.db.key")) cannot be read (Permission denied)"),
            "\(result.errorText)")
        expectEqual(result.errorLines.count, 1)
    }

    @Test func `a wrong master key is refused, and no password is made`() throws {
        _ = try HTTPProcess(folder.command()).end()
        try folder.remove("latchkey.db.admin")
        let key = try folder.read("latchkey.db.key")
        try folder.replace(
            "latchkey.db.key", with: [UInt8](repeating: 0x5A, count: 32), mode: 0o600)
        let result = try ChildProcess.run(folder.command())
        expectEqual(result.end, .exit(1))
        let problem = "MASTER_KEY (\(folder.file("latchkey.db.key"))) is not the key under which"
        #expect(result.errorText.contains(problem), "\(result.errorText)")
        #expect(!folder.names.contains("latchkey.db.admin"))

        let former = "file:\(folder.file("former.key"))"
        try folder.replace("former.key", with: key, mode: 0o600)
        let server = try HTTPProcess(folder.command([("MASTER_KEY_PREVIOUS", former)]))
        let client = try server.client()
        client.send("GET /_/ready HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `at a terminal without arguments the first steps are shown`() throws {
        let text = try atTerminal(folder.command([("GOOGLE_CLIENT_ID", "x")], []), until: "\u{1}")
        #expect(text.contains("latchkey serve "), "\(text)")
        #expect(text.contains("status 64") && !text.contains("{"), "\(text)")
    }

    @Test func `at a terminal a wrong setting is one line of text`() throws {
        let text = try atTerminal(folder.command([("GOOGLE_CLIENT_ID", "x")]), until: "\u{1}")
        expectEqual(
            text,
            "latchkey: GOOGLE_CLIENT_ID is not a setting; did you mean GOOGLE_CLIENT_IDS? "
                + "If another program needs GOOGLE_CLIENT_ID, also set GOOGLE_CLIENT_IDS; it may "
                + "be empty.\n"
                + "status 1\n")
        expectEqual(folder.names, [])
    }

    @Test(arguments: [
        (
            [("OMITTED_FUNCTIONS", "credential,admin-login")],
            "OMITTED_FUNCTIONS: credential is unknown; did you mean credentials? Choose from "
        ),
        (
            [("HOOKS", "beforeSignin=process:/bin/true")],
            "HOOKS, entry 1: beforeSignin is unknown; did you mean beforeSignIn? Choose from "
        ),
        (
            [("WEBHOOKS", "accountCreate=https://app.example.com")],
            "WEBHOOKS: accountCreate is unknown; did you mean accountCreated? Choose from "
        ),
    ])
    func `a wrong word in a list is reported, with the nearest and all valid ones`(
        settings: [(String, String)], problem: String
    ) throws {
        let result = try ChildProcess.run(
            folder.command(settings.map { (name: $0.0, value: $0.1) }))
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains(problem), "\(result.errorText)")
    }

    // MARK: The report

    @Test(arguments: [["serve"], ["--listen"], ["serve", "127.0.0.1:0"]])
    func `a server starts without an address`(arguments: [String]) throws {
        // A port that is free now, for the two that are told none.
        let other = try HTTPProcess(folder.command())
        let port = other.port
        _ = other.end()
        let server = try HTTPProcess(folder.command([("PORT", "\(port)")], arguments))
        if arguments.count == 1 { expectEqual(server.port, port) }
        expectEqual(server.end().end, .exit(0))
    }

    @Test func `at a terminal the report is for a person, and fits a screen`() throws {
        let text = try atTerminal(folder.command(), until: " listening ")
        let report = text.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { !$0.contains(" listening ") }
        #expect(report.count <= 30, "\(text)")
        // As the document shows it, but for the port, the folder and the password.
        let document = try String(
            contentsOf: RepositoryRoot.url.appending(path: "docs/deploying.md"), encoding: .utf8)
        let start = try #require(document.firstRange(of: "\nLatchkey 0."))
        let shown = document[start.lowerBound...].dropFirst().prefix { $0 != "`" }
        let port = try #require(text.firstMatch(of: /http:\/\/localhost:([0-9]+)/)).1
        let expected = String(shown).replacing("localhost:8080", with: "localhost:\(port)")
            .replacing("/srv/latchkey/", with: folder.path + "/")
        let lines = Self.words(text)
        for line in Self.words(expected) {
            #expect(lines.contains(line), "\(line): \(text)")
        }
        #expect(text.contains("Z info listening address=127.0.0.1:"))
        #expect(!text.contains("{"))
    }

    /// The words of each line: columns may be wider than in the document.
    private static func words(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { line in
            line.split(separator: " ").map { String($0) }
        }.filter { !$0.isEmpty }
    }
}
