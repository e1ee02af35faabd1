import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct KeySetTests {
    @Test(arguments: [
        ("apple", "/auth/keys", "no-cache"),
        ("google", "/oauth2/v3/certs", "public, max-age=19800, must-revalidate, no-transform"),
        ("acme", "/keys", "public, max-age=3600"),
    ])
    func `a key set has two keys, its provider's path, and a cache lifetime`(
        provider: String, path: String, cache: String
    ) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.get("/_idp/\(provider)\(path)")
        expectEqual(answer.status, 200)
        expectEqual(answer.header("content-type"), "application/json")
        expectEqual(answer.header("cache-control"), cache)
        expectEqual(answer.header("access-control-allow-origin"), "*")
        let keys = try KeySet(jwks: answer.json)
        expectEqual(keys.keys.count, 2)
        #expect(keys.keys.allSatisfy { $0.kid?.isEmpty == false })
        let here = try harness.keys(provider)
        expectEqual(here.keys.map(\.kid), keys.keys.map(\.kid))
    }

    @Test func `the in-process key set is only for configured issuers`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for issuer in [
            "https://appleid.apple.com", "", "\(IdentityServiceHarness.base)/_idp/apple/",
            "\(IdentityServiceHarness.base)/_idp",
        ] {
            #expect(harness.service.keySet(issuer: issuer) == nil)
        }
    }

    @Test func `discovery names endpoints that exist`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for (provider, jwks) in [
            ("apple", "/auth/keys"), ("google", "/oauth2/v3/certs"), ("acme", "/keys"),
        ] {
            let issuer = "\(IdentityServiceHarness.base)/_idp/\(provider)"
            let answer = try harness.get("/_idp/\(provider)/.well-known/openid-configuration")
            expectEqual(answer.status, 200)
            expectEqual(answer.header("access-control-allow-origin"), "*")
            expectEqual(answer.json["issuer"]?.stringValue, issuer)
            expectEqual(answer.json["jwks_uri"]?.stringValue, issuer + jwks)
            for name in ["authorization_endpoint", "token_endpoint", "revocation_endpoint"] {
                let url = try #require(answer.json[name]?.stringValue)
                let path = String(url.dropFirst(IdentityServiceHarness.base.count))
                #expect(try harness.get(path).status != 404)
            }
        }
    }

    @Test func `discovery documents match Apple's and Google's`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let apple = try harness.get("/_idp/apple/.well-known/openid-configuration").json
        expectEqual(apple["userinfo_endpoint"], nil)
        expectEqual(apple["subject_types_supported"], ["pairwise"])
        expectEqual(apple["token_endpoint_auth_methods_supported"], ["client_secret_post"])
        let google = try harness.get("/_idp/google/.well-known/openid-configuration").json
        expectEqual(google["userinfo_endpoint"]?.stringValue?.hasSuffix("/v1/userinfo"), true)
        expectEqual(google["code_challenge_methods_supported"], ["S256"])
    }

    @Test func `a base URL that is set later is used everywhere`() throws {
        let harness = try IdentityServiceHarness()
        harness.service.setBaseURL("http://127.0.0.1:4711/")
        let document = try harness.get("/_idp/acme/.well-known/openid-configuration").json
        expectEqual(document["issuer"], "http://127.0.0.1:4711/_idp/acme")
        #expect(harness.service.keySet(issuer: "http://127.0.0.1:4711/_idp/acme") != nil)
        #expect(harness.service.issuers.map(\.issuer).contains("http://127.0.0.1:4711/_idp/apple"))
    }

    @Test func `an issuer may differ from its URL`() throws {
        let harness = try IdentityServiceHarness(
            IdentityConfiguration(issuers: [
                IssuerDefinition(
                    name: "corp", kind: .oidc, issuer: "https://id.corp.example",
                    algorithm: .es256, clients: [ClientDefinition(id: "c")])
            ]))
        let keys = try #require(harness.service.keySet(issuer: "https://id.corp.example"))
        let token = try JWT.verify(
            try harness.mint("corp"), keys: keys,
            expecting: TokenExpectations(
                issuers: ["https://id.corp.example"], audiences: ["c"], types: [nil], now: noon,
                leeway: .zero))
        expectEqual(token.issuer, "https://id.corp.example")
    }
}
