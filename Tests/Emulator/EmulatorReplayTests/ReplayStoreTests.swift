import BaseTestSupport
import EmulatorReplay

/// `emulator replay --store`
@Suite("Replay on another store") struct ReplayStoreTests {
    private static let settings = #"""
        {
          "environment": {"STORE": "file:<directory>/state", "AWS_REGION": "eu-central-1"},
          "stores": {
            "dynamodb": {"STORE": "dynamodb:<table>", "URL": "<dynamodb>"},
            "postgresql": {"STORE": "postgres:<table>", "URL": "<postgresql>"}
          }
        }
        """#
    /// Answers with the kind of its store.
    private static let program = #"""
        #!/bin/sh
        printf '{"kind": "%s", "url": "%s"}' "${STORE%%:*}" "$URL"
        """#

    /// A workspace with one fixture and these expectations.
    private func bench(
        given: String = "{}", expecting response: String, settings: String = settings
    ) throws -> FixtureWorkspace {
        let bench = try FixtureWorkspace()
        try bench.install("show", Self.program)
        try bench.write(settings, to: "Events/settings.json")
        try bench.write("{}", to: "Events/show/store.json")
        try bench.write(given, to: "Events/show/store.given.json")
        try bench.write(response, to: "Events/show/store.response.json")
        return bench
    }

    @Test func `functions have the environment of the chosen store`() throws {
        let bench = try bench(expecting: #"{"kind": "dynamodb", "url": "<text>"}"#)
        expectEqual(bench.replay(store: "dynamodb"), 0, "\(bench.text)")
        expectEqual(bench.replay(), 1)
    }

    @Test(arguments: [#"{"anyStore": false}"#, #"{"environment": {"STORE": "file:own"}}"#])
    func `a fixture with its own store is replayed with that store`(given: String) throws {
        let bench = try bench(given: given, expecting: #"{"kind": "file", "url": ""}"#)
        expectEqual(bench.replay(), 0, "\(bench.text)")
        expectEqual(bench.replay(store: "dynamodb"), 0, "\(bench.text)")
    }

    @Test func `each fixture has a table, which is deleted`() throws {
        let requests = Mutex<[(target: String, body: String)]>([])
        let transport = HTTPTransport { request throws(HTTPFailure) in
            let target = request.headers.value("x-amz-target") ?? ""
            let isSigned =
                request.headers.value("authorization")?.contains("/eu-central-1/dynamodb/") == true
            requests.withLock { $0.append((target, String(decoding: request.body, as: UTF8.self))) }
            return HTTPResponse(status: isSigned ? 200 : 400, body: Array("{}".utf8))
        }
        let url = "http://127.0.0.1:9"
        let bench = try bench(expecting: #"{"kind": "dynamodb", "url": "\#(url)"}"#)
        expectEqual(bench.replay(store: url, transport: transport), 0, "\(bench.text)")
        let (created, deleted) = requests.withLock { ($0.first, $0.last) }
        expectEqual(created?.target, "DynamoDB_20120810.CreateTable")
        expectEqual(deleted?.target, "DynamoDB_20120810.DeleteTable")
        expectEqual(requests.withLock { $0.count }, 2)
        expectEqual(deleted?.body.contains("replay_"), true)
    }

    @Test func `each fixture has a table in PostgreSQL, which is deleted`() throws {
        let server = try PostgreSQLServer()
        let bench = try bench(expecting: #"{"kind": "postgres", "url": "<text>"}"#)
        expectEqual(bench.replay(store: server.url), 0, "\(bench.text)")
        try expectEqual(
            server.run("SELECT count(*) FROM pg_tables WHERE tablename ~ 'replay'"), "0\n")
        expectEqual(bench.replay(), 1)
    }

    @Test func `an unusable PostgreSQL is reported`() throws {
        let bench = try bench(expecting: "{}")
        expectEqual(bench.replay(store: "postgres://latchkey@/none?host=/nonexistent"), 2)
        #expect(bench.noted.contains { $0.contains("/nonexistent/none: no server listens there") })
        expectEqual(bench.replay(store: "postgres://latchkey@localhost"), 2)
        #expect(bench.noted.contains { $0.contains("not a PostgreSQL URL") }, "\(bench.noted)")
    }

    @Test func `a fixture without a table fails`() throws {
        let bench = try bench(expecting: "{}")
        expectEqual(bench.replay(store: "http://127.0.0.1:9"), 1)
        #expect(bench.text.contains("CreateTable failed at http://127.0.0.1:9"))
    }

    /// OtherStoreReplayTests check the contents with the real functions.
    @Test func `the functions' permissions are written if they are known`() throws {
        let bench = try bench(expecting: #"{"kind": "dynamodb", "url": "<text>"}"#)
        let file = bench.folder.file("made/used")
        expectEqual(bench.replay(store: "dynamodb", permissions: file), 0, "\(bench.text)")
        #expect(try bench.read("made/used").isEmpty)
        for store in [nil, "http://127.0.0.1:9"] {
            expectEqual(bench.replay(store: store, permissions: file), 2)
            expectEqual(bench.noted.last?.contains("--permissions needs --store dynamodb"), true)
        }
        expectEqual(bench.replay(store: "dynamodb", permissions: "/proc/none/used"), 2)
        expectEqual(bench.noted.last?.contains("/proc/none"), true, "\(bench.noted)")
    }

    @Test(arguments: [
        ("dynamodb", "{}", "settings.json has no environment for stores.dynamodb"),
        (
            "sqlite", settings,
            "--store must be dynamodb, the URL of a DynamoDB or the URL of a PostgreSQL"
        ),
    ])
    func `a store that cannot be used is a usage error`(
        store: String, settings: String, problem: String
    ) throws {
        let bench = try bench(expecting: "{}", settings: settings)
        expectEqual(bench.replay(store: store), 2)
        #expect(bench.noted.contains { $0.contains(problem) }, "\(bench.noted)")
    }
}
