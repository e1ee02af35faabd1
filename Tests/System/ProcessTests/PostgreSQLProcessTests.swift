import AuthDomain
import AuthRecords
import Cryptography
import JSON
import KeyValueStore
import PostgreSQL
import PostgreSQLStore
import TestSupport
import Testing
import Time

/// The functions as processes on a PostgreSQL server.
@Suite("Functions on PostgreSQL", .serialized, .hangLimit)
struct PostgreSQLProcessTests {
    @Test func `without the table a function says how to create it, and --migrate does it`() throws
    {
        let deployment = try Deployment.onPostgreSQL(migrates: false)
        let before = try deployment.run("challenge")
        #expect(before.status == 500)
        #expect(before.errorText.contains("--migrate"))
        for _ in 0..<2 {
            var migration = deployment.eventless("housekeeping")
            migration.arguments = ["--migrate"]
            let result = try ChildProcess.run(migration)
            #expect(result.end == .exit(0))
            #expect(result.text.hasSuffix(" is ready.\n"))
        }
        #expect(try deployment.run("challenge").status == 200)
    }

    /// Metrics put another store around it.
    @Test(arguments: ["", "Latchkey"])
    func `housekeeping removes what has expired`(metrics: String) throws {
        let deployment = try Deployment.onPostgreSQL([
            ("MAIL", "smtp://127.0.0.1:9"), ("MAIL_FROM", "no-reply@example.com"),
            ("METRICS_NAMESPACE", metrics),
        ])
        let table = try #require(
            deployment.settings.first { $0.name == "STORE" }?.value.split(separator: "=").last)
        let server = try PostgreSQLServer.shared()
        _ = try server.run(
            "INSERT INTO \(table) SELECT 'p', convert_to(n::text, 'UTF8'), 1000 + n, NULL, '{}' "
                + "FROM generate_series(1, 2345) AS n")
        var command = deployment.eventless("housekeeping")
        command.input = .bytes(Array("{}".utf8))
        let result = try ChildProcess.run(command)
        let answer = try JSON.parse(result.output, limits: .event)
        // Commits of the same run may have swept some.
        let removed = try #require(answer["jobs"]?["expired"]?["removed"]?.int64Value)
        #expect((2000...2345).contains(removed), "\(answer.text)")
        #expect(
            try server.run("SELECT count(*) FROM \(table) WHERE expires < 10000") == "0\n")
    }

    @Test func `sessions go on after a move from SQLite, and an import is refused twice`() throws {
        let target = try Deployment.onPostgreSQL()
        let names = ["STORE", "ISSUER"]
        let source = try Deployment([("MASTER_KEY", String(repeating: "k", count: 40))])
        let client = try source.signIn()
        let latchkey = { (deployment: Deployment, arguments: [String], input: [UInt8]) in
            var command = deployment.eventless("latchkey")
            command.arguments = arguments
            command.input = .bytes(input)
            return try ChildProcess.run(command)
        }
        let exported = try latchkey(source, ["export"], [])
        #expect(exported.end == .exit(0), "\(exported.errorText)")
        #expect(exported.errorText.hasPrefix("latchkey: exported "))
        let imported = try latchkey(target, ["import"], exported.output)
        #expect(imported.end == .exit(0), "\(imported.errorText)")
        #expect(try latchkey(target, ["export"], []).output == exported.output)
        let again = try latchkey(target, ["import"], exported.output)
        #expect(again.end == .exit(1))
        #expect(again.errorText.contains("not empty"), "\(again.errorText)")
        #expect(
            try latchkey(target, ["import", "--continue"], exported.output).end == .exit(0))

        var moved = source
        moved.settings.removeAll { names.contains($0.name) }
        moved.settings += target.settings.filter { names.contains($0.name) }
        #expect(try moved.refresh(client.refreshToken).status == 200)
    }

    @Test func `processes that sign first create one key`() throws {
        let deployment = try Deployment.onPostgreSQL()
        let commands = (0..<16).map { deployment.command($0 % 2 == 0 ? "challenge" : "keys") }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let sets = answers.compactMap { $0.body["keys"] }
        #expect(sets.count == 8)
        #expect(sets.allSatisfy { $0 == sets[0] && $0.arrayValue?.count == 1 })
    }

    @Test func `32 refreshes with one token get one successor`() throws {
        let deployment = try Deployment.onPostgreSQL()
        let client = try deployment.signIn()
        let answers = try race(32, with: client.refreshToken, in: deployment)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        #expect(Set(answers.map(\.refreshToken)).count == 1)
        #expect(try deployment.family(of: client)?.generation == 1)
        #expect(try deployment.auditCount(.refreshTokenReused, of: client.user) == 0)
    }

    @Test func `one of 32 refreshes without a grace period succeeds and the family ends`() throws {
        let deployment = try Deployment.onPostgreSQL([("REFRESH_GRACE_SECONDS", "0")])
        let client = try deployment.signIn()
        let answers = try race(32, with: client.refreshToken, in: deployment)
        #expect(answers.filter { $0.status == 200 }.count == 1)
        #expect(answers.filter { $0.status == 401 }.count == 31, "\(answers.map(\.status))")
        #expect(try deployment.refresh(client.refreshToken).status == 401)
        #expect(try deployment.family(of: client) == nil)
    }

    @Test func `8 sign-ins of a new identity create one user`() throws {
        let deployment = try Deployment.onPostgreSQL()
        let commands = try (0..<8).map { _ in
            deployment.command("signin", try deployment.signInBody(of: "newcomer"))
        }
        let answers = try deployment.race(commands).map(Answer.init)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        #expect(answers.filter { $0.body["isNewUser"] == true }.count == 1)
        #expect(Set(try answers.map { try SignedIn($0).user.text }).count == 1)
    }

    @Test func `an unreachable server ends no session, and the log has no password`() throws {
        let deployment = try Deployment.onPostgreSQL()
        let client = try deployment.signIn()
        var gone = deployment
        gone.settings = deployment.settings.map {
            $0.name == "STORE"
                ? ("STORE", "postgres://latchkey:s3cr3t-word@localhost:1/postgres") : $0
        }
        let answer = try gone.refresh(client.refreshToken)
        #expect(answer.status == 503)
        #expect(answer.action == "retry")
        #expect(answer.errorText.contains(#""reason":"unavailable.store""#))
        #expect(!answer.errorText.contains("s3cr3t-word"))
        #expect(try deployment.refresh(client.refreshToken).status == 200)
    }

    @Test func `kill -9 loses nothing that was written to PostgreSQL`() throws {
        let deployment = try Deployment.onPostgreSQL([("REFRESH_GRACE_SECONDS", "300")])
        let client = try deployment.signIn()
        var token = client.refreshToken
        var moments = KillMoments()
        for round in 0..<40 {
            let process = try ChildProcess(
                deployment.command("refresh", Deployment.refreshBody(token)))
            moments.wait()
            process.kill(9)
            let answer = try Answer(complete: process.wait())
            moments.adapt(wasLate: answer != nil)
            guard let answer else { continue }
            try #require(answer.status == 200, "round \(round), seed \(moments.seed)")
            token = try #require(answer.refreshToken)
        }
        #expect(try deployment.refresh(token).status == 200, "seed \(moments.seed)")
    }

    private func race(
        _ count: Int, with token: String, in deployment: Deployment
    ) throws -> [Answer] {
        let command = deployment.command("refresh", Deployment.refreshBody(token))
        return try deployment.race(Array(repeating: command, count: count)).map(Answer.init)
    }
}

extension Deployment {
    /// The functions with a table of their own on the server that the tests share.
    static func onPostgreSQL(
        _ settings: [(name: String, value: String)] = [], migrates: Bool = true
    ) throws -> Deployment {
        let url = try PostgreSQLServer.shared().newURL()
        var deployment = try Deployment(
            settings + [
                ("STORE", url), ("ISSUER", "https://auth.example.com"),
                ("MASTER_KEY", String(repeating: "k", count: 40)),
            ])
        let store = PostgreSQLStore(
            try PostgreSQLAddress(url: url), clock: .system, random: .system,
            authorities: { nil }, pause: { _ in })
        if migrates { try store.migrate() }
        deployment.remoteStore = store
        return deployment
    }
}
