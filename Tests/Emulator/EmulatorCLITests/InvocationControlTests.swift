import BaseTestSupport

/// One of the kept invocations, and the experiments.
@Suite("Invocations and experiments of the control API", .hangLimit)
struct InvocationControlTests {
    private static func started() throws -> EmulatorProcess {
        let project = try EmulatorProject([:], ["--mode", "cold"])
        try project.folder.replace("echo", withScript: #"read -r event; echo "[$event]""#)
        try project.write([
            "echo": JSONObject.function(
                project.folder.file("echo"), events: ["X": JSONObject.route("GET", "/x")])
        ])
        return try project.start()
    }

    @Test func `an invocation is shown, and runs again in a trace of its own`() throws {
        let emulator = try Self.started()
        let caller = EmulatorClient(emulator)
        _ = try caller.app(.get, "/x")
        // It is kept a moment after its answer.
        #expect(
            try eventually { try caller.app(.get, "/_emulator/invocations/last").status == 200 })
        let shown = try caller.app(.get, "/_emulator/invocations/last")
        let id = try #require(shown.json?["requestId"]?.stringValue)
        let event = try #require(shown.json?["event"]?.stringValue)
        #expect(event.contains(#""rawPath":"/x""#))

        let again = try caller.app(.post, "/_emulator/invocations/\(id)")
        expectEqual(again.status, 200, "\(again.text)")
        expectEqual(again.json?["status"], "answered")
        expectEqual(again.json?["answer"]?.stringValue, "[\(event)]")
        let trace = try #require(again.json?["traceId"]?.stringValue)
        #expect(trace != shown.json?["traceId"]?.stringValue)
        #expect(
            try eventually {
                try caller.app(.get, "/_emulator/traces/\(trace)").json?["callCount"] == 1
            })
        // It is an invocation like any other.
        let other = try #require(again.json?["requestId"]?.stringValue)
        #expect(
            try eventually {
                let newest = try caller.app(.get, "/_emulator/invocations/last").json
                return newest?["requestId"]?.stringValue == other
                    && newest?["event"]?.stringValue == event
            })
    }

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
