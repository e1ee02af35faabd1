import BaseTestSupport
import Foundation

/// `/_emulator/traces`, `events` and `invocations`, and their commands.
@Suite("Traces of requests", .serialized, .hangLimit)
struct TraceTests {
    private let emulator: EmulatorProcess
    private let caller: EmulatorClient

    init() throws {
        let project = try EmulatorProject([:], ["--quiet"])
        try project.write([
            "f": try ScriptedFunction.function(project, "f"),
            "Items": JSONObject.table("items"), "B": JSONObject.bucket("bucket"),
        ])
        emulator = try project.start()
        caller = EmulatorClient(emulator)
    }

    private static let root = "1-67a5f0e1-0123456789abcdef01234567"
    private static let traced = [
        ("Content-Type", "application/json"), ("X-Amzn-Trace-Id", "Root=\(root);Sampled=1"),
    ]
    private static let reply = #"{"do":"reply","reply":"{\"statusCode\":201,\"body\":\"fine\"}"}"#

    private func run(_ words: [String]) throws -> (end: ProcessResult.End, text: String) {
        let result = try ChildProcess.run(
            EmulatorProcess.command(words + ["--url", emulator.appURL]))
        return (result.end, result.text + result.errorText)
    }

    private func calls(_ id: String) throws -> [JSON] {
        try caller.app(.get, "/_emulator/traces/\(id)").json?["calls"]?.arrayValue ?? []
    }

    /// An invocation is recorded shortly after its caller gets the response.
    private func calls(_ id: String, count: Int) throws -> [JSON] {
        var found: [JSON] = []
        _ = try eventually {
            found = try calls(id)
            return found.count >= count
        }
        return found
    }

    @Test func `calls to services are in the trace that their header names`() throws {
        let put: JSON = [
            "TableName": "items", "Item": ["pk": ["S": "a"], "sk": ["S": "s"]],
            "ConditionExpression": "attribute_exists(pk)",
        ]
        let answer = try caller.aws(
            .post, "/", put.serialized,
            headers: Self.traced + [("X-Amz-Target", "DynamoDB_20120810.PutItem")])
        expectEqual(answer.status, 400)
        _ = try caller.aws(.get, "/bucket/none", headers: Self.traced)
        let calls = try calls(Self.root)
        expectEqual(
            calls.map { $0["title"] }, ["dynamodb PutItem items", "s3 GetObject bucket/none"])
        expectEqual(calls.map { $0["verdict"] }, ["refused", "refused"])
        expectEqual(
            calls.first?["reason"],
            "ConditionalCheckFailedException: The conditional request failed")
        expectEqual(calls.last?["reason"]?.stringValue?.contains("Access"), true)
    }

