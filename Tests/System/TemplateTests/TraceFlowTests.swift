import BaseTestSupport
import HTTPClient

/// A sign-in as the emulator recorded it: one trace from the route to the function's calls.
@Suite("Traces of flows", .serialized, .hangLimit)
struct TraceFlowTests {
    /// An invocation is recorded just after its caller received the response.
    private func calls(of title: String, in deployed: DeployedTemplate) throws -> [JSON] {
        let traces = try deployed.ask(.get, "/_emulator/traces").body["traces"]?.arrayValue ?? []
        let found = traces.first { $0["title"] == .string(title) }
        let id = try #require(found?["id"]?.stringValue)
        for _ in 0..<1000 {
            let answer = try deployed.ask(.get, "/_emulator/traces/\(id)")
            let calls = answer.body["calls"]?.arrayValue ?? []
            if calls.contains(where: { $0["service"] == "function" }) { return calls }
        }
        return []
    }

    @Test func `a sign-in is one trace, to the store and the provider`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        let session = try deployed.signIn("apple")
        expectEqual(session.status, 200)
        let calls = try calls(of: "POST /auth/signin", in: deployed)
        let services = calls.map { $0["service"]?.stringValue ?? "" }
        expectEqual(services.prefix(2), ["route", "function"])
        #expect(services.contains("dynamodb") && services.contains("provider"))
        expectEqual(Set(calls.map { $0["traceId"]?.stringValue }).count, 1)
        expectEqual(calls.map { $0["depth"] }.prefix(2), [0, 1])
        #expect(calls.dropFirst(2).allSatisfy { $0["depth"] == 2 })
        #expect(calls.allSatisfy { $0["verdict"] == "ok" })
        let keys = calls.first { $0["service"] == "provider" }
        #expect(keys?["operation"] == "keys" && keys?["resource"] == "apple")
    }

    private func send(
        _ method: HTTPRequest.Method, _ url: String, _ form: String = ""
    ) throws -> HTTPResponse {
        let request = HTTPRequest(
            method, url,
            headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(form.utf8),
            limits: HTTPLimits(
                connectMillisecondsMax: 20_000, totalMillisecondsMax: 60_000,
                responseBytesMax: 1 << 20))
        return try CurlTransport(trust: CertificateTrust { _ in nil }).transport.send(request)
    }

    @Test func `a refusal has its reason, and no token`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        let token = try deployed.mint("apple")
        let body: JSON = ["provider": "apple", "idToken": token]
        try expectEqual(deployed.ask(.post, "/auth/signin", body).status, 200)
        try expectEqual(deployed.ask(.post, "/auth/signin", body).status, 401)
        let calls = try calls(of: "POST /auth/signin", in: deployed)
        #expect(calls.first?["outcome"] == "401" && calls.first?["verdict"] == "refused")
        expectEqual(calls.first?["reason"]?.stringValue?.hasPrefix("AUTH_FAILED: "), true)
        let command = EmulatorProcess.command(["trace", "last", "--url", deployed.emulator.appURL])
        let drawn = try ChildProcess.run(command).text
        #expect(drawn.contains("POST /auth/signin"))
        #expect(drawn.contains("logged "), "\(drawn)")
        let all = try deployed.ask(.get, "/_emulator/events").body.text + drawn
        #expect(!all.contains(token.stringValue?.suffix(40) ?? ""))
    }
}
