import Foundation
import TestSupport

@Suite("Page of the command line") struct CommandLinePageTests {
    @Test func `the page matches the --help of the programs`() throws {
        let emulator = URL(filePath: BuiltExecutables.path(of: "emulator"))
        let directory = emulator.deletingLastPathComponent().path(percentEncoded: false)
        let run = try Run.of(Repository.root.appending(path: "scripts/command-line"), [directory])
        expectEqual(run.status, 0, "\(run.output)")
        expectEqual(
            run.output, try Repository.text("docs/command-line.md"),
            "scripts/command-line > docs/command-line.md")
    }
}
