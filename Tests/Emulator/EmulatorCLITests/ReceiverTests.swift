import BaseTestSupport

/// `/_received/<name>`, which stands in for the app's own servers.
@Suite("Received webhooks and notices", .serialized, .hangLimit)
struct ReceiverTests {
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        emulator = try EmulatorProject(["B": JSONObject.bucket("bucket")], ["--quiet"]).start()
        caller = EmulatorClient(emulator)
    }

    private func post(
        _ name: String, _ body: String, _ headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try caller.app(.post, "/_received/\(name)", body, headers: headers)
    }

    private func received(_ query: String) throws -> [JSON] {
        let answer = try caller.app(.get, "/_emulator/received\(query)")
        expectEqual(answer.status, 200, "\(answer.text)")
        return answer.json?["received"]?.arrayValue ?? []
    }

    @Test func `messages are kept with their headers, the newest first`() throws {
        try expectEqual(
            post("shop", "order=7", [("Webhook-Id", "m-1"), ("Cookie", "secret")]).status, 204)
        try expectEqual(post("log", "{}").status, 204)
        let all = try received("")
        expectEqual(all.map { $0["id"] }, ["2", "1"])
        expectEqual(all[1]["body"], "order=7")
        expectEqual(all[1]["headers"]?["webhook-id"], "m-1")
        expectEqual(all[1]["headers"]?["cookie"], nil)
        try expectEqual(received("?name=log").map { $0["id"] }, ["2"])
        try expectEqual(received("?after=1&limit=5").map { $0["id"] }, ["2"])
        let waited = try caller.app(.get, "/_emulator/received/wait?name=shop")
        expectEqual(waited.json?["body"], "order=7")
        let late = try caller.app(
            .get, "/_emulator/received/wait?name=shop&after=1&timeoutSeconds=0")
        expectEqual(late.status, 204)
        try expectEqual(caller.app(.delete, "/_emulator/received").status, 204)
        try expectEqual(received("").count, 0)
    }

    @Test func `other names, methods and sizes are refused`() throws {
        for name in ["", "a/b", "a.b", String(repeating: "a", count: 65)] {
            try expectEqual(post(name, "x").status, 404, "\(name)")
        }
        try expectEqual(post("a", String(repeating: "x", count: 65_537)).status, 413)
        try expectEqual(caller.app(.get, "/_received/a").status, 405)
        for query in ["?limit=0", "?after=x", "/wait?timeoutSeconds=301"] {
            try expectEqual(caller.app(.get, "/_emulator/received\(query)").status, 400)
        }
    }

    @Test func `a fault is in the trace of the sender, and the next request arrives`() throws {
        let fault = """
            {"match": {"service": "receiver", "path": "/_received/shop"}, "effect": "error", \
            "error": "ServiceUnavailable", "count": 1}
            """
        try expectEqual(caller.app(.post, "/_emulator/faults", fault).status, 201)
        try expectEqual(post("log", "x").status, 204)
        let trace = "67a5f0e10123456789abcdef01234567"
        let headers = [("traceparent", "00-\(trace)-b7ad6b7169203331-01")]
        try expectEqual(post("shop", "x", headers).status, 503)
        try expectEqual(post("shop", "y", headers).status, 204)
        try expectEqual(received("?name=shop").map { $0["body"] }, ["y"])
        let id = "1-\(trace.prefix(8))-\(trace.dropFirst(8))"
        let waited = try caller.app(.get, "/_emulator/received/wait?name=shop")
        expectEqual(waited.header("x-amzn-trace-id"), "Root=\(id)")
        let calls = try caller.app(.get, "/_emulator/traces/\(id)").json?["calls"]?.arrayValue
        expectEqual(
            calls?.map { $0["title"] }, ["receiver /_received/shop", "receiver /_received/shop"])
        expectEqual(calls?.map { $0["outcome"] }, ["503", "204"])
    }
}
