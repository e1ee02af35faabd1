import AuthTestSupport
import TestSupport

/// The first processes of a deployment, all at once.
@Suite("First run, with real processes", .serialized, .hangLimit)
struct FirstRunTests {
    @Test func `an empty directory without settings suffices`() throws {
        let folder = try TemporaryFolder()
        var command = Command(BuiltExecutables.path(of: "challenge"))
        command.input = .bytes(Array("{}".utf8))
        let result = try ChildProcess.run(command.working(in: folder))
        expectEqual(result.end, .exit(0))
        let answer = try JSON.parse(result.output, limits: .event)
        expectEqual(answer["nonce"]?.stringValue?.utf8.count, 43)
        expectEqual(answer["expiresIn"], 600)
    }

    @Test(arguments: ["signin", "latchkey"])
    func `help fits a terminal`(function: String) throws {
        let text = try ChildProcess.run(
            Command(BuiltExecutables.path(of: function), ["--help"])
        ).text
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 40)
        #expect(text.utf8.split(separator: 10).allSatisfy { $0.count <= 100 })
        for option in ["--listen [ADDRESS]", "--event JSON", "--settings", "--env-file FILE"] {
            #expect(text.contains("  \(option)"), "\(text)")
        }
    }

    /// For a new user, in a partly configured deployment.
    @Test(arguments: ["signin", "me", "authorizer", "latchkey"])
    func `the list of settings has their values and problems, and creates nothing`(function: String)
        throws
    {
        let folder = try TemporaryFolder()
        var command = Command(BuiltExecutables.path(of: function), ["--settings"])
        command.environment = [
            ("STORE", "postgres://me:geheim@db.example/app"), ("TRUSTED_HOPS", "many"),
            ("MASTER_KEY", String(repeating: "s3cret", count: 8)),
            ("STORE_PASSWORD", "secretsmanager:never/fetched"),
        ]
        let result = try ChildProcess.run(command.working(in: folder))
        let text = String(decoding: result.output, as: UTF8.self)
        expectEqual(result.end, .exit(0))
        #expect(text.contains("  STORE=postgres://me:***@db.example/app\n"))
        #expect(text.contains("  TRUSTED_HOPS=many\n"))
        #expect(text.contains("  STORE_PASSWORD=(secret)\n"))
        #expect(!text.contains("s3cret") && !text.contains("geheim") && !text.contains("never/"))
        #expect(text.contains("TRUSTED_HOPS must be a whole number from 0 to 8"))
        #expect(text.contains("ISSUER is required with a PostgreSQL store"))
        #expect(text.contains(" KEY_ROTATION_DAYS"))
        expectEqual(
            text.contains("APPLE_CLIENT_IDS"), function == "signin" || function == "latchkey")
        #expect(folder.names.isEmpty)
    }

    @Test func `64 processes in an empty directory create one database and one of each key`()
        throws
    {
        let deployment = try Deployment()
        let commands = (0..<64).map { deployment.eventless($0 % 2 == 0 ? "challenge" : "keys") }
        // Gated, because everything they race for happens before they read their event.
        let racers = try commands.map { try ChildProcess($0.gated) }
        for racer in racers { #expect(racer.send("go\n")) }
        for (index, racer) in racers.enumerated() {
            let event = Deployment.event(index % 2 == 0 ? "challenge" : "keys", [:])
            _ = racer.send(event.text)
            racer.endInput()
        }
        let answers = try racers.map { try Answer($0.wait()) }

        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let sets = answers.compactMap { $0.body["keys"] }
        expectEqual(sets.count, 32)
        #expect(sets.allSatisfy { $0 == sets[0] && $0.arrayValue?.count == 1 })
        let nonces = answers.compactMap { $0.body["nonce"]?.stringValue }
        expectEqual(Set(nonces).count, 32)
        let store = try deployment.store()
        let stored = try store.get(nonces.map { StoreLayout.challenge(nonce: $0) })
        #expect(stored.allSatisfy { $0 != nil })
        #expect(deployment.strayNames.isEmpty)
        try expectEqual(deployment.folder.read("latchkey.db.key").count, MasterKey.bytesMin)
        try expectEqual(deployment.verdictOfPython(), Deployment.verdictIfSound)
    }
}
