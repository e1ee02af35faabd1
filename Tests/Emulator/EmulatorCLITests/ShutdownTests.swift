import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// How `emulator serve` ends when it is asked to.
@Suite("The end of the emulator", .serialized, .timeLimit(.minutes(10)))
struct ShutdownTests {
    private static func site(_ mode: String) throws -> EmulatorProject {
        let site = try EmulatorProject([:], ["--mode", mode])
        try site.write(["slow": try ScriptedFunction.function(site, "slow", timeoutSeconds: 600)])
        return site
    }

    @Test(arguments: [SIGTERM, SIGINT], ["warm", "cold"])
    func `requests under way are answered first`(signal: Int32, mode: String) throws {
        let site = try Self.site(mode)
        let emulator = try site.start()
        let event = { @Sendable (name: String) in
            ScriptedFunction.sleep(0.5, begun: site.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/slow", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/rest/slow", event("b")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("slow", event("c")) },
        ]
        let haveBegun = eventually { ["a", "b", "c"].allSatisfy { site.folder.exists($0) } }
        #expect(haveBegun, "\(emulator.log)")
        let descendants = Descendants(of: emulator.process.pid)
        #expect(descendants.count >= 3)
        emulator.process.kill(signal)
        let result = emulator.process.wait()
        #expect(result.end == .exit(0), "\(result.errorText)")
        #expect(result.text.hasSuffix("\nstopping\n"))
        // A REST API takes no bare number for a reply: that it was asked is what counts.
        #expect(answers.map { $0.wait()?.status } == [200, 502, 200])
        #expect(descendants.areGone)
        #expect(site.functionProcesses.isEmpty)
    }

    @Test func `what takes too long is ended, and its callers are told`() throws {
        let site = try Self.site("warm")
        let emulator = try site.start()
        let event = { @Sendable (name: String) in
            ScriptedFunction.sleep(300, begun: site.folder.file(name))
        }
        let answers = [
            PendingAnswer { try EmulatorClient(emulator).app(.post, "/slow", event("a")) },
            PendingAnswer { try EmulatorClient(emulator).invoke("slow", event("b")) },
        ]
        #expect(eventually { site.folder.exists("a") && site.folder.exists("b") })
        emulator.process.kill(SIGTERM)
        #expect(emulator.process.wait().end == .exit(0))
        #expect(answers.map { $0.wait()?.status } == [503, 503])
        #expect(eventually { site.functionProcesses.isEmpty })
    }

    @Test func `who asks twice does not wait`() throws {
        let site = try Self.site("warm")
        let emulator = try site.start()
        let event = ScriptedFunction.sleep(300, begun: site.folder.file("a"))
        let answer = PendingAnswer { try EmulatorClient(emulator).invoke("slow", event) }
        #expect(eventually { site.folder.exists("a") })
        emulator.process.kill(SIGTERM)
        #expect(emulator.process.waits { emulator.process.textSoFar.output.contains("stopping") })
        let descendants = emulator.process.end(by: SIGINT)
        #expect(emulator.process.wait().end == .signal(SIGINT))
        #expect(answer.wait() == nil)
        #expect(descendants.waitUntilGone())
        #expect(site.functionProcesses.isEmpty)
        // And nothing is in the way of the next.
        _ = try site.start()
    }

    @Test func `a signal during the start is as good`() throws {
        let site = try EmulatorProject(["Table": JSONObject.table("items")])
        let moments = RandomDelays()
        for _ in 0..<6 {
            let process = try ChildProcess(site.command)
            moments.wait(millisecondsMax: 100)
            process.kill(SIGTERM)
            let end = process.wait().end
            // Before the program is its own, the signal has its usual meaning.
            #expect(end == .exit(0) || end == .signal(SIGTERM), "seed \(moments.seed)")
        }
    }
}
