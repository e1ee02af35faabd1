import BaseTestSupport
import Foundation

/// How `emulator serve` shuts down.
@Suite("Shutdown", .serialized, .hangLimit)
struct ShutdownTests {
    private static func project(_ mode: String) throws -> EmulatorProject {
        let project = try EmulatorProject([:], ["--mode", mode])
        try project.write([
            "slow": try ScriptedFunction.function(project, "slow", timeoutSeconds: 600)
        ])
        return project
    }

    @Test(arguments: [SIGTERM, SIGINT], ["warm", "cold"])
    func `requests in progress are answered first`(signal: Int32, mode: String) throws {
        let project = try Self.project(mode)
        let emulator = try project.start()
        let event = { @Sendable (name: String) in
            ScriptedFunction.wait(
                until: project.folder.file("end"), begun: project.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/slow", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/rest/slow", event("b")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("slow", event("c")) },
        ]
        let haveBegun = eventually { ["a", "b", "c"].allSatisfy { project.folder.exists($0) } }
        #expect(haveBegun, "\(emulator.log)")
        let descendants = Descendants(of: emulator.process.pid)
        #expect(descendants.count >= 3)
        emulator.process.kill(signal)
        #expect(emulator.process.waits { emulator.process.textSoFar.output.contains("stopping") })
        try project.folder.write([], to: "end")
        let result = emulator.process.wait()
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(result.text.hasSuffix("\nstopping\n"))
        // A REST API responds with 502 to a bare number: it only matters that there is a response.
        expectEqual(answers.map { $0.wait()?.status }, [200, 502, 200])
        #expect(descendants.areGone)
        #expect(project.functionProcesses.isEmpty)
    }

    @Test func `invocations that take too long are ended with an error`() throws {
        let project = try Self.project("warm")
        let emulator = try project.start()
        let event = { @Sendable (name: String) in
            ScriptedFunction.sleep(300, begun: project.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/slow", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("slow", event("b")) },
        ]
        #expect(eventually { project.folder.exists("a") && project.folder.exists("b") })
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        expectEqual(answers.map { $0.wait()?.status }, [503, 503])
        #expect(eventually { project.functionProcesses.isEmpty })
    }

    @Test func `a second signal ends the emulator at once`() throws {
        let project = try Self.project("warm")
        let emulator = try project.start()
        let event = ScriptedFunction.sleep(300, begun: project.folder.file("a"))
        let answer = PendingAnswer { try EmulatorClient(emulator).invoke("slow", event) }
        #expect(eventually { project.folder.exists("a") })
        emulator.process.kill(SIGTERM)
        #expect(emulator.process.waits { emulator.process.textSoFar.output.contains("stopping") })
        let descendants = emulator.process.end(by: SIGINT)
        expectEqual(emulator.process.wait().end, .signal(SIGINT))
        expectEqual(answer.wait(), nil)
        #expect(descendants.waitUntilGone())
        #expect(project.functionProcesses.isEmpty)
        // The next start succeeds.
        _ = try project.start()
    }

    @Test func `a signal during the start is handled too`() throws {
        let project = try EmulatorProject(["Table": JSONObject.table("items")])
        let moments = RandomDelays()
        for _ in 0..<6 {
            let process = try ChildProcess(project.command)
            moments.wait(millisecondsMax: 100)
            process.kill(SIGTERM)
            let end = process.wait().end
            // Before the handler is installed, the signal has its default action.
            #expect(end == .exit(0) || end == .signal(SIGTERM), "seed \(moments.seed)")
        }
    }
}
