import BaseTestSupport
import Foundation

/// Side effects of processes: threads, libraries, sockets, log lines.
@Suite("Hygiene of processes", .serialized, .hangLimit)
struct HygieneTests {
    static let functions = [
        "challenge", "signin", "refresh", "signout", "me", "sessions", "credentials", "keys",
        "authorizer", "housekeeping",
    ]

    private static func deployment() throws -> Deployment {
        try Deployment([
            ("STORAGE_BUCKET", "bucket"), ("AWS_REGION", "eu-central-1"),
            ("STORAGE_ROLE_ARN", "arn:aws:iam::123456789012:role/users"),
            ("MAIL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "no-reply@example.com"),
        ])
    }

    @Test(arguments: functions)
    func `a function that waits for its event has one thread`(function: String) throws {
        var command = try Self.deployment().eventless(function)
        command.input = .stream
        let process = try ChildProcess(command)
        // A process that has read the first byte has started, and waits for more.
        #expect(process.send("{"))
        #expect(process.waitUntilInputIsRead())
        expectEqual(process.threadCount, 1)
        process.endInput()
        expectEqual(process.wait().end, .exit(1))
    }

    @Test(arguments: ["challenge", "signin", "authorizer"])
    func `a function that waits for an invocation has one thread`(function: String) throws {
        let lambda = try Lambda(function, in: try Self.deployment(), events: [])
        defer { lambda.end() }
        #expect(lambda.process.waits { lambda.server.requestsSeen > 0 })
        expectEqual(lambda.process.threadCount, 1)
        // Also after an invocation.
        lambda.server.enqueue(RuntimeAPIEvent(requestID: "one", body: Array("{}".utf8)))
        _ = try lambda.posts(1)
        #expect(lambda.process.waits { lambda.server.requestsSeen > 2 })
        expectEqual(lambda.process.threadCount, 1)
    }

    @Test(arguments: functions)
    func `--help works without any configuration`(function: String) throws {
        let result = try ChildProcess.run(Command(BuiltExecutables.path(of: function), ["--help"]))
        expectEqual(result.end, .exit(0))
        #expect(result.text.contains("Usage: \(function)"))
        #expect(result.errorOutput.isEmpty)
    }

    @Test(.enabled(if: BuiltExecutables.areShipped || BuiltExecutables.directory == nil))
    func `only the functions that show pages contain them`() throws {
        func contains(_ function: String) throws -> Bool {
            let path = BuiltExecutables.path(of: function)
            let bytes = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
            // A line of `Sources/Auth/Pages/Files/en.txt`.
            return bytes.range(of: Data("signIn.withPasskey = Sign in with a passkey".utf8)) != nil
        }
        for function in Self.functions { #expect(try !contains(function), "\(function)") }
        for function in ["ui", "admin", "latchkey"] {
            #expect(try contains(function), "\(function)")
        }
    }

    /// The settings of a deployment are the same for all functions.
    @Test func `a function without pages accepts a rate limit for pages`() throws {
        let deployment = try Deployment([("RATE_LIMITS", "redeemProviderCode.address=9/60")])
        let answer = try Answer(ChildProcess.run(deployment.command("challenge")))
        expectEqual(answer.status, 200, "\(answer.errorText)")
    }

    /// `make run` has one executable under the names of all functions.
    @Test(arguments: [
        ("keys", #"{\"keys\":["#, 0), ("authorizer", #"{"isAuthorized":false}"#, 0),
        ("nothing", "CONTRACT: latchkey has no function nothing", 1),
    ])
    func `the executable of debug builds acts as the function whose name it has`(
        name: String, said: String, status: Int32
    ) throws {
        let deployment = try Deployment()
        var command = deployment.command(name)
        command.path = deployment.folder.file(name)
        try FileManager.default.createSymbolicLink(
            atPath: command.path, withDestinationPath: BuiltExecutables.path(of: "all-functions"))
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(status))
        #expect((result.text + result.errorText).contains(said), "\(result)")
    }

    /// The dynamic linker reports each libcurl function at its first call. A static executable has
    /// no dynamic linker, but runs the same code.
    @Test(.enabled(if: Linker.tells))
    func `no function of libcurl is called before the network is needed`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        let offline = [
            deployment.command("challenge"), deployment.command("keys"),
            deployment.command("signin", try deployment.signInBody(of: "grace")),
            deployment.command("refresh", Deployment.refreshBody(client.refreshToken)),
            deployment.command("me", bearer: client.accessToken),
            deployment.command("signout", bearer: client.accessToken),
        ]
        for command in offline {
            let (result, calls) = try Linker.run(command)
            expectEqual(result.end, .exit(0))
            #expect(calls.contains { $0.hasPrefix("sqlite3_") }, "the linker said nothing")
            #expect(!calls.contains { $0.hasPrefix("curl_") })
        }

        // A counter-check with a request that needs TLS: plain HTTP to this machine does not use
        // libcurl. The request fails, because the server does not support TLS, but only after
        // libcurl was called.
        let server = try LoopbackServer { _ in HTTPResponse(status: 500) }
        defer { server.stop() }
        var online = deployment
        online.settings.removeAll { $0.name.hasPrefix("OIDC_ACME_") }
        online.settings += [
            ("OIDC_ACME_ISSUER", server.url.replacing("http://", with: "https://")),
            ("OIDC_ACME_CLIENT_IDS", "acme-app"),
        ]
        let (_, calls) = try Linker.run(
            online.command("signin", try deployment.signInBody(of: "grace")))
        #expect(calls.contains { $0.hasPrefix("curl_multi_perform") })
    }

    /// The same for any executable, if strace is available and allowed.
    @Test(.enabled(if: Tracer.works))
    func `no socket, no thread and no certificate is opened before the network is needed`() throws {
        let deployment = try Deployment()
        let client = try deployment.signIn()
        for command in [
            deployment.command("challenge"), deployment.command("keys"),
            deployment.command("refresh", Deployment.refreshBody(client.refreshToken)),
        ] {
            let (result, calls) = try Tracer.run(command)
            expectEqual(result.end, .exit(0))
            #expect(calls.contains { $0.contains("latchkey.db") })
            // PROCESS NAME("FIRST ARGUMENT", …: the folder of this checkout may have any name.
            for call in calls {
                let name = call.drop { $0.isNumber || $0 == " " }.prefix { $0 != "(" }
                #expect(["execve", "open", "openat"].contains(name), "\(call)")
                for file in ["/etc/ssl", "/etc/resolv.conf"] {
                    #expect(!call.contains("\"\(file)"), "\(call)")
                }
            }
        }
    }

    @Test func `20 processes write whole lines into one pipe`() throws {
        let deployment = try Deployment()
        let pipe = deployment.folder.file("stderr")
        expectEqual(mkfifo(pipe, 0o600), 0)
        // Both ends are open here, so that no process waits for a reader or gets SIGPIPE.
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }

        // Each writes two lines of a distinct length, all at the same time.
        let racers = try (0..<20).map { index in
            var command = deployment.eventless("challenge").gated
            let path = String(repeating: "x", count: index * 10)
            command.environment += [("BASE_PATH", "/\(path)/"), ("CONTRACT", path)]
            command.errorOutput = .path(pipe)
            return try ChildProcess(command)
        }
        for racer in racers { #expect(racer.send("go\n")) }
        for racer in racers {
            racer.endInput()
            expectEqual(racer.wait().end, .exit(1))
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(reader, &bytes, bytes.count)
        try #require(count > 0)
        let lines = bytes[..<count].split(separator: 0x0A)
        let records = lines.compactMap { try? JSON.parse(Array($0), limits: .request) }
        expectEqual(records.count, lines.count)
        expectEqual(records.filter { $0["event"] == "start_failed" }.count, 39)
        expectEqual(records.filter { $0["event"] == "invocation_failed" }.count, 20)
        expectEqual(bytes[count - 1], 0x0A)
    }
}

/// `LD_DEBUG=bindings` (ld.so(8)).
private enum Linker {
    /// Whether the executable is dynamic and binds functions lazily.
    static var tells: Bool {
        let help = Command(BuiltExecutables.path(of: "challenge"), ["--help"])
        guard let (_, calls) = try? run(help) else { return false }
        return calls.contains("write") && !calls.contains { $0.hasPrefix("sqlite3_") }
    }

    /// Runs `command`; also returns the C functions that its own code has called.
    static func run(_ command: Command) throws -> (ProcessResult, calls: Set<String>) {
        let folder = try TemporaryFolder()
        var command = command
        command.environment += [
            ("LD_DEBUG", "bindings"), ("LD_DEBUG_OUTPUT", folder.file("bindings")),
        ]
        let result = try ChildProcess.run(command)
        var calls: Set<String> = []
        for name in folder.names {
            let text = String(decoding: try folder.read(name), as: UTF8.self)
            // binding file PROGRAM [0] to LIBRARY [0]: normal symbol `NAME' [VERSION]
            for line in text.split(separator: "\n")
            where line.contains("binding file \(command.path) [0] to ") {
                let parts = line.split { $0 == "`" || $0 == "'" }
                if parts.count > 1 { calls.insert(String(parts[1])) }
            }
        }
        return (result, calls)
    }
}

/// strace(1): the system calls that start threads or open files and sockets.
private enum Tracer {
    static var works: Bool {
        guard let (result, calls) = try? run(Command("/bin/true")) else { return false }
        return result.end == .exit(0) && !calls.isEmpty
    }

    static func run(_ command: Command) throws -> (ProcessResult, calls: [String]) {
        let folder = try TemporaryFolder()
        var traced = command
        traced.path = "/usr/bin/strace"
        traced.arguments =
            [
                "-f", "-qq", "-e", "trace=execve,open,openat,socket,clone,clone3,fork,vfork",
                "-o", folder.file("calls"), command.path,
            ] + command.arguments
        let result = try ChildProcess.run(traced)
        let text = String(decoding: try folder.read("calls"), as: UTF8.self)
        return (result, text.split(separator: "\n").map(String.init))
    }
}
