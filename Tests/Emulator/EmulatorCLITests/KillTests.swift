import BaseTestSupport
import Foundation

/// `kill -9` of the emulator while clients write, repeatedly with the same data directory.
@Suite("A killed emulator", .serialized, .hangLimit)
struct KillTests {
    private static let killsMax = count("LATCHKEY_KILLS", default: 6)

    @Test(arguments: ["warm", "cold"])
    func `a killed emulator loses nothing that it acknowledged`(mode: String) throws {
        let people = try SignInFunctions()
        let project = try EmulatorProject([:], ["--mode", mode, "--quiet"])
        try people.prepare(project.folder)
        try project.write(Self.resources(project.folder, people))
        let objects = ["s", "t"].map { ObjectWriter($0) }
        let writers: [any Writer] =
            [
                ItemWriter("single", isPair: false), ItemWriter("pair", isPair: true),
                CounterWriter(), SecretWriter(), MailWriter(), SessionWriter("ada", people),
                SessionWriter("grace", people),
            ] + objects
        let moments = RandomDelays()
        for round in 0..<Self.killsMax {
            let comment: Comment = "\(mode), round \(round), seed \(moments.seed)"
            let emulator = try project.start()
            for writer in writers { try writer.verify(EmulatorClient(emulator)) }
            let load = ConcurrentWriters(emulator, writers, hanging: ["hang"])
            #expect(eventually { load.isUnderWay }, comment)
            moments.wait(millisecondsMax: 200)
            #expect(eventually { project.folder.exists("hanging") }, comment)
            let descendants = emulator.process.end()
            expectEqual(emulator.process.wait().end, .signal(SIGKILL), comment)
            load.waitForEnd()
            #expect(descendants.count >= 4, comment)
            #expect(descendants.waitUntilGone(), comment)
            #expect(eventually { project.functionProcesses.isEmpty }, comment)
            try project.folder.remove("hanging")
        }
        for writer in writers { #expect(writer.acknowledgedCount >= Self.killsMax) }

        let emulator = try project.start()
        for writer in writers { try writer.verify(EmulatorClient(emulator)) }
        for writer in writers { try writer.verifyAll(EmulatorClient(emulator)) }
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        try expectSound(project, objectBytesMax: objects.count * ObjectWriter.bytesMax)
    }

    @Test func `an emulator that was killed during its start can be started again`()
        throws
    {
        let moments = RandomDelays()
        let project = try EmulatorProject([
            "Items": JSONObject.table(ItemWriter.table),
            "Bucket": JSONObject.bucket(ObjectWriter.bucket),
            "Secret": [
                "Type": "AWS::SecretsManager::Secret",
                "Properties": ["Name": "s", "GenerateSecretString": [:]],
            ],
        ])
        for _ in 0..<2 * Self.killsMax {
            let process = try ChildProcess(project.command)
            moments.wait(millisecondsMax: 120)
            let descendants = process.end()
            expectEqual(process.wait().end, .signal(SIGKILL))
            #expect(descendants.waitUntilGone())
        }
        let emulator = try project.start()
        let writer = ItemWriter("after", isPair: true)
        try writer.step(EmulatorClient(emulator))
        try writer.verify(EmulatorClient(emulator))
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        try expectSound(project, objectBytesMax: 0)
    }

    @Test func `the next start removes temporary files of a killed emulator`() throws {
        let project = try EmulatorProject(["Secret": SecretWriter.resource])
        try project.folder.makeFolder("state")
        for name in ["secrets.json.123.part", "credentials.key.4.part"] {
            try project.folder.write([1, 2, 3], to: "state/\(name)")
        }
        let emulator = try project.start()
        try SecretWriter().verify(EmulatorClient(emulator))
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
        try expectSound(project, objectBytesMax: 0)
    }

    private static func resources(_ folder: TemporaryFolder, _ people: SignInFunctions) throws
        -> JSONObject
    {
        var resources = people.functions(folder)
        resources["Items"] = JSONObject.table(ItemWriter.table)
        resources["Bucket"] = JSONObject.bucket(ObjectWriter.bucket)
        resources["Secret"] = SecretWriter.resource
        // With a child that signals to the emulator do not reach, and one that leaves its process
        // group.
        let script =
            "sleep 1000 & setsid sleep 1000 & : >\(folder.file("hanging")); exec sleep 1000"
        try folder.replace("hang", withScript: script)
        resources["hang"] = JSONObject.function(folder.file("hang"), timeoutSeconds: 900)
        return resources
    }

    /// The databases are intact for another SQLite client, and there are no extra files.
    private func expectSound(_ project: EmulatorProject, objectBytesMax: Int) throws {
        let manager = FileManager.default
        let names = try manager.contentsOfDirectory(atPath: project.statePath)
        let known: Set = [
            "credentials.key", "dynamodb.sqlite", "lock", "mail.sqlite", "s3-content",
            "s3.sqlite", "secrets.json",
            // May contain keys that were just being generated.
            "identity.sqlite", "identity.sqlite-wal",
        ]
        #expect(Set(names).subtracting(known).isEmpty)
        // The space of an interrupted upload is reused.
        let contents = try manager.attributesOfItem(atPath: "\(project.statePath)/s3-content")
        let byteCount = try #require(contents[.size] as? Int)
        #expect(byteCount <= 2 * objectBytesMax)
        for name in names where name.hasSuffix(".sqlite") {
            try expectEqual(Self.verdictOfPython("\(project.statePath)/\(name)"), "[('ok',)]\n")
        }
    }

    private static func verdictOfPython(_ database: String) throws -> String {
        let check = """
            import sqlite3, sys
            print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchall())
            """
        var command = Command("/usr/bin/env", ["python3", "-c", check, database])
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        return try ChildProcess.run(command).text
    }
}
