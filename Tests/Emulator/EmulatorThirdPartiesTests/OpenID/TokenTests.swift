import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct TokenTests {
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

    @Test func `an access token expires after an hour`() throws {
        let harness = try IdentityServiceHarness()
        let tokens = try harness.redeem(.acme, try harness.code(.acme)).json
        let token = try #require(tokens["access_token"]?.stringValue)
        let headers = [("Authorization", "Bearer \(token)")]
        harness.environment.advance(.milliseconds(3_599_999))
        try expectEqual(harness.get("/_idp/acme/userinfo", headers: headers).status, 200)
        harness.environment.advance(.milliseconds(1))
        try expectEqual(harness.get("/_idp/acme/userinfo", headers: headers).status, 401)
    }
}
