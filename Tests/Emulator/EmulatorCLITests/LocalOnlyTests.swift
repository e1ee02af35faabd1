import BaseTestSupport

/// A web page in the developer's browser must not access endpoints for local programs: neither from
/// its own origin (CSRF) nor by a name that resolves to 127.0.0.1 (DNS rebinding).
@Suite("Foreign hosts and origins", .serialized, .hangLimit)
struct LocalOnlyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let host: String
        let origin: String?
        let isAdmitted: Bool

        var testDescription: String { "\(host) from \(origin ?? "no page")" }

        init(_ host: String, from origin: String? = nil, _ isAdmitted: Bool) {
            self.host = host
            self.origin = origin
            self.isAdmitted = isAdmitted
        }
    }

    static let rows = [
        Row("127.0.0.1:8000", true), Row("127.0.0.1", true), Row("127.1.2.3:80", true),
        Row("localhost:8000", true), Row("LOCALHOST", true), Row("app.localhost:8000", true),
        Row("[::1]:8000", true),
        Row("127.0.0.1:8000", from: "http://localhost:3000", true),
        Row("127.0.0.1:8000", from: "https://127.0.0.1", true),
        Row("localhost:8000", from: "http://app.localhost:3000", true),
        Row("evil.example:8000", false), Row("evil.example", false),
        Row("127.0.0.1.evil.example:8000", false), Row("localhost.evil.example", false),
        Row("evil-localhost", false), Row("localhostx", false), Row("127.0.0.evil", false),
        Row("127.0.0.256", false), Row("1127.0.0.1", false), Row("128.0.0.1", false),
        Row("0.0.0.0:8000", false), Row("192.168.0.1:8000", false), Row("[::2]:8000", false),
        Row("2130706433", false), Row("0x7f.0.0.1", false),
        Row("127.0.0.1:8000@evil.example", false), Row("127.0.0.1:8000.evil.example", false),
        Row("127.0.0.1:", false), Row("127.0.0.1:x", false), Row("127.0.0.1:65536", false),
        Row("localhost/evil.example", false), Row("evil.example/.localhost", false),
        Row("[::1].evil.example", false), Row("[::1]:8000.evil.example", false),
        Row("127.0.0.1:8000", from: "http://127.0.0.1:8000.evil.example", false),
        Row("127.0.0.1:8000", from: "http://localhost:8000@evil.example", false),
        Row("127.0.0.1:8000", from: "http://[::1].evil.example", false),
        Row("127.0.0.1:8000", from: "http://127.0.0.1:x", false),
        Row("127.0.0.1:8000", from: "http://localhost/", false),
        Row("127.0.0.1:8000", from: "http://evil.example", false),
        Row("127.0.0.1:8000", from: "null", false), Row("127.0.0.1:8000", from: "", false),
        Row("127.0.0.1:8000", from: "http://localhost.evil.example", false),
        Row("127.0.0.1:8000", from: "http://127.0.0.1.evil.example:80", false),
        Row("127.0.0.1:8000", from: "evil://", false),
        Row("127.0.0.1:8000", from: "localhost", false),
        Row("127.0.0.1:8000", from: "file://", false),
        Row("evil.example:8000", from: "http://evil.example:8000", false),
        Row("evil.example:8000", from: "http://localhost", false),
    ]

    private func headers(_ row: Row) -> [(String, String)] {
        [("Host", row.host)] + (row.origin.map { [("Origin", $0)] } ?? [])
    }

    /// Not even pages of local origins are admitted.
    @Test func `the controls refuse foreign hosts and origins on every port`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        for row in Self.rows {
            let isAdmitted = row.isAdmitted && row.origin == nil
            for answer in [
                try caller.app(.get, "/_emulator/health", headers: headers(row)),
                try caller.app(.get, "/_emulator/state", headers: headers(row)),
                try caller.app(.post, "/_emulator/expire-now", headers: headers(row)),
                try caller.app(.get, "/_idp/apple/accounts", headers: headers(row)),
                try caller.aws(.get, "/_emulator/health", headers: headers(row)),
                try caller.controls(.get, "/_emulator/health", headers: headers(row)),
                try caller.controls(.get, "/_emulator/mail", headers: headers(row)),
                try caller.controls(.post, "/_emulator/expire-now", headers: headers(row)),
            ] {
                expectEqual(answer.status, isAdmitted ? 200 : 403, "\(row)")
            }
        }
    }

    @Test func `AWS services refuse unsigned requests of foreign hosts and origins`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        for row in Self.rows {
            let type = [("Content-Type", "application/x-amz-json-1.0")]
            let tables = try caller.aws(
                .post, "/", Array("{}".utf8),
                headers: headers(row) + type + [("X-Amz-Target", "DynamoDB_20120810.ListTables")])
            let secrets = try caller.aws(
                .post, "/", Array("{}".utf8),
                headers: headers(row) + type + [("X-Amz-Target", "secretsmanager.ListSecrets")])
            let functions = try caller.aws(.get, "/2015-03-31/functions/", headers: headers(row))
            let statuses = [tables.status, secrets.status, functions.status]
            expectEqual(statuses, row.isAdmitted ? [200, 200, 200] : [400, 403, 403], "\(row)")
            if !row.isAdmitted {
                #expect(tables.text.contains("MissingAuthenticationToken"), "\(tables.text)")
            }
        }
    }

    @Test func `signed requests are accepted for any host`() throws {
        let emulator = try EmulatorProcess.shared()
        let request = HTTPRequest(
            .post, emulator.awsURL + "/",
            headers: [
                HTTPHeader("Host", "dynamodb.example.com"),
                HTTPHeader("Content-Type", "application/x-amz-json-1.0"),
                HTTPHeader("X-Amz-Target", "DynamoDB_20120810.ListTables"),
            ], body: Array("{}".utf8))
        let answer = try EmulatorClient(emulator).sendSigned(request, service: "dynamodb")
        expectEqual(answer.status, 200, "\(answer.text)")
    }

    /// Allowing other machines does not allow web pages: pages use host names, people use
    /// addresses.
    @Test(arguments: [
        Row("127.0.0.1:8000", true), Row("localhost:8000", true), Row("192.168.0.1:8000", true),
        Row("evil.example:8000", false), Row("192.168.0.1.evil.example", false),
        Row("192.168.0.1:8000", from: "http://evil.example", false),
    ])
    func `an emulator on the network accepts addresses but no foreign host names`(_ row: Row) throws
    {
        let emulator = try Self.open.get()
        let caller = EmulatorClient(emulator)
        let answer = try caller.app(.get, "/_emulator/state", headers: headers(row))
        expectEqual(answer.status, row.isAdmitted ? 200 : 403, "\(row)")
    }

    private static let open = Result {
        try EmulatorProject(["Table": JSONObject.table("items")], ["--host", "0.0.0.0"]).start()
    }
}
