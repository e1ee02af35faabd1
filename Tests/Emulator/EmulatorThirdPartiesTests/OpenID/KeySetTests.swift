import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct KeySetTests {
    @Test func `the in-process key set is only for configured issuers`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        for issuer in [
            "https://appleid.apple.com", "", "\(IdentityServiceHarness.base)/_idp/apple/",
            "\(IdentityServiceHarness.base)/_idp",
        ] {
            #expect(harness.service.keySet(issuer: issuer) == nil)
        }
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
