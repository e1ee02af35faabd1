import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct TokenTests {
    @Test func `Apple exchanges a code for tokens`() throws {
        let harness = try IdentityServiceHarness()
        let answer = try harness.redeem(.apple, try harness.code(.apple))
        expectEqual(answer.status, 200, "\(answer.text)")
        expectEqual(answer.header("cache-control"), "no-store")
        let body = answer.json
        let access = try #require(body["access_token"]?.stringValue)
        expectEqual(body["token_type"], "Bearer")
        expectEqual(body["expires_in"], 3600)
        expectEqual(body["refresh_token"]?.stringValue?.hasPrefix("r"), true)
        expectEqual(body["scope"], nil)
        let token = try harness.verify(
            try #require(body["id_token"]?.stringValue), "apple", IdentityServiceHarness.appleClient
        )
        expectEqual(token.claims["nonce"], "n-1")
        expectEqual(token.claims["email"], "ada@example.com")
        expectEqual(
            token.claims["at_hash"], .string(Base64URL.encode(SHA256.hash(utf8: access).prefix(16)))
        )
    }

    @Test func `Google issues a refresh token at the first consent, or on request`() throws {
        let harness = try IdentityServiceHarness()
        let offline = ClientApp.google.with(("access_type", "offline"))
        func hasRefresh(_ app: ClientApp) throws -> Bool {
            let answer = try harness.redeem(app, try harness.code(app))
            expectEqual(answer.status, 200, "\(answer.text)")
            return answer.json["refresh_token"] != nil
        }
        #expect(try !hasRefresh(.google))
        #expect(try hasRefresh(offline))
        #expect(try !hasRefresh(offline))
        #expect(try hasRefresh(offline.with(("prompt", "consent"))))
        #expect(try !hasRefresh(.google.with(("prompt", "consent"))))
    }

    @Test func `the response has Google's format`() throws {
        let harness = try IdentityServiceHarness()
        let body = try harness.redeem(.google, try harness.code(.google)).json
        expectEqual(body["expires_in"], 3599)
        expectEqual(
            body["scope"]?.stringValue?.hasPrefix("openid https://www.googleapis.com/"), true)
        let token = try harness.verify(
            try #require(body["id_token"]?.stringValue), "google",
            IdentityServiceHarness.googleClient)
        expectEqual(token.claims["azp"], .string(IdentityServiceHarness.googleClient))
        expectEqual(token.claims["name"], "Ada Lovelace")
    }

    @Test func `one of two concurrent requests redeems a code`() async throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(.acme)
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 { group.addTask { try? harness.redeem(.acme, code).status } }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        expectEqual(statuses.count { $0 == 200 }, 1)
        expectEqual(statuses.count { $0 == 400 }, 7)
    }

    @Test(arguments: [
        (ClientApp.apple, "The code has already been used."),
        (.acme, "The code has already been used."),
        (.google, "Bad Request"),
    ])
    func `a used code is refused with the provider's message`(
        app: ClientApp, words: String
    ) throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(app)
        try expectEqual(harness.redeem(app, code).status, 200)
        let again = try harness.redeem(app, code)
        expectEqual(again.status, 400)
        expectEqual(again.error, "invalid_grant")
        expectEqual(again.errorDescription, words)
    }

    @Test func `a code expires after five minutes`() throws {
        let harness = try IdentityServiceHarness()
        let (early, late) = (try harness.code(.acme), try harness.code(.acme))
        harness.environment.advance(.milliseconds(5 * 60_000 - 1))
        try expectEqual(harness.redeem(.acme, early).status, 200)
        harness.environment.advance(.milliseconds(1))
        let answer = try harness.redeem(.acme, late)
        expectEqual(answer.error, "invalid_grant")
        expectEqual(answer.errorDescription, "The code has expired or has been revoked.")
    }

    @Test func `Apple refuses a code of another client`() throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(.apple)
        let uri = try harness.redeem(
            .apple, code, [("redirect_uri", "http://127.0.0.1:3000/other")])
        expectEqual(uri.error, "invalid_grant")
        expectEqual(
            uri.errorDescription,
            "redirect_uri mismatch. The code was not issued to http://127.0.0.1:3000/other.")
        let other = "com.example.other"
        let secret = try AppleDeveloper().secret([("sub", .string(other))])
        let client = try harness.redeem(
            .apple, code, [("client_id", other), ("client_secret", secret)])
        expectEqual(client.error, "invalid_grant")
        expectEqual(
            client.errorDescription,
            "client_id mismatch. The code was not issued to com.example.other.")
        // The code was not used by either.
        try expectEqual(harness.redeem(.apple, code).status, 200)
    }

    @Test(
        arguments: [
            (
                [("redirect_uri", "http://127.0.0.1:3000/Callback")], "redirect_uri_mismatch",
                "Bad Request"
            ),
            (
                [("redirect_uri", nil)], "invalid_request",
                "Missing required parameter: redirect_uri"
            ),
            ([("client_id", "another")], "invalid_grant", "Bad Request"),
            ([("code", "4/0nonsense")], "invalid_grant", "Bad Request"),
            ([("code", nil)], "invalid_request", "Missing required parameter: code"),
            ([("code", "a\u{0}b")], "invalid_grant", "Bad Request"),
            ([("code_verifier", nil)], "invalid_grant", "Missing code verifier."),
            (
                [("code_verifier", ClientApp.verifier + "x")], "invalid_grant",
                "Invalid code verifier."
            ),
            ([("code_verifier", ClientApp.challenge)], "invalid_grant", "Invalid code verifier."),
            ([("code_verifier", "short")], "invalid_grant", "Invalid code verifier."),
            ([("grant_type", nil)], "invalid_request", "Missing required parameter: grant_type"),
            (
                [("grant_type", "password")], "unsupported_grant_type",
                "Invalid grant_type: password"
            ),
            (
                [("client_id", nil)], "invalid_request",
                "Could not determine client ID from request."
            ),
        ] as [([(String, String?)], String, String)])
    func `Google refuses a code if its parameters differ from the authorization's`(
        changes: [(String, String?)], error: String, words: String
    ) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let code = try harness.code(.google)
        let answer = try harness.redeem(.google, code, changes)
        expectEqual(answer.status, 400)
        expectEqual(answer.error, error)
        expectEqual(answer.errorDescription, words)
        try expectEqual(harness.redeem(.google, code).status, 200)
    }

    @Test func `a verifier is refused if the request had no challenge`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let app = ClientApp.google.with(("code_challenge", nil), ("code_challenge_method", nil))
        let code = try harness.code(app)
        let answer = try harness.redeem(app, code)
        expectEqual(answer.error, "invalid_grant")
        expectEqual(answer.errorDescription, "code_verifier or verifier is not needed")
        try expectEqual(harness.redeem(app, code, [("code_verifier", nil)]).status, 200)
    }

    @Test(
        arguments: [
            (
                [],
                [("Authorization", "Basic " + Base64.encode("acme-client:s3cret%2F%2B+%3F".utf8))],
                200
            ),
            (
                [],
                [
                    (
                        "Authorization",
                        "basic " + Base64.encode("acme-client:s3cret%2F%2B%20%3F".utf8)
                    )
                ], 200
            ),
            ([], [("Authorization", "Basic " + Base64.encode("acme-client:s3cret/+ ?".utf8))], 200),
            ([("client_secret", "s3cret/+ ?")], [], 200),
            ([], [], 400),
            ([("client_secret", "s3cret/+ ??")], [], 401),
            ([], [("Authorization", "Basic " + Base64.encode("acme-client:wrong".utf8))], 401),
            ([], [("Authorization", "Basic " + Base64.encode("other:s3cret%2F%2B+%3F".utf8))], 401),
            ([], [("Authorization", "Basic " + Base64.encode("acme-client".utf8))], 401),
            ([], [("Authorization", "Basic ***")], 401),
            ([], [("Authorization", "Bearer x")], 401),
            (
                [("client_secret", "s3cret/+ ?")],
                [("Authorization", "Basic " + Base64.encode("acme-client:s3cret%2F%2B+%3F".utf8))],
                401
            ),
        ] as [([(String, String)], [(String, String)], Int)])
    func `a client with a secret must authenticate, in one of two ways`(
        fields: [(String, String)], headers: [(String, String)], status: Int
    ) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.redeem(
            .acme, try harness.code(.acme), [("client_secret", nil)] + fields.map { ($0.0, $0.1) },
            headers: headers)
        expectEqual(answer.status, status)
        if status == 401 {
            expectEqual(answer.error, "invalid_client")
            expectEqual(answer.header("www-authenticate") != nil, !headers.isEmpty)
        }
    }

    @Test(arguments: [
        "", "application/json", "text/plain", "multipart/form-data; boundary=x",
    ])
    func `a body that is not a form is refused`(type: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call(
            "POST", "/_idp/google/token", headers: [("Content-Type", type)],
            body: "grant_type=authorization_code")
        expectEqual(answer.status, 400)
        expectEqual(answer.error, "invalid_request")
    }

    @Test(arguments: [
        "code=1&code=2&client_id=a&grant_type=authorization_code", "a=%zz", "a=%ff",
        String(repeating: "a&", count: 65), "code=" + String(repeating: "x", count: 8193),
    ])
    func `an ambiguous form is refused`(body: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call(
            "POST", "/_idp/google/token",
            headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
            body: body)
        expectEqual(answer.status, 400)
        expectEqual(answer.error, "invalid_request")
    }

    @Test func `a refresh token can be used repeatedly`() throws {
        let harness = try IdentityServiceHarness()
        for app in [ClientApp.apple, .google.with(("access_type", "offline")), .acme] {
            let first = try harness.redeem(app, try harness.code(app)).json
            let token = try #require(first["refresh_token"]?.stringValue)
            harness.environment.advance(.days(2))
            for _ in 0..<2 {
                let answer = try harness.refresh(app, token)
                expectEqual(answer.status, 200, "\(answer.text)")
                expectEqual(answer.json["refresh_token"], nil)
                #expect(answer.json["access_token"] != first["access_token"])
                let idToken = try harness.verify(
                    try #require(answer.json["id_token"]?.stringValue), app.provider, app.client)
                expectEqual(idToken.claims["nonce"], nil)
            }
        }
    }

    @Test func `a refresh token is bound to its client and is not an access token`() throws {
        let harness = try IdentityServiceHarness()
        let app = ClientApp.google.with(("access_type", "offline"))
        let body = try harness.redeem(app, try harness.code(app)).json
        let refresh = try #require(body["refresh_token"]?.stringValue)
        let access = try #require(body["access_token"]?.stringValue)
        let refused = try harness.refresh(app, refresh, client: "another")
        expectEqual(refused.status, 401)
        expectEqual(refused.error, "unauthorized_client")
        let other = try harness.refresh(app, access)
        expectEqual(other.error, "invalid_grant")
        expectEqual(other.errorDescription, "Bad Request")
        try expectEqual(harness.refresh(app, "nonsense").errorDescription, "Bad Request")
    }

    @Test func `a code issued without a redirect is redeemed without one`() throws {
        let harness = try IdentityServiceHarness()
        let answer = try harness.post("/_idp/apple/mint", json: ["withCode": true, "nonce": "n-2"])
        let code = try #require(answer.json["authorizationCode"]?.stringValue)
        let token = try harness.verify(
            try #require(answer.json["idToken"]?.stringValue), "apple",
            IdentityServiceHarness.appleClient)
        expectEqual(
            token.claims["c_hash"], .string(Base64URL.encode(SHA256.hash(utf8: code).prefix(16))))
        let tokens = try harness.redeem(.apple, code, [("redirect_uri", nil)])
        expectEqual(tokens.status, 200, "\(tokens.text)")
        let other = try harness.verify(
            try #require(tokens.json["id_token"]?.stringValue), "apple",
            IdentityServiceHarness.appleClient)
        expectEqual(other.subject, token.subject)
        expectEqual(other.claims["nonce"], "n-2")
    }
}
