import Foundation
import TestSupport

/// The fixtures against `latchkey` as the one function of a template: each event gets the answer of
/// the function for which its fixture was made.
@Suite("Replay as one function", .hangLimit) struct SingleTemplateReplayTests {
    @Test func `all fixtures pass, except fixtures about a single function`() throws {
        let root = RepositoryRoot.url
        let replayed = try ChildProcess.run(
            EmulatorProcess.command([
                "replay", root.appending(path: "Events").path, "--template",
                root.appending(path: "Functions/Templates/latchkey-single.json").path,
                "--executables",
                URL(filePath: BuiltExecutables.path(of: "latchkey")).deletingLastPathComponent()
                    .path,
            ]))
        expectEqual(replayed.end, .exit(0), "\(replayed.text)")
        let counts = try #require(
            replayed.text.firstMatch(of: #/([0-9]+) passed, 0 failed, ([0-9]+) not of this/#))
        #expect(Int(counts.1) ?? 0 > 1_200)
        #expect(Int(counts.2) ?? .max < 30)
    }
}
