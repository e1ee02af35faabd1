import BaseTestSupport
import EmulatorBase
import ProviderTestSupport

/// The trace of a request: in its log lines, and in its calls to other services.
@Suite("Traces, with real processes", .hangLimit)
struct TraceProcessTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "00-\(trace)-b7ad6b7169203331-01"
    private static let amazonRoot = "1-5759e988-bd862e3fe1be46a994272793"

    private func get(_ headers: String, _ server: HTTPProcess) throws {
        let client = try server.client()
        client.send("GET /auth/me HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        _ = try #require(client.answer())
    }

    @Test func `a server continues the trace of its caller, or begins one`() throws {
        // A store that refuses everything.
        let store = try LoopbackServer { _ in .init(status: 400) }
        defer { store.stop() }
        let server = try HTTPProcess(
            "me",
            in: try Deployment(Deployment.dynamoDBSettings(table: "latchkey", url: store.url)))
        let token = "Authorization: Bearer e30.e30.e30\r\n"
        try get(token + "traceparent: \(Self.parent)\r\n", server)
        try get(token + "X-Amzn-Trace-Id: Root=\(Self.amazonRoot)\r\n", server)
        try get(token + "traceparent: \(Self.parent)\r\ntraceparent: \(Self.parent)\r\n", server)
        try get(token + "traceparent: 00-\(Self.trace)-x-01\r\n", server)
        let lines = try server.end().errorLines.map {
            try JSON.parse(Array($0.utf8), limits: .request)
        }
        let answers = lines.filter { $0["operation"] == "me" }.map { $0["traceId"]?.stringValue }
        try #require(answers.count == 4)
        expectEqual(answers[0], Self.trace)
        expectEqual(answers[1], Self.amazonRoot)
        for made in answers[2...] {
            expectEqual(made?.count, 32)
            #expect(made != Self.trace)
        }
        #expect(answers[2] != answers[3])
        // Lines that belong to no request have no trace.
        expectEqual(lines.first?["traceId"], nil)
        expectEqual(lines.last?["traceId"], nil)
    }

    @Test func `the store gets the trace`() throws {
        // A store that refuses everything.
        let store = try LoopbackServer { _ in .init(status: 400) }
        defer { store.stop() }
        let server = try HTTPProcess(
            "challenge",
            in: try Deployment(Deployment.dynamoDBSettings(table: "latchkey", url: store.url)))
        let client = try server.client()
        for header in ["traceparent: \(Self.parent)\r\n", ""] {
            client.send(
                "POST /auth/challenge HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "\(header)Content-Length: 2\r\n\r\n{}")
            _ = try #require(client.answer())
        }
        let headers = store.requests.map { $0.header("x-amzn-trace-id") }
        try #require(headers.count == 2)
        expectEqual(
            headers[0], "Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=b7ad6b7169203331;Sampled=1"
        )
        expectEqual(headers[1]?.hasPrefix("Root=1-"), true)
        #expect(headers[1] != headers[0])
    }

    @Test(arguments: [false, true])
    func `identity providers get the trace only if the setting allows it`(isSet: Bool) throws {
        let authority = try TestAuthority()
        let folder = try TemporaryFolder()
        try folder.write(Array(authority.pem.utf8), to: "authority.pem")
        let provider = try TLSProvider(authority)
        var command = try Deployment([
            ("SSL_CERT_FILE", folder.file("authority.pem")),
            ("TRACE_PROVIDERS", isSet ? "true" : "false"),
        ]).eventless("signin")
        command.environment.removeAll { $0.name.hasPrefix("OIDC_") }
        command.environment += provider.settings
        command.arguments = ["--listen", "127.0.0.1:0"]
        let server = try HTTPProcess(command)
        let client = try server.client()
        let body = try provider.signInBody().text
        client.send(
            "POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "traceparent: \(Self.parent)\r\ntracestate: a=b\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        expectEqual(client.answer()?.status, 200)
        expectEqual(provider.requests.count, 2)
        for request in provider.requests {
            expectEqual(request.headers.value("traceparent"), isSet ? Self.parent : nil)
            expectEqual(request.headers.value("x-amzn-trace-id"), nil)
            expectEqual(request.headers.value("tracestate"), nil)
        }
    }

    @Test func `an event on standard input has no trace`() throws {
        let deployment = try Deployment()
        let answer = try deployment.run("signin", deployment.signInBody(of: "ada"))
        #expect(!answer.errorText.contains("traceId"))
    }

    @Test func `an emulator passes the trace of an event on standard input`() throws {
        let deployment = try Deployment(
            [("_X_AMZN_TRACE_ID", "Root=\(Self.amazonRoot);Parent=53995c3f42cd8ad8;Sampled=0")])
        let answer = try deployment.run("signin", deployment.signInBody(of: "ada"))
        #expect(answer.errorText.contains(#""traceId":"\#(Self.amazonRoot)""#))
    }

    @Test func `in Lambda the trace ID is the invocation's`() throws {
        let lambda = try Lambda(
            "challenge", in: try Deployment(),
            events: [("one", Deployment.event("challenge", [:]).serialized)])
        _ = try lambda.posts(1)
        _ = lambda.process.waits { lambda.process.textSoFar.error.contains("answered") }
        let text = lambda.process.textSoFar.error
        lambda.end()
        #expect(text.contains(#""traceId":"1-67a5f0e1-0123456789abcdef01234567""#), "\(text)")
    }
}
