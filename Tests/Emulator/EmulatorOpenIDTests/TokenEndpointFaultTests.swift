import EmulatorHTTP
import Bytes
import EmulatorOpenID
import EmulatorServer
import HTTP
import JOSE
import JSON
import Testing
import Time

@Suite struct TokenEndpointFaultTests {
    @Test(arguments: [
        ("token-500", 500, "server_error"), ("token-429", 429, "rate_limit_exceeded"),
        ("code-reused", 400, "invalid_grant"), ("code-from-another-client", 400, "invalid_grant"),
        ("pkce-mismatch", 400, "invalid_grant"),
    ])
    func `the token endpoint can fail once, and the code stays valid`(
        fault: String, status: Int, error: String
    ) throws {
        let stage = try IdentityServiceHarness()
        let code = try stage.code(.acme)
        _ = try stage.put("/_idp/acme/faults", json: ["name": .string(fault), "count": 1])
        let answer = try stage.redeem(.acme, code)
        #expect(answer.status == status)
        #expect(answer.error == error)
        if status == 429 { #expect(answer.header("retry-after") == "30") }
        #expect(try stage.redeem(.acme, code).status == 200)
    }

    @Test func `the token endpoint can respond with a page`() throws {
        let stage = try IdentityServiceHarness()
        _ = try stage.put("/_idp/acme/faults", json: ["name": "token-html", "count": 1])
        let answer = try stage.redeem(.acme, try stage.code(.acme))
        #expect(answer.status == 200)
        #expect(answer.header("content-type")?.hasPrefix("text/html") == true)
    }

    @Test func `a timeout of the token endpoint uses the code`() throws {
        let stage = try IdentityServiceHarness()
        let code = try stage.code(.google)
        _ = try stage.put("/_idp/google/faults", json: ["name": "token-timeout", "count": 1])
        let box = IdentityServiceHarness.ResponseBox()
        let form = [
            ("grant_type", "authorization_code"), ("code", code),
            ("client_id", IdentityServiceHarness.googleClient),
            ("redirect_uri", ClientApp.callback), ("code_verifier", ClientApp.verifier),
        ]
        stage.service.handle(
            ServerRequest(
                method: "POST", target: "/_idp/google/token",
                headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(PercentEncoding.form(form).utf8))
        ) { box.set($0) }
        stage.world.advance(.seconds(29))
        #expect(box.count == 0)
        stage.world.advance(.seconds(1))
        #expect(box.value?.status == 200)
        #expect(try stage.redeem(.google, code).error == "invalid_grant")
    }

    @Test func `ID tokens of the token endpoint can have faults`() throws {
        let stage = try IdentityServiceHarness()
        _ = try stage.put(
            "/_idp/acme/faults",
            json: [
                ["name": "missing-email", "count": 1],
                ["name": "id-token-of-another-person", "count": 1],
            ])
        let first = try stage.redeem(.acme, try stage.code(.acme)).json
        let token = try stage.verify(
            try #require(first["id_token"]?.stringValue), "acme", "acme-client")
        #expect(token.claims["name"] == "Mallory")
        #expect(token.claims["email"] == nil)
        _ = try stage.put("/_idp/acme/faults", json: ["name": "id-token-missing", "count": 1])
        #expect(try stage.redeem(.acme, try stage.code(.acme)).json["id_token"] == nil)
        let last = try stage.redeem(.acme, try stage.code(.acme)).json
        #expect(
            try stage.verify(try #require(last["id_token"]?.stringValue), "acme", "acme-client")
                .claims["email"] == "ada@example.com")
        #expect(try stage.get("/_idp/acme/faults").json["on"] == [])
    }
}
