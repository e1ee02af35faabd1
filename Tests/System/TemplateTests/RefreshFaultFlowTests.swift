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

    /// The client repeats the write, or the response says that the request may be tried again.
    @Test(arguments: ["reset", "InternalServerError"])
    func `a refresh with a lost write response can be repeated`(
        answer: String
    ) throws {
        let deployed = try Self.deployed()
        let session = try deployed.signIn("google")
        let token: JSON = ["refreshToken": .string(try session.text("refreshToken"))]
        let fault: JSON = [
            "match": ["service": "dynamodb", "operation": "PutItem", "contains": "USER#"],
            "effect": "lose", "answer": .string(answer), "count": 1,
        ]
        try expectEqual(deployed.ask(.post, "/_emulator/faults", fault).status, 201)
        let first = try deployed.ask(.post, "/auth/refresh", token)
        let again = try deployed.ask(.post, "/auth/refresh", token)
        let list = try deployed.ask(.get, "/_emulator/faults").body["faults"]?.arrayValue
        expectEqual(list?.first?["hits"], 1)
        #expect([200, 503].contains(first.status), "\(first.body.text)")
        expectEqual(again.status, 200, "\(again.body.text)")
        if first.status == 200 {
            expectEqual(first.body["refreshToken"], again.body["refreshToken"])
        }
        let successor: JSON = ["refreshToken": .string(try again.text("refreshToken"))]
        try expectEqual(deployed.ask(.post, "/auth/refresh", successor).status, 200)
    }

    /// The app learns that the store does not answer, and the session survives it.
    @Test func `a store that throttles ends no session`() throws {
        let deployed = try Self.deployed()
        let session = try deployed.signIn("google")
        let token: JSON = ["refreshToken": .string(try session.text("refreshToken"))]
        let fault: JSON = ["match": ["service": "dynamodb"], "effect": "throttle"]
        try expectEqual(deployed.ask(.post, "/_emulator/faults", fault).status, 201)
        try expectEqual(deployed.ask(.post, "/auth/refresh", token).status, 503)
        try expectEqual(deployed.ask(.delete, "/_emulator/faults").status, 200)
        try expectEqual(deployed.ask(.post, "/auth/refresh", token).status, 200)
    }
}
