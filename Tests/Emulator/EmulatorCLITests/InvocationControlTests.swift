import BaseTestSupport

/// One of the kept invocations, and the experiments.
@Suite("Invocations and experiments of the control API", .hangLimit)
struct InvocationControlTests {
    @Test func `an unknown invocation is not found`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        for method in [HTTPRequest.Method.get, .post, .delete] {
            let answer = try caller.app(method, "/_emulator/invocations/none")
            expectEqual(answer.status, 404, "\(answer.text)")
        }
    }

    @Test func `experiments need the routes of the contract`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        let list = try caller.app(.get, "/_emulator/experiments").json?["presets"]?.arrayValue
        expectEqual(
            list?.compactMap { $0["name"]?.stringValue },
            ["held", "reordered", "doubled", "lost", "sign-out"])
        let refused = try caller.app(.post, "/_emulator/experiments/lost")
        expectEqual(refused.status, 409, "\(refused.text)")
        #expect(refused.text.contains("contract latchkey"), "\(refused.text)")
        try expectEqual(caller.app(.post, "/_emulator/experiments/none").status, 404)
        try expectEqual(caller.app(.get, "/_emulator/experiments/lost").status, 404)
    }
}
