import BaseTestSupport
import Foundation

/// Start errors of `emulator serve`: one line, and exit status 1, or 2 for an invalid command line.
@Suite("An emulator that cannot start", .hangLimit)
struct StartFailureTests {
    private static func project(_ arguments: [String] = []) throws -> EmulatorProject {
        try EmulatorProject(["Table": JSONObject.table("items")], arguments)
    }

    private func expectFailure(
        _ command: Command, saying text: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let result = try ChildProcess.run(command)
        #expect(result.end == .exit(1), "\(result.errorText)", sourceLocation: location)
        #expect(result.text == "", sourceLocation: location)
        #expect(result.errorLines.count == 1, "\(result.errorText)", sourceLocation: location)
        #expect(
            result.errorText.hasPrefix("emulator serve: ") && result.errorText.contains(text),
            "\(result.errorText)", sourceLocation: location)
    }

    @Test(arguments: [
        ("--port", "--port, or 0 for a free port here and instead of all other defaults\n"),
        ("--aws-port", "--aws-port, or 0 for a free port; --port 0 takes free ports for all\n"),
        // Even if the default would be replaced.
        ("--smtp-port", "--smtp-port, or 0 for a free port"),
        ("--control-port", "--control-port, or 0 for a free port"),
        ("make --port", #"make run ARGS="--port PORT", or 0 for a free port"#),
        ("make --smtp-port", #"make run ARGS="--smtp-port PORT", or 0 for a free port"#),
    ])
    func `a port in use is reported, with the option for another port`(
        flag: String, advice: String
    ) throws {
        let other = try LoopbackServer { _ in .init(status: 200) }
        defer { other.stop() }
        let words = flag.split(separator: " ").map(String.init)
        var command = try Self.project([words[words.count - 1], "\(other.port)"]).command
        if words.count == 2 { command.environment.append(("LATCHKEY_MAKE_TARGET", "run")) }
        try expectFailure(
            command,
            saying: "port \(other.port) is already in use; choose another with \(advice)")
    }

    @Test func `make run passes its name to the emulator`() throws {
        let makefile = try String(
            contentsOf: RepositoryRoot.url.appending(path: "Makefile"), encoding: .utf8)
        #expect(makefile.contains("env LATCHKEY_MAKE_TARGET=run .build/debug/emulator serve"))
    }

    @Test func `a missing template is reported before a port in use`() throws {
        let other = try LoopbackServer { _ in .init(status: 200) }
        defer { other.stop() }
        try expectFailure(
            EmulatorProcess.command([
                "serve", "--ephemeral", "--template", "/nowhere/no.yaml", "--port", "\(other.port)",
            ]),
            saying: "cannot read the template /nowhere/no.yaml")
    }

    @Test func `a default SMTP or control port that is in use is replaced by a free one`() throws {
        // With `--port N` only, both use the default ports, which only one of them can get.
        let emulators = try (0..<2).map { _ in
            let server = try LoopbackServer { _ in .init(status: 200) }
            server.stop()
            return try Self.project(["--port", "\(server.port)"]).start()
        }
        let ports = emulators.map { emulator in
            emulator.log.split(separator: "SMTP on port ").last.map { $0.prefix { $0.isNumber } }
        }
        #expect(ports[0] != nil && ports[1] != nil && ports[0] != ports[1])
        #expect(emulators[1].log.contains(" (8025 is in use)"))
        #expect(emulators[0].controlPort != emulators[1].controlPort)
        #expect(emulators[1].log.contains(" (8002 is in use)"))
        for emulator in emulators {
            let health = try EmulatorClient(emulator).controls(.get, "/_emulator/health")
            expectEqual(health.json?["controlUrl"]?.stringValue, emulator.controlURL)
        }
    }

    @Test func `a data directory used by another emulator is reported`() throws {
        let project = try Self.project()
        let emulator = try project.start()
        try expectFailure(
            project.command, saying: "\(project.statePath) is in use by another emulator")
        try expectEqual(EmulatorClient(emulator).app(.get, "/_emulator/health").status, 200)
        #expect(emulator.process.end().waitUntilGone())
        _ = try project.start()
    }

    @Test func `a store of the functions that cannot be reached is reported`() throws {
        let url = "postgres://latchkey:s3cr3t@/none?host=/nonexistent"
        let project = try Self.project(["--store", url])
        try expectFailure(
            project.command, saying: "--store: postgres:/nonexistent/none: no server listens there")
        for store in ["dynamodb:latchkey", "sqlite:", "postgres://latchkey@localhost"] {
            let result = try ChildProcess.run(try Self.project(["--store", store]).command)
            expectEqual(result.end, .exit(2))
            #expect(result.errorText.contains("--store "), "\(result.errorText)")
        }
    }

    static let templates = [
        ("", ":1:1: not valid YAML: the document is empty"),
        ("{", ":1:2: not valid JSON: a comma, a bracket"), ("[]", "should be an object"),
        ("{}", "Resources"), (#"{"Resources":{}}"#, "Resources"),
        (#"{"Resources":[]}"#, "Resources"),
        (#"{"Resources":{"F":{}}}"#, "Type"),
        (#"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":[]}}}"#, "F"),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Timeout":"x"}}}}"#,
            "F"
        ),
        (
            #"{"Resources":{"F":{"Type":"AWS::Serverless::Function","Properties":{"Timeout":{"Ref":"No"}}}}}"#,
            "No"
        ),
        (#"{"Metadata":{"Emulator":[]},"Resources":{"F":{"Type":"x"}}}"#, "Metadata.Emulator"),
        (
            #"{"Metadata":{"Emulator":{"Parameters":{"A":1}}},"Resources":{"F":{"Type":"x"}}}"#,
            "Parameters.A should be a string. Is this emulator older than the template? "
        ),
        (
            "Resources:\n  F:\n    Type: AWS::Serverless::Function\n    Properties: {Timeout: x}\n",
            ":4:18: Resources.F.Properties.Timeout: should be an integer from 1 to 900"
        ),
        ("Resources:\n  F: {\n", ":3:1: not valid YAML: expected a value or a closing bracket"),
    ]

    @Test(arguments: templates)
    func `an invalid template is reported with its path and position`(
        template: String, place: String
    ) throws {
        let project = try Self.project()
        try project.folder.write(Array(template.utf8), to: "template.json")
        try expectFailure(project.command, saying: project.templatePath)
        try expectFailure(project.command, saying: place)
    }

    @Test func `unreadable files are reported`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("A=1\nnonsense\n".utf8), to: "env")
        try expectFailure(
            EmulatorProcess.serving(["--ephemeral", "--template", folder.file("none.json")]),
            saying: "cannot read the template \(folder.file("none.json")): No such file")
        try expectFailure(
            EmulatorProcess.serving(["--ephemeral", "--template", folder.path]),
            saying: "cannot read the template \(folder.path): Is a directory")
        try expectFailure(
            try Self.project(["--env-file", folder.file("none")]).command, saying: "No such file")
        try expectFailure(
            try Self.project(["--env-file", folder.file("env")]).command,
            saying: "\(folder.file("env")):2: expected NAME=VALUE")
    }

    @Test func `a data directory that cannot be created is reported`() throws {
        for path in ["/proc/latchkey", "/dev/null", "/dev/null/state"] {
            try expectFailure(try Self.project(["--data", path]).command, saying: path)
        }
    }

    @Test(.enabled(if: Unprivileged.isPossible))
    func `a data directory without write permission is reported`() throws {
        let project = try Self.project()
        try project.folder.makeFolder("state")
        chmod(project.statePath, 0o555)
        try expectFailure(
            Unprivileged.command(project.command),
            saying: "\(project.statePath)/lock: Permission denied")
        chmod(project.statePath, 0o755)
    }

    @Test(arguments: [
        ("dynamodb.sqlite", "notes"), ("s3.sqlite", "notes"), ("mail.sqlite", "notes"),
        ("identity.sqlite", "notes"), ("credentials.key", "short"),
        ("secrets.json", "{"), ("revocations.json", "{"),
    ])
    func `damaged state is reported and left unchanged`(name: String, content: String) throws {
        let project = try Self.project()
        try project.folder.makeFolder("state")
        let damaged = Array(String(repeating: content, count: 4000).utf8)
        try project.folder.write(damaged, to: "state/\(name)")
        try expectFailure(project.command, saying: "\(project.statePath)/\(name)")
        try expectEqual(project.folder.read("state/\(name)"), damaged)
    }

    /// A file size limit in kilobytes, which simulates a full disk.
    @Test(arguments: [0, 1, 5, 20, 30])
    func `a full disk is reported`(kilobytes: Int) throws {
        let project = try Self.project()
        try expectFailure(
            project.command.onFullDisk(kilobytes: kilobytes), saying: project.statePath)
        // The next start, with enough space, succeeds.
        let emulator = try project.start()
        try expectEqual(EmulatorClient(emulator).app(.get, "/_emulator/health").status, 200)
    }

    @Test(arguments: [
        ["serve", "--nonsense"], ["serve", "--port"], ["serve", "--port", "65536"],
        ["serve", "--port", "x"], ["serve", "--mode", "hot"], ["serve", "word"],
        ["serve", "--ephemeral", "--data", "/tmp/x"], ["serve", "--watch", "--no-watch"],
        ["serve", "--parameter", "X"], ["serve", "--gateway", "no-such-rule=1"],
        ["serve", "--playground-port", "0"], ["serve", "--playground", "/nonexistent"],
        ["serve", "--quiet=yes"], ["serve", "--host", "example.com"], ["nonsense"],
        ["tick"], ["clock", "soon"], ["clock", "+99999999999999999999h"], ["logs", "--url", "x"],
    ])
    func `an invalid command line is a usage error`(words: [String]) throws {
        let result = try ChildProcess.run(EmulatorProcess.command(words))
        expectEqual(result.end, .exit(2), "\(result.errorText)")
        expectEqual(result.text, "")
        #expect(result.errorText.hasPrefix("emulator"))
        #expect(result.errorLines.count <= 2)
    }
}