    @Test func `a call shows the fault that affected it`() throws {
        let faults: [(String, String, String)] = [
            (#"{"service":"function","function":"f"}"#, "throttle", "429"),
            (#"{"service":"route","path":"/f"}"#, "reset", "reset"),
        ]
        for (match, effect, outcome) in faults {
            let fault = #"{"match":\#(match),"effect":"\#(effect)","count":1}"#
            let added = try caller.app(.post, "/_emulator/faults", fault).json
            let id = try #require(added?["faults"]?.arrayValue?.last?["id"])
            _ = try? caller.app(.post, "/f", Self.reply, headers: Self.traced)
            let all = try calls(Self.root, count: effect == "throttle" ? 2 : 3)
            let disturbed = try #require(all.filter { $0["faults"] == [id] }.first)
            expectEqual(disturbed["verdict"], effect == "throttle" ? "refused" : "failed")
            #expect(all.contains { $0["service"] == "route" && $0["outcome"] == .string(outcome) })
        }
    }

    @Test func `a failed function has the reason`() throws {
        let event = #"{"do":"exit","status":7}"#
        _ = try caller.app(.post, "/f", event, headers: Self.traced)
        let calls = try calls(Self.root, count: 2)
        expectEqual(calls.first?["verdict"], "failed")
        expectEqual(calls.last?["outcome"], "error")
        expectEqual(calls.last?["reason"]?.stringValue?.isEmpty, false)
        let drawn = try run(["trace", String(Self.root.suffix(6))])
        expectEqual(drawn.end, .exit(0))
        #expect(drawn.text.contains("POST /f"))
        #expect(drawn.text.contains(calls.last?["reason"]?.stringValue ?? "?"))
        #expect(drawn.text.contains("█"))
    }

    @Test func `the reason of a JWT authorizer is in the trace`() throws {
        let project = try EmulatorProject([:], ["--quiet"])
        let tokens: JSON = [
            "JwtConfiguration": ["issuer": "https://auth.example.com", "audience": ["app"]],
            "IdentitySource": "$request.header.Authorization",
        ]
        let auth: JSON = ["DefaultAuthorizer": "Tokens", "Authorizers": ["Tokens": tokens]]
        let place: JSON = ["Method": "GET", "Path": "/me", "ApiId": ["Ref": "Api"]]
        let route: JSON = ["Type": "HttpApi", "Properties": place]
        try project.write([
            "Api": ["Type": "AWS::Serverless::HttpApi", "Properties": ["Auth": auth]],
            "f": JSONObject.function("/bin/false", events: ["Me": route]),
        ])
        let emulator = try project.start()
        let caller = EmulatorClient(emulator)
        let sent = Self.traced + [("Authorization", "Bearer x")]
        try expectEqual(caller.app(.get, "/me", headers: sent).status, 401)
        let trace = try caller.app(.get, "/_emulator/traces/\(Self.root)").json
        let reason = trace?["calls"]?.arrayValue?.first?["reason"]?.stringValue
        #expect(reason?.contains("invalid_token") == true, "\(reason ?? "none")")
    }

    @Test func `the query of a request is not kept, and its text cannot control the terminal`()
        throws
    {
        _ = try caller.app(.post, "/f?code=secret-code", Self.reply, headers: Self.traced)
        _ = try caller.app(.get, "/%1B[2J\u{9B}x", headers: Self.traced)
        let text = try caller.app(.get, "/_emulator/traces/\(Self.root)").text
        #expect(text.contains("POST /f"))
        #expect(!text.contains("secret-code"))
        let events = try run(["events"]).text + run(["trace"]).text + run(["trace", "last"]).text
        #expect(!events.contains("secret-code"))
        #expect(!events.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B })
    }

    @Test func `invocations are paged, with and without bodies`() throws {
        for _ in 0..<5 { _ = try caller.invoke("f", Self.reply) }
        func list(_ query: String) throws -> JSON {
            try caller.app(.get, "/_emulator/invocations\(query)").json ?? .null
        }
        func numbers(_ list: JSON) -> [Int64] {
            (list["invocations"]?.arrayValue ?? []).compactMap { $0["number"]?.int64Value }
        }
        #expect(try eventually { try list("")["total"] == 5 })
        try expectEqual(numbers(list("")), [5, 4, 3, 2, 1])
        try expectEqual(numbers(list("?limit=2")), [5, 4])
        let page = try list("?after=2&limit=2&bodies=0")
        #expect(numbers(page) == [3, 4] && page["last"] == 4)
        expectEqual(page["invocations"]?.arrayValue?.first?["event"], nil)
        #expect(try list("?after=2")["invocations"]?.arrayValue?.first?["event"] != nil)
        // A number from an earlier emulator.
        try expectEqual(numbers(list("?after=900")), [1, 2, 3, 4, 5])
        let listed = try run(["invocations", "--limit", "2"])
        #expect(listed.text.split(separator: "\n").count == 3 && listed.text.contains("answered"))
        try expectEqual(run(["invocations", "other"]).text, "no invocations\n")
        for query in ["?limit=0", "?limit=x", "?after=-1", "?bodies=2"] {
            try expectEqual(caller.app(.get, "/_emulator/invocations\(query)").status, 400)
        }
    }

    @Test func `log lines have a time and the invocation that wrote them`() throws {
        let event = #"{"do":"log"}"#
        _ = try caller.invoke("f", event)
        _ = try caller.invoke("f", event)
        var lines: [JSON] = []
        _ = try eventually {
            let answer = try caller.app(.get, "/_emulator/logs").json
            lines = answer?["lines"]?.arrayValue ?? []
            return lines.count { $0["text"]?.stringValue?.hasPrefix("REPORT") == true } == 2
        }
        let said = lines.filter { $0["text"]?.stringValue?.hasSuffix(" said") == true }
        let ids = try caller.app(.get, "/_emulator/invocations?after=0").json?["invocations"]?
            .arrayValue?.map { $0["requestId"] }
        expectEqual(said.map { $0["requestId"] }, ids)
        #expect(lines.allSatisfy { $0["at"]?.stringValue?.hasPrefix("20") == true })
        for id in ids ?? [] {
            expectEqual(lines.count { $0["requestId"] == id }, 4)
        }
    }

    // MARK: Events

    /// The lines of an event stream with these request headers.
    private func follow(
        _ headers: String = "", path: String = "/_emulator/events"
    ) throws -> LoopbackClient {
        let port = try #require(UInt16(emulator.appURL.split(separator: ":").last ?? ""))
        let client = try LoopbackClient(port: port)
        client.send(
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                + "Accept: text/event-stream\r\n\(headers)\r\n")
        let answer = try #require(client.answer())
        #expect(answer.status == 200 && answer.header("content-type") == "text/event-stream")
        return client
    }

    /// The value of the next line with that field.
    private func next(_ field: String, _ client: LoopbackClient) -> String {
        while true {
            let line = client.readLine()
            if line.hasPrefix("\(field): ") || line.isEmpty {
                return line.dropFirst(field.count + 2).trimmingCharacters(in: .newlines)
            }
        }
    }

    @Test func `events arrive as they happen, and are resumed by their number`() throws {
        let client = try follow()
        _ = try caller.app(.post, "/f", Self.reply, headers: Self.traced)
        var types: [String] = []
        var titles: [String] = []
        var first = ""
        while !titles.contains("route") {
            let id = next("id", client)
            if first.isEmpty { first = id }
            types.append(next("event", client))
            let data = try JSON.parse(Array(next("data", client).utf8), limits: .event)
            expectEqual(data["number"]?.int64Value.map { "\($0)" }, id)
            if let service = data["service"]?.stringValue { titles.append(service) }
        }
        expectEqual(Set(types), ["call", "log"])
        // Sent by the browser itself when it reconnects.
        let resumed = try follow("Last-Event-ID: \(first)\r\n")
        expectEqual(next("id", resumed), "\((Int(first) ?? 0) + 1)")
        let again = try follow(path: "/_emulator/events?after=0")
        expectEqual(next("id", again), "1")
    }

    @Test func `the number of followers is limited, and disconnected ones are replaced`() throws {
        var clients = try (0..<64).map { _ in try follow() }
        let port = try #require(UInt16(emulator.appURL.split(separator: ":").last ?? ""))
        let request =
            "GET /_emulator/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            + "Accept: text/event-stream\r\n\r\n"
        let refused = try LoopbackClient(port: port)
        refused.send(request)
        expectEqual(refused.answer()?.status, 503)
        clients.removeFirst().hangUp()
        #expect(
            try eventually {
                let client = try LoopbackClient(port: port)
                client.send(request)
                return client.answer()?.status == 200
            })
        // The emulator stops even if there are followers.
        emulator.process.kill(SIGTERM)
        expectEqual(emulator.process.wait().end, .exit(0))
    }
}
