@Suite("Discovery")
struct DiscoveryTests {
    let fixture = ProviderFixture()
    let document = "https://id.example.com/.well-known/openid-configuration"
    let keysURL = "https://keys.example.net/jwks"

    init() {
        fixture.provider[document] = .json([
            "issuer": "https://id.example.com", "jwks_uri": .string(keysURL),
        ])
        fixture.provider[keysURL] = .keys([.rsa, .ec, .ed])
    }

    @Test(arguments: [TestKey.rsa, .ec, .ed])
    func `keys of any kind are fetched from the document's jwks_uri`(key: TestKey) throws {
        let identity = try fixture.verify(IDToken.oidc(key: key).text, Configured.oidc).get()
        expectEqual(identity.provider, "acme")
        expectEqual(identity.issuer, "https://id.example.com")
        expectEqual(identity.email, nil)
        expectEqual(fixture.provider.requests.map(\.url), [document, keysURL])
        _ = try fixture.verify(IDToken.oidc(key: key).text, Configured.oidc).get()
        expectEqual(fixture.provider.fetches, 2)
    }

    @Test(arguments: [
        "https://id.example.com/", "https://ID.example.com", "http://id.example.com",
        "https://evil.example", "",
    ])
    func `a discovery document of another issuer is refused`(issuer: String) {
        fixture.provider[document] = .json([
            "issuer": .string(issuer), "jwks_uri": .string(keysURL),
        ])
        expectEqual(failure, .keysUnavailable(.issuerMismatch))
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test(
        arguments: [
            JSON.string("http://keys.example.net/jwks"), "http://127.0.0.1/jwks",
            "https://127.0.0.1/jwks", "https://localhost/jwks", "file:///etc/passwd", "//x/jwks",
            "https://user@keys.example.net/jwks", "", 7, .null, ["https://keys.example.net/jwks"],
        ] as [JSON])
    func `an untrusted jwks_uri is not fetched`(url: JSON) {
        fixture.provider[document] = .json(["issuer": "https://id.example.com", "jwks_uri": url])
        expectEqual(failure, .keysUnavailable(.untrustedKeysURL))
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test func `an https issuer may not publish an http jwks_uri`() throws {
        let provider = try ProviderConfiguration.oidc(
            name: "acme", issuer: "https://id.example.com", clientIDs: ["acme-client"],
            allowsPlainHTTP: true)
        fixture.provider[document] = .json([
            "issuer": "https://id.example.com", "jwks_uri": "http://keys.example.net/jwks",
        ])
        let verdict = fixture.verify(IDToken.oidc().text, provider)
        expectEqual(verdict.failure, .keysUnavailable(.untrustedKeysURL))
    }

    @Test(
        arguments: [
            ("", .malformedDiscovery), ("<html>", .malformedDiscovery),
            ("[]", .malformedDiscovery), ("{}", .issuerMismatch),
            (#"{"issuer":"https://id.example.com"}"#, .untrustedKeysURL),
        ] as [(String, KeyFetchFailure)])
    func `a response that is not a discovery document is refused`(
        text: String, expected: KeyFetchFailure
    ) {
        fixture.provider[document] = .text(text)
        expectEqual(failure, .keysUnavailable(expected))
        expectEqual(fixture.provider.fetches, 1)
    }

    @Test func `an issuer on this machine may publish keys on this machine`() throws {
        let issuer = "http://127.0.0.1:8000/_idp/acme"
        let provider = try ProviderConfiguration.oidc(
            name: "acme", issuer: issuer, clientIDs: ["acme-client"])
        fixture.provider[issuer + "/.well-known/openid-configuration"] = .json(
            ["issuer": .string(issuer), "jwks_uri": .string(issuer + "/jwks")])
        fixture.provider[issuer + "/jwks"] = .keys([.rsa])
        let token = IDToken.oidc().with("iss", .string(issuer)).text
        expectEqual(fixture.verify(token, provider).failure, nil)
    }

    @Test func `cached keys are used if discovery fails later`() {
        expectEqual(failure, nil)
        fixture.provider[document] = .status(503)
        fixture.clock.advance(by: .hours(1))
        let token = IDToken.oidc().with("iat", secondsFromNoon: 3600)
            .with("exp", secondsFromNoon: 7200).text
        expectEqual(fixture.verify(token, Configured.oidc).failure, nil)
    }

    private var failure: IdentityFailure? {
        fixture.verify(IDToken.oidc().text, Configured.oidc).failure
    }
}
