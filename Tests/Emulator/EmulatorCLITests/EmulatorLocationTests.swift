import BaseTestSupport
import Foundation

/// How commands and scripts find a running emulator.
@Suite("Finding the emulator", .serialized, .hangLimit)
struct EmulatorLocationTests {
    private static let template = """
        Resources:
          F:
            Type: AWS::Serverless::Function
            Properties:
              Runtime: python3.12
              Handler: index.handler
              InlineCode: "def handler(event, context): return 1"
        """

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(Array(template.utf8), to: "template.yaml")
        try folder.write(Array("{}".utf8), to: "event.json")
        return folder
    }

    private static func start(
        in folder: TemporaryFolder, _ arguments: [String] = []
    ) throws -> EmulatorProcess {
        try EmulatorProcess(EmulatorProcess.serving(arguments).working(in: folder))
    }

    private func run(
        _ words: [String], in folder: TemporaryFolder,
        _ environment: [(String, String)] = []
    ) throws -> ProcessResult {
        var command = EmulatorProcess.command(words)
        command.environment += environment
        return try ChildProcess.run(command.working(in: folder))
    }

    private static let commands = [
        ["clock"], ["logs", "F"], ["trace"], ["invoke", "F", "--event", "event.json"],
    ]

    @Test func `commands find the emulator running in their folder`() throws {
        let folder = try Self.folder()
        let emulator = try Self.start(in: folder)
        for words in Self.commands {
            let result = try run(words, in: folder)
            expectEqual(result.end, .exit(0), "\(words): \(result.errorText)")
        }
        #expect(folder.exists(".emulator/addresses.json"))
        let written = try JSON.parse(folder.read(".emulator/addresses.json"), limits: .event)
        expectEqual(written["url"]?.stringValue, emulator.appURL)
        expectEqual(written["awsUrl"]?.stringValue, emulator.awsURL)
        expectEqual(written["controlUrl"]?.stringValue, emulator.controlURL)
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        #expect(!folder.exists(".emulator/addresses.json"))
    }

    @Test func `a stale address of a killed emulator is reported and not used`() throws {
        let folder = try Self.folder()
        let other = try LoopbackServer { _ in .init(status: 200) }
        defer { other.stop() }
        try folder.makeFolder(".emulator")
        try folder.write([], to: ".emulator/lock")
        let stale = #"{"url":"\#(other.url)","awsUrl":"\#(other.url)"}"#
        try folder.write(Array(stale.utf8), to: ".emulator/addresses.json")
        // Even if another emulator runs at the default port.
        let result = try run(["clock"], in: folder)
        #expect(!result.errorText.contains(other.url))
        if result.end == .exit(1) {
            #expect(
                result.errorText.contains(
                    "; .emulator/addresses.json belongs to an emulator that was killed"),
                "\(result.errorText)")
        }
        let emulator = try Self.start(in: folder)
        let written = try JSON.parse(folder.read(".emulator/addresses.json"), limits: .event)
        expectEqual(written["url"]?.stringValue, emulator.appURL)
    }

    @Test func `every command takes the address of each port`() throws {
        let folder = try Self.folder()
        let emulator = try Self.start(in: folder, ["--ephemeral"])
        for url in [emulator.appURL, emulator.awsURL, emulator.controlURL] {
            for words in Self.commands {
                let result = try run(words + ["--url", url], in: folder)
                expectEqual(result.end, .exit(0), "\(words) \(url): \(result.errorText)")
                let same = try run(words, in: folder, [("LATCHKEY_EMULATOR_URL", url)])
                expectEqual(same.end, .exit(0), "\(words) \(url): \(same.errorText)")
            }
        }
    }

    @Test func `an option overrides the variable, which is validated too`() throws {
        let folder = try Self.folder()
        let emulator = try Self.start(in: folder, ["--ephemeral"])
        let wrong = [("LATCHKEY_EMULATOR_URL", "127.0.0.1:8000")]
        try expectEqual(run(["clock", "--url", emulator.appURL], in: folder, wrong).end, .exit(0))
        let result = try run(["clock"], in: folder, wrong)
        expectEqual(result.end, .exit(2))
        #expect(
            result.errorText.hasPrefix(
                "emulator clock: invalid value '127.0.0.1:8000' for LATCHKEY_EMULATOR_URL: "
                    + "expected an http URL\n"), "\(result.errorText)")
    }

    @Test func `the error for a function of another emulator names that emulator`() throws {
        let folder = try Self.folder()
        let emulator = try Self.start(in: folder)
        let result = try run(["invoke", "PutObject", "--event", "event.json"], in: folder)
        expectEqual(result.end, .exit(2))
        #expect(result.errorText.hasPrefix("invoke: function not found: PutObject. Functions: F"))
        #expect(
            result.errorText.hasSuffix(
                """

                The emulator at \(emulator.appURL) serves template.yaml; give the address of \
                another with --url or LATCHKEY_EMULATOR_URL.

                """), "\(result.errorText)")
    }

    @Test func `the ready file has the addresses while the emulator runs`() throws {
        let folder = try Self.folder()
        try folder.write(Array("old".utf8), to: "ready.json")
        let emulator = try Self.start(in: folder, ["--ephemeral", "--ready-file", "ready.json"])
        #expect(
            eventually {
                (try? folder.read("ready.json")).map { $0 != Array("old".utf8) } ?? false
            })
        let ready = try JSON.parse(folder.read("ready.json"), limits: .event)
        expectEqual(ready["url"]?.stringValue, emulator.appURL)
        expectEqual(ready["awsUrl"]?.stringValue, emulator.awsURL)
        #expect((ready["smtpPort"]?.int64Value ?? 0) > 0)
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        #expect(!folder.exists("ready.json"))
    }

    @Test func `a file that cannot be written is an error`() throws {
        let folder = try Self.folder()
        let result = try ChildProcess.run(
            EmulatorProcess.serving(["--ephemeral", "--ready-file", "none/ready.json"])
                .working(in: folder))
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains("cannot write none/ready.json"), "\(result.errorText)")
    }

    @Test func `standard output is one line of JSON on request`() throws {
        let folder = try Self.folder()
        let process = try ChildProcess(
            EmulatorProcess.serving(["--ephemeral", "--ready-json"]).working(in: folder))
        #expect(process.waits { process.textSoFar.output.hasSuffix("\n") })
        let line = process.textSoFar.output
        let addresses = try JSON.parse(line, limits: .event)
        expectEqual(addresses["url"]?.stringValue?.hasPrefix("http://127.0.0.1:"), true)
        #expect(process.textSoFar.error.contains("  app       http://127.0.0.1:"))
        process.kill(SIGTERM)
        expectEqual(process.wait().end, .exit(0))
        expectEqual(process.textSoFar.output, line)
    }
}
