@Suite("ProviderConfiguration")
struct ProviderConfigurationTests {
    @Test func `Apple has two issuers with one key set`() throws {
        for issuer in ProviderConfiguration.appleIssuers {
            let apple = try ProviderConfiguration.apple(clientIDs: ["a"], issuer: issuer)
            expectEqual(apple.issuers, ["https://appleid.apple.com", "https://account.apple.com"])
            expectEqual(apple.keysURL, "https://appleid.apple.com/auth/keys")
            expectEqual(apple.algorithms, [.rs256])
        }
    }

    @Test func `Google has two issuers with one key set`() throws {
        for issuer in ProviderConfiguration.googleIssuers {
            let google = try ProviderConfiguration.google(clientIDs: ["a"], issuer: issuer)
            expectEqual(google.issuers, ["https://accounts.google.com", "accounts.google.com"])
            expectEqual(google.keysURL, "https://www.googleapis.com/oauth2/v3/certs")
            expectEqual(google.algorithms, [.rs256])
        }
    }

    @Test func `a test provider only accepts its own issuer`() throws {
        let base = "http://127.0.0.1:8000/_idp/"
        let google = try ProviderConfiguration.google(clientIDs: ["a"], issuer: base + "google")
        expectEqual(google.issuers, [base + "google"])
        expectEqual(google.keysURL, base + "google/oauth2/v3/certs")
        let apple = try ProviderConfiguration.apple(clientIDs: ["a"], issuer: base + "apple/")
        expectEqual(apple.issuers, [base + "apple/"])
        expectEqual(apple.keysURL, base + "apple/auth/keys")
    }

    @Test(arguments: ["https://id.example.com/realm", "https://id.example.com/realm/"])
    func `discovery is found below the issuer`(issuer: String) throws {
        let provider = try ProviderConfiguration.oidc(name: "x", issuer: issuer, clientIDs: ["a"])
        expectEqual(
            provider.keysURL, "https://id.example.com/realm/.well-known/openid-configuration")
        expectEqual(provider.issuers, [issuer])
    }

    @Test func `the defaults are ten minutes of age and a minute of skew`() throws {
        let apple = try ProviderConfiguration.apple(clientIDs: ["a"])
        expectEqual(apple.ageMax, .minutes(10))
        expectEqual(apple.leeway, .seconds(60))
    }

    @Test(arguments: ["a", "acme", "acme-2", String(repeating: "a", count: 32)])
    func `a valid name of a provider is accepted`(name: String) {
        expectEqual(failure(name: name), nil)
    }

    @Test(arguments: [
        "", "Acme", "1acme", "-acme", "ac me", "acme_2", "acme.", "a\u{301}cme", "\u{212A}",
        "acme\n", String(repeating: "a", count: 33),
    ])
    func `any other name of a provider is refused`(name: String) {
        expectEqual(failure(name: name), .invalidName)
    }

    @Test(arguments: [
        "https://id.example.com", "https://id.example.com:8443/realms/x", "https://10.0.0.7",
        "http://127.0.0.1:8000", "http://127.255.0.9", "http://localhost:80/x", "http://[::1]:1/",
        "http://LOCALHOST", "https://[2001:db8::1]/x",
    ])
    func `an https issuer is accepted, and http on this machine`(issuer: String) {
        expectEqual(failure(issuer: issuer), nil)
    }

    @Test(arguments: [
        "", "id.example.com", "http://id.example.com", "HTTP://127.0.0.1", "ftp://127.0.0.1",
        "https://", "https:///x", "https://?", "https://id.example.com?x=1",
        "https://id.example.com#f", "https://user@id.example.com", "http://127.0.0.1@evil.example",
        "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://127.1",
        "http://0177.0.0.1", "http://0127.0.0.1", "http://127.0.0.01", "http://127.0.0.256",
        "http://128.0.0.1", "http://0.0.0.0",
        "http://[::1", "http://[::1]x", "http://[::2]", "http://[::ffff:127.0.0.1]",
        "https://id.example.com:0", "https://id.example.com:70000", "https://id.example.com:",
        "https://id.example.com:1:2", "https://id example.com", "https://id.example.com\\@evil",
        "https://id.example.com/\r\nX: y", "https://\u{212A}.example", "https://id.ex%61mple.com",
        "https://[]x/", "javascript:alert(1)",
        "https://id.example.com/" + String(repeating: "a", count: 2048),
    ])
    func `any other issuer is refused`(issuer: String) {
        expectEqual(failure(issuer: issuer), .invalidIssuer)
    }

    @Test func `plain http to another host must be allowed explicitly`() throws {
        let issuer = "http://idp.test:8080"
        expectEqual(failure(issuer: issuer), .invalidIssuer)
        let provider = try ProviderConfiguration.oidc(
            name: "x", issuer: issuer, clientIDs: ["a"], allowsPlainHTTP: true)
        expectEqual(provider.canonicalIssuer, issuer)
    }

    @Test(
        arguments: [
            ([], ProviderConfigurationFailure.noClientID),
            ([""], .invalidClientID), (["a", "b c"], .invalidClientID), (["a\n"], .invalidClientID),
            (["caf\u{e9}"], .invalidClientID),
            ([String(repeating: "a", count: 256)], .invalidClientID),
            (Array(repeating: "a", count: 65), .noClientID),
        ] as [([String], ProviderConfigurationFailure)])
    func `malformed client ids are refused`(
        clientIDs: [String], expected: ProviderConfigurationFailure
    ) {
        expectEqual(failure(clientIDs: clientIDs), expected)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"keys":[]}"#, "<html>",
        #"{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}"#,
    ])
    func `a pinned file without a usable key is refused`(text: String) {
        #expect(throws: ProviderConfigurationFailure.invalidKeySet) {
            try Configured.apple.pinned(toJWKS: Array(text.utf8))
        }
    }

    @Test func `a pinned key that the provider cannot sign with is refused`() throws {
        let jwks = TestKey.jwks([.ec]).serialized
        #expect(throws: ProviderConfigurationFailure.invalidKeySet) {
            try Configured.google.pinned(toJWKS: jwks)
        }
        _ = try Configured.oidc.pinned(toJWKS: jwks)
    }

    private func failure(
        name: String = "x", issuer: String = "https://id.example.com", clientIDs: [String] = ["a"]
    ) -> ProviderConfigurationFailure? {
        do {
            _ = try ProviderConfiguration.oidc(name: name, issuer: issuer, clientIDs: clientIDs)
            return nil
        } catch {
            return error
        }
    }
}

extension ProviderConfiguration {
    fileprivate var keysURL: String? {
        switch keySource {
        case .keys(let url), .discovery(let url): url
        case .pinned: nil
        }
    }
}
