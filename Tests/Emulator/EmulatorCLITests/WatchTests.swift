import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// A template and executables that change while the emulator runs.
@Suite("Changed files", .serialized, .timeLimit(.minutes(10)))
struct WatchTests {
    private func expectServed(
        _ path: String, _ text: String, _ caller: EmulatorClient,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let isServed = try eventually {
            try caller.app(.post, path, #"{"do":"reply","reply":"\"\#(text)\""}"#).text == text
        }
        #expect(isServed, sourceLocation: location)
    }

    @Test(arguments: ["warm", "cold"])
    func `a changed template is used for the next request, and requests in progress finish`(
        mode: String
    ) throws {
        let site = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try site.write(["old": try ScriptedFunction.function(site, "old")])
        let emulator = try site.start()
        let caller = EmulatorClient(emulator)
        let event = { @Sendable (name: String) in
            ScriptedFunction.sleep(1, begun: site.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/old", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("old", event("b")) },
        ]
        #expect(eventually { site.folder.exists("a") && site.folder.exists("b") })
        try site.write([
            "new": try ScriptedFunction.function(site, "new"), "Items": JSONObject.table("items"),
        ])
        try expectServed("/new", "hello", caller)
        #expect(try caller.app(.post, "/old", "{}").status == 404)
        #expect(try caller.invoke("old", "{}").status == 404)
        let table = try caller.table("DescribeTable", ["TableName": "items"])
        #expect(table.status == 200, "\(table.text)")
        #expect(answers.map { $0.wait()?.status } == [200, 200])
        #expect(emulator.log.contains("reloaded: 1 functions"))
    }

    @Test func `an invalid template is reported and the old one stays in use`() throws {
        let site = try EmulatorProject([:], ["--quiet"])
        try site.write(["f": try ScriptedFunction.function(site, "f")])
        let emulator = try site.start()
        let caller = EmulatorClient(emulator)
        try expectServed("/f", "one", caller)
        for (number, broken) in ["{", #"{"Resources":{"F":{"Type":"AWS::Serverless::Function"}"#]
            .enumerated()
        {
            try site.folder.replace("template.json", with: Array(broken.utf8))
            let isTold = eventually {
                emulator.log.split(separator: "\n").count { $0.hasPrefix("not reloaded: ") }
                    == number + 1
            }
            #expect(isTold, "\(emulator.log)")
            try expectServed("/f", "still", caller)
        }
        try site.folder.remove("template.json")
        #expect(eventually { emulator.log.contains("No such file") })
        try expectServed("/f", "still", caller)
        try site.write(["g": try ScriptedFunction.function(site, "g")])
        try expectServed("/g", "two", caller)
    }

    @Test(arguments: ["warm", "cold"])
    func `a rebuilt executable is used for the next request, and requests in progress finish`(
        mode: String
    ) throws {
        let site = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try site.write(["f": try ScriptedFunction.function(site, "f")])
        let emulator = try site.start()
        let caller = EmulatorClient(emulator)
        try expectServed("/f", "old", caller)
        let event = ScriptedFunction.sleep(1, begun: site.folder.file("a"))
        let answer = PendingAnswer { try EmulatorClient(emulator).invoke("f", event) }
        #expect(eventually { site.folder.exists("a") })
        // Always returns another text.
        try ScriptedFunction.rebuild(site, "f", saying: "new")
        #expect(try caller.app(.post, "/f", "{}").text == "new")
        #expect(answer.wait()?.status == 200)
        try site.folder.remove("f")
        let failure = try caller.invoke("f", "{}")
        // A running process does not need the file.
        #expect(
            mode == "warm" ? failure.text == #""new""# : failure.text.contains("bootstrap"),
            "\(failure.text)")
        try ScriptedFunction.rebuild(site, "f", saying: "newer")
        #expect(try caller.app(.post, "/f", "{}").text == "newer")
    }

    @Test func `a changed environment file is used for the next request`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("SAID=one\n".utf8), to: "env")
        let site = try EmulatorProject([:], ["--quiet", "--env-file", folder.file("env")])
        try site.write(["f": try ScriptedFunction.function(site, "f")])
        let emulator = try site.start()
        let caller = EmulatorClient(emulator)
        func said() throws -> String? {
            try caller.invoke("f", #"{"do":"environment"}"#).json?["SAID"]?.stringValue
        }
        #expect(try said() == "one")
        try folder.replace("env", with: Array("SAID=two\n".utf8))
        #expect(try eventually { try said() == "two" })
        try folder.replace("env", with: Array("nonsense\n".utf8))
        #expect(eventually { emulator.log.contains("not reloaded: ") })
        #expect(try said() == "two")
    }
}
