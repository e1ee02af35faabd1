import AuthTestSupport
import PostgreSQL
import PostgreSQLStore
import TestSupport

/// The functions as processes on a PostgreSQL server.
@Suite("Functions on PostgreSQL", .serialized, .hangLimit)
struct PostgreSQLProcessTests {
    @Test func `without the table a function prints the command, and --migrate creates it`() throws
    {
        let deployment = try Deployment.onPostgreSQL(migrates: false)
        let before = try deployment.run("challenge")
        expectEqual(before.status, 500)
        #expect(before.errorText.contains("--migrate"))
        for _ in 0..<2 {
            var migration = deployment.eventless("housekeeping")
            migration.arguments = ["--migrate"]
            let result = try ChildProcess.run(migration)
            expectEqual(result.end, .exit(0))
            #expect(result.text.hasSuffix(" is ready.\n"))
        }
        try expectEqual(deployment.run("challenge").status, 200)
    }

    /// With metrics, another store wraps it.
    @Test(arguments: ["", "Latchkey"])
    func `housekeeping removes expired items`(metrics: String) throws {
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
        // Commits of the same run may have deleted some.
        let removed = try #require(answer["jobs"]?["expired"]?["removed"]?.int64Value)
        #expect((2000...2345).contains(removed), "\(answer.text)")
        try expectEqual(server.run("SELECT count(*) FROM \(table) WHERE expires < 10000"), "0\n")
    }

    @Test func `sessions survive a move from SQLite, and an import is refused twice`() throws {
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
        expectEqual(exported.end, .exit(0), "\(exported.errorText)")
        #expect(exported.errorText.hasPrefix("latchkey: exported "))
        let imported = try latchkey(target, ["import"], exported.output)
        expectEqual(imported.end, .exit(0), "\(imported.errorText)")
        try expectEqual(latchkey(target, ["export"], []).output, exported.output)
        let again = try latchkey(target, ["import"], exported.output)
        expectEqual(again.end, .exit(1))
        #expect(again.errorText.contains("not empty"), "\(again.errorText)")
        try expectEqual(latchkey(target, ["import", "--continue"], exported.output).end, .exit(0))

        var moved = source
        moved.settings.removeAll { names.contains($0.name) }
        moved.settings += target.settings.filter { names.contains($0.name) }
        try expectEqual(moved.refresh(client.refreshToken).status, 200)
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
        expectEqual(answer.status, 503)
        expectEqual(answer.action, "retry")
        #expect(answer.errorText.contains(#""reason":"unavailable.store""#))
        #expect(!answer.errorText.contains("s3cr3t-word"))
        try expectEqual(deployment.refresh(client.refreshToken).status, 200)
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
