import AuthTestSupport

/// The settings of `livlogios`, with the contract's own names and defaults
/// (`Tests/Seeds/livlogios.md`).
@Suite("Settings of livlogios") struct LivlogiosSettingsTests {
    private static let settings = ["CONTRACT": "livlogios", "STORE": "memory:"]

    private static let provider: SigningKey? = try? .generate(.rs256, random: .seeded(3))

    /// Signs in with a token for the audience, under further settings.
    private func signIn(
        audience: String = "net.avalarin.livlogios", _ more: [String: String] = [:]
    ) throws -> Reply {
        let deployment = try TestDeployment()
        let provider = try #require(Self.provider)
        let keys: JSON = ["keys": .array([.object(try #require(provider.publicJWK))])]
        let file = try deployment.write("jwks.json", keys.text)
        let settings = Self.settings.merging(["APPLE_JWKS_FILE": file]) { $1 }.merging(more) { $1 }
        let token = try JWT.sign(
            [
                "iss": .string(more["APPLE_TOKEN_ISSUER"] ?? "https://appleid.apple.com"),
                "aud": .string(audience), "sub": "001", "iat": 1_700_000_000, "exp": 1_700_000_600,
            ], with: provider, type: nil, includesKeyID: true)
        let handler = try deployment.handler(settings, of: "signin")
        return try #require(
            deployment.post(handler, "/api/v1/auth/apple", #"{"identityToken":"\#(token)"}"#))
    }

    private func token(_ reply: Reply) throws -> (header: JSON, claims: JSON, text: String) {
        guard case .json(let body)? = reply.body else { throw Unexpected(reply: "\(reply)") }
        let text = try #require(body["accessToken"]?.stringValue, "\(body.text)")
        let parts = try text.split(separator: ".").prefix(2).map { part in
            try JSON.parse(try #require(Base64URL.decode(part)), limits: .request)
        }
        return (parts[0], parts[1], text)
    }

    private struct Unexpected: Error { let reply: String }

    @Test func `livlogios needs no settings but a store`() throws {
        let (header, claims, _) = try token(try signIn())
        #expect(header["alg"] == "RS256" && header["typ"] == "JWT")
        #expect(claims["iss"] == "https://api.livlogios.app" && claims["aud"] == "livlogios-ios")
    }

    @Test func `settings override the defaults of livlogios`() throws {
        let settings = [
            "ISSUER": "https://staging.livlogios.app", "TOKEN_AUDIENCE": "livlogios-mac",
            "APP_BUNDLE_ID": "net.avalarin.staging",
        ]
        let (_, claims, _) = try token(try signIn(audience: "net.avalarin.staging", settings))
        #expect(
            claims["iss"] == "https://staging.livlogios.app" && claims["aud"] == "livlogios-mac")
        try expectEqual(signIn(settings).status, 401)
        try expectEqual(signIn(["APPLE_TOKEN_ISSUER": "https://id.example.com"]).status, 200)
    }

    @Test func `livlogios signs with the private key of its settings`() throws {
        let key = try SigningKey.generate(.rs256, random: .seeded(5))
        let pem = String(decoding: try #require(try key.pem()).reveal(), as: UTF8.self)
        let (header, _, text) = try token(try signIn(["PRIVATE_KEY": pem]))
        expectEqual(header["kid"]?.stringValue, key.kid)
        #expect(throws: Never.self) { try JWS.verify(text, keys: KeySet([key.verificationKey])) }
        let deployment = try TestDeployment()
        let wrong = Self.settings.merging(["PRIVATE_KEY": "no key"]) { $1 }
        expectEqual(
            deployment.problems(wrong),
            ["PRIVATE_KEY must hold private keys for RS256 in PEM, the signing key first"])
    }
}
