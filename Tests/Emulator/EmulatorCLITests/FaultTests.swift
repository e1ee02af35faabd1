import BaseTestSupport
import Foundation

/// `/_emulator/faults` and `/_emulator/gates`, and their commands; `faults.py` of ClientTests has
/// every service.
@Suite("Faults and gates", .serialized, .hangLimit)
struct FaultTests {
    private static func project(_ arguments: [String] = ["--quiet"]) throws -> EmulatorProject {
        let project = try EmulatorProject([:], arguments)
        try project.write([
            "f": try ScriptedFunction.function(project, "f"),
            "Items": JSONObject.table("items"),
        ])
        return project
    }

    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        emulator = try Self.project().start()
        caller = EmulatorClient(emulator)
    }

    private func add(_ fault: String) throws {
        let answer = try caller.app(.post, "/_emulator/faults", fault)
        expectEqual(answer.status, 201, "\(answer.text)")
    }

    private func list() throws -> [JSON] {
        try caller.app(.get, "/_emulator/faults").json?["faults"]?.arrayValue ?? []
    }

    private func run(
        _ words: [String]
    ) throws -> (end: ProcessResult.End, output: String, error: String) {
        let result = try ChildProcess.run(
            EmulatorProcess.command(words + ["--url", emulator.appURL]))
        return (result.end, result.text, result.errorText)
    }

    private static let reply = #"{"do":"reply","reply":"{\"statusCode\":201,\"body\":\"fine\"}"}"#

    @Test func `routes and functions are delayed, throttled and fail`() throws {
        try add(
            #"{"match":{"service":"route","path":"/f"},"effect":"delay","milliseconds":300,"#
                + #""count":1}"#)
        let begun = Date()
        try expectEqual(caller.app(.post, "/f", Self.reply).status, 201)
        #expect(Date().timeIntervalSince(begun) >= 0.3)
        try add(#"{"match":{"service":"route"},"effect":"throttle","count":1}"#)
        let throttled = try caller.app(.post, "/f", Self.reply)
        #expect(throttled.status == 429 && throttled.json?["message"] == "Too Many Requests")
        try add(
            #"{"match":{"service":"function","function":"f"},"effect":"error","#
                + #""error":"Runtime.ExitError","count":2}"#)
        try expectEqual(caller.app(.post, "/f", Self.reply).status, 500)
        let invoked = try caller.invoke("f", Self.reply)
        expectEqual(invoked.headers.value("x-amz-function-error"), "Unhandled")
        expectEqual(invoked.json?["errorType"], "Runtime.ExitError")
        try add(#"{"match":{"service":"function"},"effect":"throttle","count":1}"#)
        try expectEqual(caller.invoke("f", Self.reply).status, 429)
        try add(
            #"{"match":{"service":"function"},"effect":"hang","milliseconds":100,"count":1}"#)
        let late = try caller.invoke("f", Self.reply)
        expectEqual(late.json?["errorType"], "Sandbox.Timedout")
        #expect(try ScriptedFunction.isFine("f", caller))
    }

    @Test func `the commands add, list and remove`() throws {
        try expectEqual(run(["faults"]).output, "no faults\n")
        let added = try run([
            "faults", "add", "dynamodb", "error", "--operation", "PutItem", "--error",
            "ThrottlingException", "--count", "2",
        ])
        expectEqual(
            added.output,
            "1  dynamodb operation=PutItem: error ThrottlingException, 2 times  "
                + "(0 of 0 requests)\n", "\(added.error)")
        let item: JSON = ["TableName": "items", "Item": ["pk": ["S": "a"], "sk": ["S": "s"]]]
        try expectEqual(caller.table("PutItem", item).status, 400)
        #expect(try run(["faults"]).output.contains("(1 of 1 requests)"))
        #expect(try caller.app(.get, "/_emulator/logs").text.contains("fault 1 is on: dynamodb"))
        try expectEqual(run(["faults", "remove", "1"]).output, "no faults\n")
        #expect(try run(["faults", "remove", "1"]).error.contains("No such fault: 1."))
        let wrong = try run(["faults", "add", "dynamodb", "error", "--error", "X"])
        #expect(wrong.end == .exit(1) && wrong.error.contains("InternalServerError"))
        #expect(try run(["faults", "known"]).output.contains("TransactWriteItems"))
        let gate = try run([
            "gate", "add", "route", "--path", "/f", "--arrivals", "2", "--order", "2,1",
        ])
        #expect(gate.output.contains("2 arrivals, let through as 2,1"), "\(gate.error)")
        #expect(try run(["gate", "open", "1"]).output.contains("opened"))
        try expectEqual(run(["gate", "remove", "all"]).output, "no gates\n")
        #expect(try run(["gate", "run", "x"]).error.contains("held, reordered"))
    }

    @Test func `active faults are in the banner`() throws {
        let project = try Self.project()
        try project.folder.write(
            Array(#"{"faults":[{"match":{"service":"s3"},"effect":"throttle"}]}"#.utf8),
            to: "faults.json")
        var command = project.command
        command.arguments += ["--faults", project.folder.file("faults.json")]
        let emulator = try EmulatorProcess(command)
        #expect(emulator.log.contains("active faults\n  1  s3: throttle\n"))
        try expectEqual(
            EmulatorClient(emulator).app(.get, "/_emulator/health").json?["faults"],
            ["1  s3: throttle"])
    }

    @Test func `held requests end when the emulator stops`() throws {
        try add(#"{"match":{"service":"route"},"effect":"hang"}"#)
        let group = DispatchGroup()
        group.enter()
        DetachedThread.run { [emulator] in
            _ = try? EmulatorClient(emulator).app(.post, "/f", Self.reply)
            group.leave()
        }
        #expect(try eventually { try list().first?["hits"] == 1 })
        let begun = Date()
        emulator.process.kill(SIGTERM)
        group.wait()
        expectEqual(emulator.process.wait().end, .exit(0))
        #expect(Date().timeIntervalSince(begun) < 10)
    }
}
