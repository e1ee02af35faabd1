import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties

@Suite struct AuthorizeRefusalTests {
    @Test(arguments: [
        (("client_id", "<none>"), 400, "invalid_request"),
        (("redirect_uri", "<none>"), 400, "invalid_request"),
        (("redirect_uri", "/callback"), 400, "invalid_request"),
        (("redirect_uri", "javascript:alert(1)"), 400, "invalid_request"),
        (("redirect_uri", "JavaScript:alert(1)"), 400, "invalid_request"),
        (("redirect_uri", "data:text/html,x"), 400, "invalid_request"),
        (("redirect_uri", "http://a/#b"), 400, "invalid_request"),
        (("redirect_uri", "http://"), 400, "invalid_request"),
        (("redirect_uri", "http://a@b/"), 400, "invalid_request"),
        (("redirect_uri", "http://a/\r\nX: y"), 400, "invalid_request"),
        (("client_id", "a b"), 401, "invalid_client"),
        (("client_id", "a/b"), 401, "invalid_client"),
        (("response_type", "<none>"), 400, "invalid_request"),
        (("response_type", "token"), 400, "unsupported_response_type"),
        (("response_type", "code code"), 400, "unsupported_response_type"),
        (("scope", "<none>"), 400, "invalid_request"),
        (("response_mode", "web_message"), 400, "invalid_request"),
        (("code_challenge_method", "plain"), 400, "invalid_request"),
        (("code_challenge_method", "<none>"), 400, "invalid_request"),
        (("code_challenge", "short"), 400, "invalid_request"),
        (("code_challenge", "<none>"), 400, "invalid_request"),
        (("nonce", String(repeating: "n", count: 513)), 400, "invalid_request"),
    ])
    func `Google shows the error and does not redirect`(
        change: (String, String), status: Int, error: String
    ) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let app = ClientApp.google.with(
            (change.0, change.1), ("latchkey_account", "ada@example.com"))
        let answer = try harness.get(app.target, headers: [("Accept", "application/json")])
        expectEqual(answer.status, status)
        expectEqual(answer.error, error)
        expectEqual(answer.header("location"), nil)
        let page = try harness.get(app.target)
        expectEqual(page.status, status)
        #expect(page.text.contains("<code>\(error)</code>"))
    }

    @Test func `an OpenID provider redirects with the error`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for (app, error) in [
            (ClientApp.acme.with(("scope", "email")), "invalid_scope"),
            (ClientApp.acme.with(("response_type", "token")), "unsupported_response_type"),
            (ClientApp.acme.with(("code_challenge", ClientApp.challenge)), "invalid_request"),
            (ClientApp.acme.with(("response_type", "id_token"), ("nonce", nil)), "invalid_request"),
        ] {
            let arrival = try RedirectResult(harness.page(app))
            expectEqual(arrival["error"], error)
            expectEqual(arrival["state"], "st")
            expectEqual(arrival["error_description"]?.isEmpty, false)
        }
    }

    @Test func `Apple supports two scopes`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.get(
            ClientApp.apple.with(("scope", "profile")).target,
            headers: [("Accept", "application/json")])
        expectEqual(answer.error, "invalid_scope")
    }

    @Test func `a duplicate parameter is refused`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.get(
            ClientApp.google.target + "&nonce=n-2", headers: [("Accept", "application/json")])
        expectEqual(answer.error, "invalid_request")
    }

    @Test func `a registered client can only use its own redirect URIs`() throws {
        let harness = try IdentityServiceHarness(
            IdentityConfiguration(issuers: [
                IssuerDefinition(
                    name: "google", kind: .google,
                    clients: [
                        ClientDefinition(
                            id: IdentityServiceHarness.googleClient,
                            redirectURIs: ["http://127.0.0.1:3000/cb"])
                    ], acceptsUnknownClients: false)
            ]))
        let json = [("Accept", "application/json")]
        for uri in [
            "http://127.0.0.1:3000/cb/", "http://127.0.0.1:3000/CB", "http://127.0.0.1:3000/cb?x",
        ] {
            let answer = try harness.get(
                ClientApp.google.with(("redirect_uri", uri)).target, headers: json)
            expectEqual(answer.error, "redirect_uri_mismatch")
            expectEqual(answer.status, 400)
        }
        let right = ClientApp.google.with(("redirect_uri", "http://127.0.0.1:3000/cb"))
        #expect(try harness.approve(right)["code"] != nil)
        let unknown = try harness.get(
            right.with(("client_id", "nobody")).target, headers: json)
        expectEqual(unknown.status, 401)
        expectEqual(unknown.error, "invalid_client")
    }
}
