import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct RevocationTests {
    private func revokeAtApple(
        _ harness: IdentityServiceHarness, _ token: String?, _ changes: [(String, String?)] = []
    ) throws -> ServerResponse {
        var form = [
            ("client_id", IdentityServiceHarness.appleClient),
            ("client_secret", try AppleDeveloper().secret(at: harness.environment.now)),
            ("token_type_hint", "refresh_token"),
        ]
        if let token { form.append(("token", token)) }
        for (name, value) in changes {
            form.removeAll { $0.0 == name }
            if let value { form.append((name, value)) }
        }
        return try harness.post("/_idp/apple/auth/revoke", form: form)
    }

    @Test(arguments: ["access_token", "refresh_token"])
    func `revoking either of Apple's tokens revokes both and the consent`(
        name: String
    ) throws {
        let harness = try IdentityServiceHarness()
        let first = try harness.approve(.apple)
        #expect(first["user"] != nil)
        let tokens = try harness.redeem(.apple, try #require(first["code"])).json
        let answer = try revokeAtApple(harness, tokens[name]?.stringValue)
        expectEqual(answer.status, 200)
        #expect(answer.body.isEmpty)
        let refresh = try harness.refresh(
            .apple, try #require(tokens["refresh_token"]?.stringValue))
        expectEqual(refresh.error, "invalid_grant")
        #expect(try harness.approve(.apple)["user"] != nil)
        try expectEqual(harness.approve(.apple)["user"], nil)
        // The new consent does not reactivate the old token.
        try expectEqual(
            harness.refresh(.apple, try #require(tokens["refresh_token"]?.stringValue)).error,
            "invalid_grant")
    }

    @Test func `Apple responds with 200 for any token, but only to authenticated clients`() throws {
        let harness = try IdentityServiceHarness()
        try expectEqual(revokeAtApple(harness, "nonsense").status, 200)
        try expectEqual(revokeAtApple(harness, nil).error, "invalid_request")
        try expectEqual(
            revokeAtApple(harness, "x", [("client_secret", "y")]).error, "invalid_client")
        let tokens = try harness.redeem(.apple, try harness.code(.apple)).json
        let token = try #require(tokens["refresh_token"]?.stringValue)
        // Another client's token counts as unknown.
        let other = "com.example.other"
        let secret = try AppleDeveloper().secret([("sub", .string(other))])
        let answer = try revokeAtApple(
            harness, token, [("client_id", other), ("client_secret", secret)])
        expectEqual(answer.status, 200)
        try expectEqual(harness.refresh(.apple, token).status, 200)
    }

    @Test func `Google accepts the token in query or form, and reports an unknown one`()
        throws
    {
        let harness = try IdentityServiceHarness()
        let app = ClientApp.google.with(("access_type", "offline"))
        let first = try harness.redeem(app, try harness.code(app)).json
        let token = try #require(first["refresh_token"]?.stringValue)
        let access = try #require(first["access_token"]?.stringValue)
        try expectEqual(harness.get("/_idp/google/tokeninfo?access_token=\(access)").status, 200)
        let answer = try harness.post("/_idp/google/revoke", form: [("token", access)])
        expectEqual(answer.status, 200)
        expectEqual(answer.json, .object([:]))
        let again = try harness.call(
            "POST", "/_idp/google/revoke?token=\(token.replacing("/", with: "%2F"))")
        expectEqual(again.status, 400)
        expectEqual(
            again.json,
            [
                "error": "invalid_token", "error_description": "Token expired or revoked",
            ])
        let refresh = try harness.refresh(app, token)
        expectEqual(refresh.errorDescription, "Token has been expired or revoked.")
        try expectEqual(harness.get("/_idp/google/tokeninfo?access_token=\(access)").status, 400)
        // The next consent counts as the first.
        #expect(try harness.redeem(app, try harness.code(app)).json["refresh_token"] != nil)
    }

    @Test func `a revocation also invalidates earlier codes`() throws {
        let harness = try IdentityServiceHarness()
        let tokens = try harness.redeem(.acme, try harness.code(.acme)).json
        let code = try harness.code(.acme)
        let revoke = try harness.post(
            "/_idp/acme/revoke",
            form: [
                ("client_id", "acme-client"), ("client_secret", "s3cret/+ ?"),
                ("token", try #require(tokens["access_token"]?.stringValue)),
            ])
        expectEqual(revoke.status, 200)
        try expectEqual(harness.redeem(.acme, code).error, "invalid_grant")
    }
}

@Suite struct InfoTests {
    private func access(_ harness: IdentityServiceHarness, _ app: ClientApp) throws -> String {
        let tokens = try harness.redeem(app, try harness.code(app)).json
        return try #require(tokens["access_token"]?.stringValue)
    }

    @Test func `userinfo returns the consented claims`() throws {
        let harness = try IdentityServiceHarness()
        let token = try access(harness, .google)
        let answer = try harness.get(
            "/_idp/google/v1/userinfo", headers: [("Authorization", "Bearer \(token)")])
        expectEqual(answer.status, 200)
        expectEqual(answer.header("access-control-allow-origin"), "*")
        expectEqual(answer.json["email"], "ada@example.com")
        expectEqual(answer.json["name"], "Ada Lovelace")
        expectEqual(answer.json["hd"], "example.com")
        expectEqual(answer.json["iss"], nil)
        let posted = try harness.post("/_idp/google/v1/userinfo", form: [("access_token", token)])
        expectEqual(posted.json, answer.json)

        let less = ClientApp.acme.with(("scope", "openid"))
        let bare = try access(try IdentityServiceHarness(), less)
        expectEqual(bare.isEmpty, false)
        let other = try IdentityServiceHarness()
        let info = try other.get(
            "/_idp/acme/userinfo",
            headers: [("authorization", "bearer \(try access(other, less))")])
        #expect(info.json["sub"] != nil)
        expectEqual(info.json.objectValue?.count, 1)
    }

    @Test func `userinfo and the ID token have the same subject`() throws {
        let harness = try IdentityServiceHarness()
        let tokens = try harness.redeem(.acme, try harness.code(.acme)).json
        let verified = try harness.verify(
            try #require(tokens["id_token"]?.stringValue), "acme", "acme-client")
        let token = try #require(tokens["access_token"]?.stringValue)
        let info = try harness.get(
            "/_idp/acme/userinfo", headers: [("Authorization", "Bearer \(token)")])
        expectEqual(info.json["sub"]?.stringValue, verified.subject)
    }

    @Test(arguments: [nil, "Bearer nonsense", "Bearer ", "Basic eDp5", "Bearer a\u{0}b", "x"])
    func `userinfo requires a valid token`(header: String?) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.get(
            "/_idp/google/v1/userinfo", headers: header.map { [("Authorization", $0)] } ?? [])
        expectEqual(answer.status, 401)
        expectEqual(answer.header("www-authenticate")?.hasPrefix("Bearer"), true)
        expectEqual(answer.header("access-control-allow-origin"), "*")
    }

    @Test func `an access token expires after an hour`() throws {
        let harness = try IdentityServiceHarness()
        let token = try access(harness, .acme)
        let headers = [("Authorization", "Bearer \(token)")]
        harness.environment.advance(.milliseconds(3_599_999))
        try expectEqual(harness.get("/_idp/acme/userinfo", headers: headers).status, 200)
        harness.environment.advance(.milliseconds(1))
        try expectEqual(harness.get("/_idp/acme/userinfo", headers: headers).status, 401)
    }

    @Test func `tokeninfo returns the claims of an ID token as strings`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint("google", ["nonce": "n-1"])
        let info = try harness.get("/_idp/google/tokeninfo?id_token=\(token)").json
        expectEqual(info["aud"], .string(IdentityServiceHarness.googleClient))
        expectEqual(info["email_verified"], "true")
        expectEqual(info["exp"], .string(String(noon.seconds + 3600)))
        expectEqual(info["nonce"], "n-1")
        expectEqual(info["alg"], "RS256")
        #expect(info["kid"] != nil)
        let posted = try harness.post("/_idp/google/tokeninfo", form: [("id_token", token)])
        expectEqual(posted.json, info)
    }

    @Test(arguments: ["expired", "wrong-key", "alg-none", "unknown-kid", "padded", "not-json"])
    func `tokeninfo refuses invalid tokens`(fault: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint("google", ["fault": .string(fault)])
        let answer = try harness.get("/_idp/google/tokeninfo?id_token=\(token)")
        expectEqual(answer.status, 400)
        expectEqual(answer.json, ["error": "invalid_token", "error_description": "Invalid Value"])
        try expectEqual(harness.get("/_idp/google/tokeninfo").error, "invalid_request")
    }

    @Test func `tokeninfo accepts access tokens`() throws {
        let harness = try IdentityServiceHarness()
        let token = try access(harness, .google)
        harness.environment.advance(.seconds(600))
        let info = try harness.get("/_idp/google/tokeninfo?access_token=\(token)").json
        expectEqual(info["expires_in"], "3000")
        expectEqual(info["email"], "ada@example.com")
        expectEqual(info["access_type"], "online")
    }
}
