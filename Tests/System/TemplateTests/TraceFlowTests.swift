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
        let session = try deployed.ask(
            .post, "/auth/signin", ["provider": "apple", "idToken": try deployed.mint("apple")])
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

    @Test func `the steps of browser, provider and app with the same tokens are linked`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB)
        let nonce = try deployed.ask(.post, "/auth/challenge", [:]).text("nonce")
        let client = "client.apps.googleusercontent.com"
        let callback = "http://127.0.0.1:3000/callback"
        let visited = try send(
            .get,
            deployed.emulator.appURL + "/_idp/google/o/oauth2/v2/auth?client_id=\(client)"
                + "&redirect_uri=\(callback)&response_type=code&scope=openid%20email"
                + "&nonce=\(nonce)&latchkey_account=ada@example.com")
        let location = try #require(visited.header("location"))
        let code = try #require(
            location.split(separator: "code=").last?.split(separator: "&").first)
        let exchanged = try send(
            .post, deployed.emulator.appURL + "/_idp/google/token",
            "grant_type=authorization_code&code=\(code)&client_id=\(client)&client_secret=x"
                + "&redirect_uri=\(callback)")
        let tokens = try JSON.parse(exchanged.body, limits: .event)
        let session = try deployed.ask(
            .post, "/auth/signin",
            [
                "provider": "google", "idToken": try #require(tokens["id_token"]),
                "nonce": .string(nonce),
            ])
        expectEqual(session.status, 200, "\(session.body.text)")
        _ = try deployed.ask(.get, "/auth/me", bearer: try session.text("accessToken"))
        _ = try deployed.ask(
            .post, "/auth/refresh", ["refreshToken": .string(try session.text("refreshToken"))])

        let traces = try deployed.ask(.get, "/_emulator/traces").body["traces"]?.arrayValue
        let id = try #require(
            traces?.first { $0["title"] == "POST /auth/signin" }?["id"]?.stringValue)
        let linked = try deployed.ask(.get, "/_emulator/traces/\(id)").body["linked"]?.arrayValue
        expectEqual(
            linked?.map { $0["title"] },
            [
                "POST /auth/challenge", "provider authorize google", "provider token google",
                "GET /auth/me", "POST /auth/refresh",
            ])
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
