import BaseTestSupport
import Foundation

/// The hooks that docs/hooks.md shows, taken out of the document and called by a server.
@Suite("Hooks of the document", .hangLimit, .blocking)
struct HookDocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.path
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The first block of the document in a language.
    private static func block(_ language: String) throws -> String {
        let text = try String(contentsOfFile: root + "/docs/hooks.md", encoding: .utf8)
        let parts = text.components(separatedBy: "\n```\(language)\n")
        try #require(parts.count == 2, "one block in \(language)")
        return try #require(parts[1].components(separatedBy: "```\n").first)
    }

    private func write(_ name: String, _ text: String) throws -> String {
        try folder.write(Array(text.utf8), to: name)
        chmod(folder.file(name), 0o700)
        return folder.file(name)
    }

    private func ask(
        _ server: HTTPProcess, _ path: String, _ body: JSON
    ) throws -> (status: Int, body: JSON) {
        let client = try server.client()
        client.send(HTTPProcess.post(path, body.text))
        let answer = try #require(client.answer())
        return (answer.status, (try? JSON.parse(answer.body, limits: .event)) ?? .null)
    }

    private func server(_ settings: (String, String)...) throws -> HTTPProcess {
        let more =
            [("MAIL_URL", "folder:" + folder.file("mail")), ("MAIL_FROM", "a@example.com")]
            + [("LINK_BASE", "https://app.example.com")]
        mkdir(folder.file("mail"), 0o700)
        let all = (settings + more).map { (name: $0.0, value: $0.1) }
        return try HTTPProcess("latchkey", in: Deployment(all))
    }

    @Test func `the hook in Python lets only one company register`() throws {
        let hook = try write("company.py", Self.block("python"))
        let server = try server(("HOOKS", "beforeSignUp=process:\(hook)"))
        func register(_ address: String) throws -> (status: Int, body: JSON) {
            try ask(
                server, "/auth/register",
                ["email": .string(address), "password": "correct horse battery"])
        }
        try expectEqual(register("ada@example.com").status, 202)
        let refused = try register("ada@example.org")
        expectEqual(refused.status, 403)
        expectEqual(refused.body["error"]?["code"], "SIGN_UP_REFUSED", "\(refused.body.text)")
        expectEqual(refused.body["error"]?["reason"], "companyOnly", "\(refused.body.text)")
        _ = server.end()
    }

    @Test func `the hook in JavaScript adds a plan to access tokens, and checks signatures`() throws
    {
        let path = try write("plan.mjs", Self.block("js"))
        let secret = "whsec_" + Base64.encode([UInt8](repeating: 7, count: 32))
        let port = try FreePort.find()
        var command = Command("/usr/bin/env", ["node", path])
        command.environment = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOOK_SECRET", secret), ("PORT", "\(port)"),
        ]
        let node = try ChildProcess(command)
        defer { node.kill(SIGKILL) }
        let unsigned = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        var status: Int?
        _ = node.waits {
            guard let client = try? LoopbackClient(port: port) else { return !node.isRunning }
            client.send(unsigned)
            status = client.answer()?.status
            return true
        }
        expectEqual(status, 401)
        let server = try server(
            ("HOOKS", "token=http://127.0.0.1:\(port)/plan"), ("HOOK_SECRET", secret))
        let guest = try ask(server, "/auth/guest", [:])
        expectEqual(guest.status, 201, "\(guest.body.text)")
        let token = try #require(guest.body["accessToken"]?.stringValue)
        let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        expectEqual(try JSON.parse(payload, limits: .event)["plan"], "free")
        _ = server.end()
    }

    @Test func `the hook in Swift lets users of another system log in`() throws {
        let source = try write("former.swift", Self.block("swift"))
        let hook = folder.file("former")
        let compile = """
            resources=$(scripts/swift -print-target-info |
                sed -n 's/.*"runtimeResourcePath": "\\(.*\\)".*/\\1/p')
            exec "$(dirname "$(dirname "$resources")")/bin/swiftc" -O '\(source)' -o '\(hook)'
            """
        var command = Command("/bin/bash", ["-c", "cd '\(Self.root)' && \(compile)"])
        command.environment = ["PATH", "HOME"].compactMap { name in
            getenv(name).map { (name: name, value: String(cString: $0)) }
        }
        let compiled = try ChildProcess.run(command)
        try #require(compiled.end == .exit(0), "\(compiled.errorText)")
        let server = try server(("HOOKS", "migrate=process:\(hook)"))
        func logIn(_ password: String) throws -> (status: Int, body: JSON) {
            try ask(
                server, "/auth/login",
                ["email": "grace@example.com", "password": .string(password)])
        }
        try expectEqual(logIn("another horse battery").status, 401)
        let right = try logIn("former horse battery")
        expectEqual(right.status, 200, "\(right.body.text)")
        expectEqual(right.body["user"]?["emailVerified"], true)
        _ = server.end()
    }
}
