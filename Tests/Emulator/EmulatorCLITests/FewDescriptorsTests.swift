import HTTP
import JSON
import TestSupport
import Testing

/// More callers at once than there are descriptors for the processes that they want: each wants
/// four. They wait for each other.
@Suite("An emulator with few descriptors", .timeLimit(.minutes(5)))
struct FewDescriptorsTests {
    private static let descriptorsMax = 140
    private static let callers = 40

    @Test func `serves all clients eventually`() throws {
        let site = try EmulatorProject([:], ["--mode", "cold", "--quiet"])
        // Next to no work, or a busy machine would keep them waiting for other reasons.
        try site.folder.replace("subject", withScript: "sleep 0.2; echo '\"served\"'")
        try site.write([
            "subject": JSONObject.function(site.folder.file("subject"), timeoutSeconds: 60)
        ])
        let emulator = try EmulatorProcess(
            site.command.throughShell("ulimit -n \(Self.descriptorsMax)"))
        let answers = (0..<Self.callers).map { _ in
            PendingAnswer { try EmulatorClient(emulator).invoke("subject", "{}") }
        }
        let texts = answers.map { $0.wait()?.text ?? "no answer" }
        #expect(texts.filter { $0 != #""served""# } == [])
        #expect(try EmulatorClient(emulator).invoke("subject", "{}").text == #""served""#)
    }
}
