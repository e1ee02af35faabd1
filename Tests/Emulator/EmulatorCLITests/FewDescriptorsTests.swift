import BaseTestSupport

/// More concurrent clients than there are file descriptors for processes, which need four each.
/// Requests wait for free descriptors.
@Suite("An emulator with few descriptors", .hangLimit)
struct FewDescriptorsTests {
    private static let descriptorsMax = 140
    private static let callers = 40

    @Test func `all clients are served eventually`() throws {
        let project = try EmulatorProject([:], ["--mode", "cold", "--quiet"])
        // Short, so that a busy machine does not cause timeouts.
        try project.folder.replace("subject", withScript: "sleep 0.2; echo '\"served\"'")
        try project.write([
            "subject": JSONObject.function(project.folder.file("subject"), timeoutSeconds: 60)
        ])
        let emulator = try EmulatorProcess(
            project.command.throughShell("ulimit -n \(Self.descriptorsMax)"))
        let answers = (0..<Self.callers).map { _ in
            PendingAnswer { try EmulatorClient(emulator).invoke("subject", "{}") }
        }
        let texts = answers.map { $0.wait()?.text ?? "no answer" }
        expectEqual(texts.filter { $0 != #""served""# }, [])
        try expectEqual(EmulatorClient(emulator).invoke("subject", "{}").text, #""served""#)
    }
}
