import BaseTestSupport
import Foundation

/// The walk-through of docs/emulator.md: a YAML template with a Python function, a table and a
/// bucket.
@Suite("The Python example", .serialized, .hangLimit)
struct WalkthroughTests {
    private static let folder = RepositoryRoot.url.appending(path: "docs/python-example")
        .path(percentEncoded: false)

    /// The emulator in that folder, with a Python that has boto3.
    private static func start() throws -> EmulatorProcess {
        var command = EmulatorProcess.serving(["--ephemeral", "--strict"])
        let python = URL(filePath: try VirtualEnvironment.program("python"))
        let programs = python.deletingLastPathComponent()
        command.environment = [
            ("PATH", "\(programs.path(percentEncoded: false)):/usr/bin:/bin"), ("TZ", "UTC"),
        ]
        return try EmulatorProcess(command.throughShell("cd '\(folder)'"))
    }

    /// Each command and its response occur in the text.
    @Test func `the document has the actual responses`() throws {
        let emulator = try Self.start()
        let text = try String(
            contentsOf: RepositoryRoot.url.appending(path: "docs/emulator.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## Your own template").last)
        let lines = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
        let commands = lines.filter { $0.hasPrefix("curl ") }
        #expect(commands.count >= 2)
        for command in commands {
            let parts = command.components(separatedBy: "   # ")
            let shell = parts[0].replacing("http://127.0.0.1:8000", with: emulator.appURL)
            let result = try ChildProcess.run(
                Command("/bin/sh", ["-c", "PATH=/usr/bin:/bin; \(shell)"]))
            expectEqual(result.text, parts.last, "\(command)")
        }
    }
}
