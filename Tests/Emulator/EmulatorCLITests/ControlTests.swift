import BaseTestSupport
import Foundation

/// The control API `/_emulator/`, and the commands that use it.
@Suite("Control API", .serialized, .hangLimit)
struct ControlTests {
    private static func schedule(_ expression: String, _ more: JSONObject = [:]) -> JSON {
        var properties: JSONObject = ["Schedule": .string(expression)]
        for (name, value) in more.members { properties[name] = value }
        return ["Type": "Schedule", "Properties": .object(properties)]
    }

    private func run(
        _ emulator: EmulatorProcess, _ words: [String]
    ) throws -> (end: ProcessResult.End, output: String, error: String) {
        let result = try ChildProcess.run(
            EmulatorProcess.command(words + ["--url", emulator.appURL]))
        return (result.end, result.text, result.errorText)
    }

    /// The functions log their events.
    private static func scheduled() throws -> EmulatorProject {
        let project = try EmulatorProject([:], ["--mode", "cold"])
        try project.folder.replace(
            "log", withScript: #"read -r event; echo "event $event" >&2; echo "\"done\"""#)
        try project.folder.replace("fail", withScript: "exit 3")
        try project.write([
            "rated": JSONObject.function(
                project.folder.file("log"),
                events: [
                    "Hourly": Self.schedule("rate(1 hour)", ["Input": #"{"is":"hourly"}"#]),
                    "Off": Self.schedule(
                        "rate(1 minute)", ["Input": #"{"is":"off"}"#, "Enabled": false]),
                ]),
            "timed": JSONObject.function(
                project.folder.file("log"),
                events: [
                    "Yearly": Self.schedule(
                        "cron(0 0 1 1 ? *)", ["Input": #"{"is":"yearly"}"#, "Name": "new-year"])
                ]),
            "failing": JSONObject.function(
                project.folder.file("fail"), events: ["Never": Self.schedule("rate(999 days)")]),
        ])
        return project
    }

    @Test func `schedules fire when they are due, once, and on request`() throws {
        let emulator = try Self.scheduled().start()
        let caller = EmulatorClient(emulator)
        func events(_ kind: String) -> Int {
            emulator.log.split(separator: "\n").count {
                $0.hasSuffix(#"event {"is":"\#(kind)"}"#)
            }
        }
        let listed = try caller.app(.get, "/_emulator/schedules").json?["schedules"]?.arrayValue
        expectEqual(
            listed?.map { $0["name"]?.stringValue },
            ["ratedHourly", "ratedOff", "new-year", "failingNever"])

        #expect(try run(emulator, ["clock", "+61m"]).output.hasSuffix(", 3660 s ahead\n"))
        #expect(eventually { events("hourly") == 1 })
        expectEqual(events("yearly"), 0)
        // Only once, even if the clock skips several runs.
        try expectEqual(caller.app(.post, "/_emulator/clock", #"{"seconds":31622400}"#).status, 200)
        #expect(eventually { events("hourly") == 2 && events("yearly") == 1 })
        try expectEqual(run(emulator, ["clock", "reset"]).end, .exit(0))
        try expectEqual(caller.app(.get, "/_emulator/clock").json?["aheadSeconds"]?.int64Value, 0)
        #expect(try run(emulator, ["clock", "-1h"]).output.hasSuffix(", 3600 s behind\n"))
        let unknown = try run(emulator, ["clock", "-h"])
        #expect(unknown.end == .exit(2) && unknown.error.contains("unknown option '-h'"))
        try expectEqual(run(emulator, ["clock", "reset"]).end, .exit(0))

        let ticked = try run(emulator, ["tick", "ratedOff"])
        #expect(ticked.end == .exit(0) && ticked.output == "\"done\"\n", "\(ticked.error)")
        expectEqual(events("off"), 1)
        try expectEqual(run(emulator, ["tick", "timed"]).end, .exit(0))
        expectEqual(events("yearly"), 2)
        let missing = try run(emulator, ["tick", "no-such"])
        expectEqual(missing.end, .exit(1))
        expectEqual(
            missing.error,
            "emulator tick: Schedule not found: no-such. Schedules: ratedHourly, ratedOff, "
                + "new-year, failingNever.\n")
        let failing = try run(emulator, ["tick", "failing"])
        #expect(failing.end == .exit(1) && failing.error.contains("exit status 3"))
        // Nothing else has run in the meantime.
        #expect((events("hourly"), events("off"), events("yearly")) == (2, 1, 2))
    }

    @Test func `the start prints what an SDK needs`() throws {
        let emulator = try EmulatorProject(["Items": JSONObject.table("items")]).start()
        for line in [
            "export AWS_ENDPOINT_URL=\(emulator.awsURL)",
            "export AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1",
            "export AWS_ACCESS_KEY_ID=latchkey AWS_SECRET_ACCESS_KEY=latchkey",
        ] {
            #expect(eventually { emulator.log.contains("  \(line)\n") }, "\(line)")
        }
    }

    @Test func `items that expire by the emulator's clock are deleted`() throws {
        let project = try EmulatorProject(["Items": JSONObject.table("items")])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        func put(_ sort: String, endsIn seconds: Int?) throws {
            var item: JSONObject = ["pk": ["S": "p"], "sk": ["S": .string(sort)]]
            if let seconds {
                let end = Int(Date().timeIntervalSince1970) + seconds
                item["ttl"] = ["N": .string(String(end))]
            }
            let request: JSON = ["TableName": "items", "Item": .object(item)]
            try expectEqual(caller.table("PutItem", request).status, 200)
        }
        try put("later", endsIn: 1800)
        try put("never", endsIn: nil)
        func count() throws -> Int64? {
            try caller.table("Scan", ["TableName": "items"]).json?["Count"]?.int64Value
        }
        try expectEqual(run(emulator, ["expire-now"]).output, "0 items deleted\n")
        try expectEqual(count(), 2)
        try expectEqual(run(emulator, ["clock", "+1h"]).end, .exit(0))
        // The emulator checks once per minute, and also after the clock was moved.
        let outputs = ["1 item deleted\n", "0 items deleted\n"]
        #expect(try outputs.contains(run(emulator, ["expire-now"]).output))
        try expectEqual(count(), 1)
        let isTold = try (1...3).contains { _ in
            try put("over", endsIn: 0)
            return try run(emulator, ["expire-now"]).output == outputs[0]
        }
        #expect(isTold)
        try expectEqual(count(), 1)
        // Signatures use the system clock.
        try expectEqual(caller.object(.put, "/bucket").status, 200)
    }

    @Test func `logs are numbered, and the command follows them`() throws {
        let project = try EmulatorProject([:], ["--quiet"])
        try project.write(["f": try ScriptedFunction.function(project, "f")])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        let follower = try ChildProcess(
            EmulatorProcess.command(["logs", "f", "-f", "--url", emulator.appURL]))
        defer { follower.kill(SIGKILL) }
        _ = try caller.invoke("f", #"{"do":"log"}"#)
        #expect(
            try eventually {
                // The last line of an invocation.
                try caller.app(.get, "/_emulator/logs").text.contains("REPORT RequestId: ")
            })
        let all = try #require(try caller.app(.get, "/_emulator/logs").json)
        let last = try #require(all["last"]?.int64Value)
        expectEqual(all["lines"]?.arrayValue?.count, Int(last))
        expectEqual(all["lines"]?.arrayValue?.first?["function"], "f")
        let rest = try #require(try caller.app(.get, "/_emulator/logs?after=\(last - 1)").json)
        expectEqual(rest["lines"]?.arrayValue?.count, 1)
        for query in ["?after=\(last)", "?after=999999999999"] {
            let none = try caller.app(.get, "/_emulator/logs\(query)").json
            expectEqual(none?["lines"]?.arrayValue, [])
        }
        for query in ["?after=x", "?after=-5", "?%%%", "?after"] {
            try expectEqual(caller.app(.get, "/_emulator/logs\(query)").json?["last"], all["last"])
        }
        _ = try caller.invoke("f", #"{"do":"log","bytes":20}"#)
        #expect(
            follower.waits { follower.textSoFar.output.contains("f  xxxxxxxxxxxxxxxxxxxx said") })
        #expect(follower.textSoFar.output.contains("f  START RequestId: "))
        // `--quiet` does not affect the log.
        #expect(!emulator.log.contains("said"))
    }

    @Test func `a command reports that another server answers`() throws {
        let server = try LoopbackServer { _ in .init(status: 200, body: Array("hello".utf8)) }
        for words in [["clock"], ["tick", "x"], ["expire-now"], ["logs"]] {
            let otherServer = try ChildProcess.run(
                EmulatorProcess.command(words + ["--url", server.url]))
            expectEqual(otherServer.end, .exit(1))
            #expect(
                otherServer.errorText.contains("is not an emulator"), "\(otherServer.errorText)")
        }
        server.stop()
    }
}
