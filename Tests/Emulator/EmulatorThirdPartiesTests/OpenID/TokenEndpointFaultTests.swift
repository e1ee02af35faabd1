import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct TokenEndpointFaultTests {
    @Test(arguments: [
        ("token-500", 500, "server_error"), ("token-429", 429, "rate_limit_exceeded"),
        ("code-reused", 400, "invalid_grant"), ("code-from-another-client", 400, "invalid_grant"),
        ("pkce-mismatch", 400, "invalid_grant"),
    ])
    func `the token endpoint can fail once, and the code remains valid`(
        fault: String, status: Int, error: String
    ) throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(.acme)
        _ = try harness.put("/_idp/acme/faults", json: ["name": .string(fault), "count": 1])
        let answer = try harness.redeem(.acme, code)
        expectEqual(answer.status, status)
        expectEqual(answer.error, error)
        if status == 429 { expectEqual(answer.header("retry-after"), "30") }
        try expectEqual(harness.redeem(.acme, code).status, 200)
    }

    @Test func `the token endpoint can respond with an HTML page`() throws {
        let harness = try IdentityServiceHarness()
        _ = try harness.put("/_idp/acme/faults", json: ["name": "token-html", "count": 1])
        let answer = try harness.redeem(.acme, try harness.code(.acme))
        expectEqual(answer.status, 200)
        expectEqual(answer.header("content-type")?.hasPrefix("text/html"), true)
    }

    @Test func `a request to the token endpoint that times out uses up the code`() throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(.google)
        _ = try harness.put("/_idp/google/faults", json: ["name": "token-timeout", "count": 1])
        let box = IdentityServiceHarness.ResponseBox()
        let form = [
            ("grant_type", "authorization_code"), ("code", code),
            ("client_id", IdentityServiceHarness.googleClient),
            ("redirect_uri", ClientApp.callback), ("code_verifier", ClientApp.verifier),
        ]
        harness.service.handle(
            ServerRequest(
                method: "POST", target: "/_idp/google/token",
                headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(PercentEncoding.form(form).utf8))
        ) { box.set($0) }
        harness.environment.advance(.seconds(29))
        expectEqual(box.count, 0)
        harness.environment.advance(.seconds(1))
        expectEqual(box.value?.status, 200)
        try expectEqual(harness.redeem(.google, code).error, "invalid_grant")
    }

    @Test func `ID tokens of the token endpoint can have faults`() throws {
        let harness = try IdentityServiceHarness()
        _ = try harness.put(
            "/_idp/acme/faults",
            json: [
                ["name": "missing-email", "count": 1],
                ["name": "id-token-of-another-person", "count": 1],
            ])
        let first = try harness.redeem(.acme, try harness.code(.acme)).json
        let token = try harness.verify(
            try #require(first["id_token"]?.stringValue), "acme", "acme-client")
        expectEqual(token.claims["name"], "Mallory")
        expectEqual(token.claims["email"], nil)
        _ = try harness.put("/_idp/acme/faults", json: ["name": "id-token-missing", "count": 1])
        try expectEqual(harness.redeem(.acme, try harness.code(.acme)).json["id_token"], nil)
        let last = try harness.redeem(.acme, try harness.code(.acme)).json
        try expectEqual(
            harness.verify(try #require(last["id_token"]?.stringValue), "acme", "acme-client")
                .claims["email"], "ada@example.com")
        try expectEqual(harness.get("/_idp/acme/faults").json["on"], [])
    }
}
