import BaseTestSupport
import EmulatorThirdParties
import JOSE

@Suite struct ConfigurationTests {
    private func configuration(_ text: String) throws -> IdentityConfiguration {
        try IdentityConfiguration(JSON.parse(Array(text.utf8), limits: .request))
    }

    @Test func `without configuration the issuers are Apple and Google`() throws {
        let usual = try configuration("{}")
        expectEqual(usual.issuers.map(\.name), ["apple", "google"])
        expectEqual(usual.issuers[0].clients.first?.id, "com.example.app")
        expectEqual(usual.issuers[1].clients.first?.id, "client.apps.googleusercontent.com")
    }

    @Test func `issuers and clients are read from the file`() throws {
        let read = try configuration(
            """
            {"issuers": {
              "apple": {"clients": [{"id": "com.example.mine", "teamId": "TEAM123456",
                "notificationURL": "http://127.0.0.1:8000/n"}]},
              "acme": {"algorithm": "ES256", "acceptsUnknownClients": false, "clients": [
                {"id": "c", "secret": "s", "redirectURIs": ["http://127.0.0.1:3000/cb"]}]},
              "staging-apple": {"kind": "apple", "issuer": "https://appleid.apple.com"}}}
            """)
        expectEqual(read.issuers.map(\.name), ["apple", "acme", "staging-apple", "google"])
        expectEqual(read.issuers.map(\.kind), [.apple, .oidc, .apple, .google])
        expectEqual(read.issuers[0].clients[0].teamID, "TEAM123456")
        expectEqual(read.issuers[1].algorithm, .es256)
        #expect(!read.issuers[1].acceptsUnknownClients)
        expectEqual(read.issuers[2].issuer, "https://appleid.apple.com")
    }

    @Test(arguments: [
        ("[]", "configuration: not an object"),
        ("{\"issuer\":{}}", "configuration: unknown member"),
        ("{\"issuers\":[]}", "configuration: issuers must be an object"),
        ("{\"issuers\":{\"Acme\":{}}}", "issuer: a name must be 1 to 32"),
        ("{\"issuers\":{\"a/b\":{}}}", "issuer: a name must be 1 to 32"),
        ("{\"issuers\":{\"acme\":{\"kind\":\"okta\"}}}", "issuer acme: kind must be apple"),
        ("{\"issuers\":{\"acme\":{\"algorithm\":\"HS256\"}}}", "issuer acme: algorithm must be"),
        ("{\"issuers\":{\"acme\":{\"clients\":[{}]}}}", "client: id is missing"),
        (
            "{\"issuers\":{\"acme\":{\"clients\":[{\"id\":\"a b\"}]}}}",
            "client: id must be 1 to 255"
        ),
        ("{\"issuers\":{\"acme\":{\"clients\":\"x\"}}}", "issuer acme: clients must be a list"),
    ])
    func `an invalid configuration is reported`(text: String, words: String) throws {
        do {
            _ = try configuration(text)
            Issue.record("no mistake was found")
        } catch let failure as DefinitionFailure {
            #expect(failure.text.hasPrefix(words), "\(failure.text)")
        }
    }

    @Test func `duplicate issuer names are refused`() throws {
        for names in [["a", "a"], ["A"], [""]] {
            #expect(throws: IdentityServiceFailure.issuerNames) {
                try IdentityService(
                    IdentityConfiguration(
                        issuers: names.map { IssuerDefinition(name: $0, kind: .oidc) }),
                    baseURL: IdentityServiceHarness.base, directory: nil,
                    ports: IdentityServiceHarness.HarnessEnvironment().ports)
            }
        }
    }

    @Test func `a missing directory is reported`() throws {
        #expect(throws: IdentityServiceFailure.self) {
            try IdentityServiceHarness(directory: "/nonexistent/latchkey")
        }
    }
}
