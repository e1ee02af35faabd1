import BaseTestSupport

/// Races and lost responses of a refresh in the real emulator, caused by its faults and gates.
@Suite("Refresh under faults and gates", .serialized, .hangLimit)
struct RefreshFaultFlowTests {
    private static func deployed() throws -> DeployedTemplate {
        try DeployedTemplate("latchkey", on: .dynamoDB)
    }

    private func experiment(_ name: String, in deployed: DeployedTemplate) throws -> ProcessResult {
        try ChildProcess.run(
            EmulatorProcess.command(["gate", "run", name, "--url", deployed.emulator.appURL]))
    }

    @Test(arguments: [
        ("held", "first refresh: 200\n  second refresh: 200", 1, "alive"),
        ("reordered", "first refresh: 200\n  second refresh: 200", 1, "alive"),
        ("doubled", "refresh, delivered as [200, 200]: 200", 1, "alive"),
        ("lost", "refresh: no answer\n  the same again: 200", 1, "alive"),
    ])
    func `one successor is issued, and the session lives`(
        name: String, answers: String, successors: Int, session: String
    ) throws {
        let deployed = try Self.deployed()
        let result = try experiment(name, in: deployed)
        expectEqual(result.end, .exit(0), "\(result.text)\(result.errorText)")
        #expect(result.text.contains("  \(answers)\n"), "\(result.text)")
        #expect(result.text.contains("successors issued: \(successors)\nsession: \(session)\n"))
        expectEqual(deployed.denials, [])
        try expectEqual(deployed.ask(.get, "/_emulator/gates").body["gates"], [])
    }

    @Test func `a sign-out between reading and writing is final`() throws {
        let deployed = try Self.deployed()
        let result = try experiment("sign-out", in: deployed)
        expectEqual(result.end, .exit(0), "\(result.text)\(result.errorText)")
        #expect(result.text.contains("sign-out: 200\n"), "\(result.text)")
        #expect(result.text.contains("session: ended\n"), "\(result.text)")
    }
}
