import BaseTestSupport
import Foundation

/// A template and executables that change while the emulator runs.
@Suite("Changed files", .serialized, .hangLimit)
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
        let project = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try project.write([
            "old": try ScriptedFunction.function(project, "old", timeoutSeconds: 600)
        ])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        let event = { @Sendable (name: String) in
            ScriptedFunction.wait(
                until: project.folder.file("end"), begun: project.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/old", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("old", event("b")) },
        ]
        #expect(eventually { project.folder.exists("a") && project.folder.exists("b") })
        try project.write([
            "new": try ScriptedFunction.function(project, "new"),
            "Items": JSONObject.table("items"),
        ])
        try expectServed("/new", "hello", caller)
        try expectEqual(caller.app(.post, "/old", "{}").status, 404)
        try expectEqual(caller.invoke("old", "{}").status, 404)
        let table = try caller.table("DescribeTable", ["TableName": "items"])
        expectEqual(table.status, 200, "\(table.text)")
        try project.folder.write([], to: "end")
        expectEqual(answers.map { $0.wait()?.status }, [200, 200])
        #expect(emulator.log.contains("reloaded: 1 function\n"))
    }

    @Test func `an invalid template is reported and the old one remains in use`() throws {
        let project = try EmulatorProject([:], ["--quiet"])
        try project.write(["f": try ScriptedFunction.function(project, "f")])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        try expectServed("/f", "one", caller)
        for (number, broken) in ["{", #"{"Resources":{"F":{"Type":"AWS::Serverless::Function"}"#]
            .enumerated()
        {
            try project.folder.replace("template.json", with: Array(broken.utf8))
            let isTold = eventually {
                emulator.log.split(separator: "\n").count { $0.hasPrefix("not reloaded: ") }
                    == number + 1
            }
            #expect(isTold, "\(emulator.log)")
            try expectServed("/f", "still", caller)
        }
        try project.folder.remove("template.json")
        #expect(eventually { emulator.log.contains("No such file") })
        try expectServed("/f", "still", caller)
        try project.write(["g": try ScriptedFunction.function(project, "g")])
        try expectServed("/g", "two", caller)
    }

    @Test(arguments: ["warm", "cold"])
    func `a rebuilt executable is used for the next request, and requests in progress finish`(
        mode: String
    ) throws {
        let project = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try project.write(["f": try ScriptedFunction.function(project, "f", timeoutSeconds: 600)])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        try expectServed("/f", "old", caller)
        let event = ScriptedFunction.wait(
            until: project.folder.file("end"), begun: project.folder.file("a"))
        let answer = PendingAnswer { try EmulatorClient(emulator).invoke("f", event) }
        #expect(eventually { project.folder.exists("a") })
        // Always returns another text.
        try ScriptedFunction.rebuild(project.folder, "f", saying: "new")
        try expectEqual(caller.app(.post, "/f", "{}").text, "new")
        try project.folder.write([], to: "end")
        expectEqual(answer.wait()?.status, 200)
        try project.folder.remove("f")
        let failure = try caller.invoke("f", "{}")
        // A running process does not need the file.
        #expect(
            mode == "warm" ? failure.text == #""new""# : failure.text.contains("bootstrap"),
            "\(failure.text)")
        try ScriptedFunction.rebuild(project.folder, "f", saying: "newer")
        try expectEqual(caller.app(.post, "/f", "{}").text, "newer")
    }

    @Test func `executables of another folder run instead of the template's`() throws {
        let folder = try TemporaryFolder()
        let project = try EmulatorProject([:], ["--quiet", "--executables", folder.path])
        try project.write([
            "f": try ScriptedFunction.function(project, "f"),
            "g": try ScriptedFunction.function(project, "g"),
        ])
        try ScriptedFunction.rebuild(folder, "f", saying: "other")
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        try expectEqual(caller.app(.post, "/f", "{}").text, "other")
        try expectServed("/g", "the template's", caller)
        try ScriptedFunction.rebuild(folder, "f", saying: "rebuilt")
        try expectEqual(caller.app(.post, "/f", "{}").text, "rebuilt")
    }

    @Test func `a changed environment file is used for the next request`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("SAID=one\n".utf8), to: "env")
        let project = try EmulatorProject([:], ["--quiet", "--env-file", folder.file("env")])
        try project.write(["f": try ScriptedFunction.function(project, "f")])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        func said() throws -> String? {
            try caller.invoke("f", #"{"do":"environment"}"#).json?["SAID"]?.stringValue
        }
        try expectEqual(said(), "one")
        try folder.replace("env", with: Array("SAID=two\n".utf8))
        #expect(try eventually { try said() == "two" })
        try folder.replace("env", with: Array("nonsense\n".utf8))
        #expect(eventually { emulator.log.contains("not reloaded: ") })
        try expectEqual(said(), "two")
    }
}
