import Foundation
import TestSupport

/// What `emulator serve` prints at the start, and the ports that it opens.
@Suite("Start", .serialized, .hangLimit)
struct StartTests {
    private static let latchkey = RepositoryRoot.url.appending(
        path: "Functions/Templates/latchkey.json"
    ).path

    private func start(_ arguments: [String]) throws -> EmulatorProcess {
        try EmulatorProcess(
            EmulatorProcess.serving(["--template", Self.latchkey, "--ephemeral"] + arguments))
    }

    @Test func `a start has at most 45 lines, with addresses and counts`() throws {
        let log = try start([]).process.textSoFar.output
        let lines = log.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 46, "\(log)")
        #expect(log.contains(#/ [0-9]{3} routes, [0-9]{2} functions/#), "\(log)")
        #expect(!log.contains("POST /auth/signin"), "\(log)")
        #expect(log.contains("\n  app       http://127.0.0.1:"), "\(log)")
    }

    @Test func `with --verbose the start lists everything`() throws {
        let log = try start(["--verbose"]).process.textSoFar.output
        for text in [
            "POST /auth/signin", "\n  RefreshFunction\n", "HousekeepingFunctionEveryMinute",
            "ask for credentials of your own storage", "export AWS_ENDPOINT_URL=",
        ] { #expect(log.contains(text), "\(text)") }
        #expect(!log.contains("more: --verbose"), "\(log)")
    }

    @Test func `port 0 also moves the AWS port and the TLS ports`() throws {
        var command = EmulatorProcess.command([
            "serve", "--template", Self.latchkey, "--ephemeral", "--port", "0", "--tls",
            "--issuer-keys", RepositoryRoot.issuerKeys,
        ])
        command.folder = try TemporaryFolder()
        let (one, other) = (try EmulatorProcess(command), try EmulatorProcess(command))
        #expect(one.awsPort != other.awsPort)
        #expect(one.awsPort != 8001 && other.awsPort != 8001)
    }

    @Test func `each command's help has more than its usage`() throws {
        let all = try ChildProcess.run(EmulatorProcess.command(["--help"])).text
        let names = all.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count > 15, "\(all)")
        for name in names {
            let help = try ChildProcess.run(EmulatorProcess.command([name, "--help"])).text
            let parts = help.components(separatedBy: "\n\n")
            // Usage, summary, details, flags.
            #expect(parts.count >= 4, "\(name): \(help)")
            #expect(parts[2].count > 80, "\(name): \(help)")
        }
    }

    @Test func `a misspelt handler is reported at the start`() throws {
        let (python, node) = ("def handler(e, c): pass", "exports.handler = 1")
        for (runtime, file, code, handler, reported) in [
            ("python3.13", "app.py", python, "app.handlr", "no handlr; did you mean handler?"),
            ("python3.13", "app.py", python, "ap.handler", "there is no ap.py in "),
            ("nodejs22.x", "index.mjs", node, "index.hander", "no hander; did you mean handler?"),
            ("python3.13", "app.py", "from other import *", "app.handler", nil),
            ("python3.13", "app.py", python, "app.handler", nil),
            ("nodejs22.x", "index.js", node, "index.handler", nil),
        ] as [(String, String, String, String, String?)] {
            let folder = try TemporaryFolder()
            try folder.makeFolder("src")
            try folder.write(Array(code.utf8), to: "src/\(file)")
            let template = """
                Resources:
                  F:
                    Type: AWS::Serverless::Function
                    Properties: {CodeUri: src, Handler: \(handler), Runtime: \(runtime)}
                """
            try folder.write(Array(template.utf8), to: "template.yaml")
            let emulator = try EmulatorProcess(
                EmulatorProcess.serving(["--ephemeral"]).working(in: folder))
            let log = emulator.process.textSoFar.output
            if let reported {
                #expect(log.contains("\nproblems\n  F: Handler \(handler): "), "\(log)")
                #expect(log.contains(reported), "\(log)")
            } else {
                #expect(!log.contains("Handler"), "\(log)")
            }
        }
    }

    @Test func `a missing executable is reported on one line, with two paths`() throws {
        let folder = try TemporaryFolder()
        let log = try start(["--verbose", "--executables", folder.path]).process.textSoFar.output
        let line = log.split(separator: "\n").first {
            $0.contains("SignInFunction: executable not found: ")
        }
        if let line {
            expectEqual(line.components(separatedBy: " or ").count, 2, "\(line)")
            #expect(!line.contains(".."), "\(line)")
        } else {
            // They are built.
            #expect(!log.contains("executable not found"), "\(log)")
        }
    }
}

/// Other machines, such as a phone on the desk.
@Suite("A phone in the network", .serialized, .hangLimit)
struct PhoneTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let template = "Resources: {Table: {Type: AWS::Serverless::SimpleTable}}"
        try folder.write(Array(template.utf8), to: "template.yaml")
    }

    private func start(_ arguments: [String]) throws -> EmulatorProcess {
        try EmulatorProcess(
            EmulatorProcess.serving(["--data", "state"] + arguments).working(in: folder))
    }

    private func curl(_ arguments: [String]) throws -> ProcessResult {
        try ChildProcess.run(
            Command("/usr/bin/curl", ["--silent", "--show-error", "--noproxy", "*"] + arguments))
    }

    private func mint(_ emulator: EmulatorProcess, as host: String) throws -> String {
        try curl([
            "--output", "/dev/null", "--write-out", "%{http_code}", "--header", "Host: \(host)",
            "--header", "Content-Type: application/json", "--data", "{}",
            "\(emulator.appURL)/_idp/apple/mint",
        ]).text
    }

    @Test func `the certificate has the issuer's name, and another name has the same authority`()
        throws
    {
        var authorities: [[UInt8]] = []
        for (host, target) in [
            ("my-mac.local", "my-mac.local"), ("192.168.7.9", "192.168.7.9"),
        ] {
            let emulator = try start([
                "--tls", "--tls-port", "0", "--aws-tls-port", "0", "--issuer-url",
                "https://\(host):8443",
            ])
            let line = try #require(
                emulator.log.split(separator: "\n").first { $0.contains("  HTTPS  ") })
            let port = try #require(line.firstMatch(of: #/127\.0\.0\.1:([0-9]+) and/#)).1
            let answer = try curl([
                "--cacert", folder.file("state/certificates/ca.pem"), "--connect-to",
                "\(target):443:127.0.0.1:\(port)", "https://\(target)/_emulator/health",
            ])
            expectEqual(answer.errorText, "", "\(emulator.log)")
            #expect(emulator.log.contains("also as \(host)"), "\(emulator.log)")
            authorities.append(try folder.read("state/certificates/ca.pem"))
            #expect(emulator.process.end().waitUntilGone())
        }
        expectEqual(authorities[0], authorities[1])
    }

    @Test func `from other machines the controls accept only listed names`() throws {
        let open = try start([
            "--host", "0.0.0.0", "--issuer-url", "http://my-mac.local:8000",
        ])
        try expectEqual(mint(open, as: "my-mac.local:8000"), "200")
        try expectEqual(mint(open, as: "192.168.7.9:8000"), "200")
        for host in ["evil.example", "my-mac.local.evil.example", "other.local", "my-mac"] {
            try expectEqual(mint(open, as: host), "403", "\(host)")
        }
        #expect(open.process.end().waitUntilGone())
        let closed = try start(["--issuer-url", "http://my-mac.local:8000"])
        try expectEqual(mint(closed, as: "my-mac.local:8000"), "403")
    }
}
