@Suite("AppleTokenClient")
struct AppleTokenClientTests {
    let fixture = ProviderFixture()
    let tokenURL = "https://appleid.apple.com/auth/token"
    let revokeURL = "https://appleid.apple.com/auth/revoke"

    // MARK: The client secret

    @Test func `the client secret has Apple's format and can be verified`()
        throws
    {
        let token = try Self.secret().mint(clientID: "com.example.app", now: ProviderFixture.noon)
        let header = try JSON.parse(
            try #require(Base64URL.decode(token.parts[0])), limits: .request)
        expectEqual(header, ["alg": "ES256", "kid": "ABC123DEFG"])
        let claims = try JSON.parse(
            try #require(Base64URL.decode(token.parts[1])), limits: .request)
        expectEqual(
            claims,
            [
                "iss": "DEF123GHIJ", "iat": .number(ProviderFixture.noon.seconds),
                "exp": .number(ProviderFixture.noon.seconds + 300),
                "aud": "https://appleid.apple.com", "sub": "com.example.app",
            ])
        let verified = try JWT.verify(
            token, keys: TestKey.keySet([TestKey.ec.named("ABC123DEFG")]),
            expecting: TestKey.clientSecretExpectations(
                issuer: "DEF123GHIJ", now: ProviderFixture.noon))
        expectEqual(verified.subject, "com.example.app")
    }

    @Test func `the client secret is created per call, for the configured audience`() throws {
        let secret = try Self.secret(audience: "http://127.0.0.1:8000/_idp/apple")
        let one = try secret.mint(clientID: "a", now: ProviderFixture.noon)
        let other = try secret.mint(clientID: "b", now: ProviderFixture.noon + .seconds(1))
        #expect(one != other)
        let claims = try JSON.parse(
            try #require(Base64URL.decode(other.parts[1])), limits: .request)
        expectEqual(claims["aud"], "http://127.0.0.1:8000/_idp/apple")
        expectEqual(claims["sub"], "b")
        expectEqual(claims["iat"]?.int64Value, ProviderFixture.noon.seconds + 1)
    }

    @Test func `a key of the wrong type is refused at the start`() {
        let bad: [(String, String, String)] = [
            ("", "ABC123DEFG", TestKey.ecPEM), ("DEF123GHIJ", "", TestKey.ecPEM),
            ("DEF 23GHIJ", "ABC123DEFG", TestKey.ecPEM), ("DEF123GHIJ", "ABC\"123", TestKey.ecPEM),
            ("DEF123GHIJ", "ABC123DEFG", ""), ("DEF123GHIJ", "ABC123DEFG", "-----BEGIN"),
            ("DEF123GHIJ", "ABC123DEFG", TestKey.rsaPEM),
        ]
        for (team, key, pem) in bad {
            #expect(throws: ProviderConfigurationFailure.invalidAppleKey) {
                try AppleClientSecret(
                    teamID: team, keyID: key, privateKeyPEM: SecretBytes(utf8: pem),
                    audience: "https://appleid.apple.com")
            }
        }
    }

    // MARK: Exchange

    @Test func `the exchange sends Apple's parameters`() throws {
        fixture.provider[tokenURL] = .json(answer(idToken: IDToken.apple().text))
        let grant = try exchange(code: "c0de+&=%/ü", redirectURI: nil).get()
        expectEqual(grant.refreshToken, SecretBytes(utf8: "r.efresh"))
        expectEqual(grant.clientID, "com.example.app")
        #expect(grant.idToken != nil)
        let request = try #require(fixture.provider.requests.first { $0.url == tokenURL })
        expectEqual(request.method, .post)
        expectEqual(
            request.headers,
            [
                HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
                HTTPHeader("Accept", "application/json"),
            ])
        let (body, assertion) = try takeSecret(from: request.body)
        expectEqual(
            body,
            "client_id=com.example.app&client_secret=*&code=c0de%2B%26%3D%25%2F%C3%BC"
                + "&grant_type=authorization_code")
        let claims = try JSON.parse(
            try #require(Base64URL.decode(assertion.parts[1])), limits: .request)
        expectEqual(claims["sub"], "com.example.app")
    }

    @Test func `a code of the web flow is sent with its redirect URI`() throws {
        fixture.provider[tokenURL] = .json(answer(idToken: nil))
        let grant = try exchange(code: "c", redirectURI: "https://example.com/cb?x=1").get()
        expectEqual(grant.idToken, nil)
        let request = try #require(fixture.provider.requests.first { $0.url == tokenURL })
        try expectEqual(
            takeSecret(from: request.body).body,
            "client_id=com.example.app&client_secret=*&code=c&grant_type=authorization_code"
                + "&redirect_uri=https%3A%2F%2Fexample.com%2Fcb%3Fx%3D1")
    }

    @Test(arguments: ["", String(repeating: "a", count: 2049)])
    func `an invalid code is not sent`(code: String) {
        expectEqual(exchange(code: code).appleFailure, .invalidGrant)
        #expect(!fixture.provider.requests.contains { $0.url == tokenURL })
    }

    static let faults: [(FakeProvider.Answer, TokenEndpointFailure)] = [
        (
            .status(400, body: #"{"error":"invalid_grant","error_description":"used"}"#),
            .invalidGrant
        ),
        (.status(400, body: #"{"error":"invalid_client"}"#), .invalidClient),
        (.status(401, body: #"{"error":"invalid_client"}"#), .invalidClient),
        (.status(400, body: #"{"error":"unauthorized_client"}"#), .refused),
        (.status(400, body: #"{"error":"invalid_request"}"#), .refused),
        (.status(400, body: #"{"error":"Invalid_Grant"}"#), .refused),
        (.status(400, body: "<html>"), .malformedAnswer), (.status(403), .malformedAnswer),
        (.status(400, body: #"{"error":7}"#), .malformedAnswer), (.status(302), .malformedAnswer),
        (.status(429, body: #"{"error":"slow_down"}"#), .unreachable),
        (.status(500, body: #"{"error":"invalid_grant"}"#), .unreachable),
        (.status(503), .unreachable), (.failure(.timedOut), .unreachable),
        (.failure(.connectFailed(detail: "x")), .unreachable),
        (.failure(.interrupted(detail: "x")), .unreachable),
        (.failure(.responseTooLarge), .malformedAnswer),
    ]

    @Test(arguments: faults.indices)
    func `refusals and outages are distinguished, for exchange and revocation`(index: Int) throws {
        let (answer, expected) = Self.faults[index]
        fixture.provider[tokenURL] = answer
        fixture.provider[revokeURL] = answer
        expectEqual(exchange(code: "c").appleFailure, expected)
        #expect(throws: expected) {
            try client().revoke(
                SecretBytes(utf8: "r"), clientID: "com.example.app", now: fixture.clock.now)
        }
    }

    @Test(arguments: [
        "", "<html>", "[]", "{}", #"{"refresh_token":""}"#, #"{"refresh_token":7}"#,
        #"{"refresh_token":"a","refresh_token":"b"}"#, #"{"refresh_token":"a","id_token":7}"#,
        #"{"refresh_token":"a","id_token":"x"}"#, #"{"access_token":"a"}"#,
    ])
    func `a response without tokens is malformed`(text: String) {
        fixture.provider[tokenURL] = .text(text)
        expectEqual(exchange(code: "c").appleFailure, .malformedAnswer)
    }

    @Test func `another user's code is refused`() {
        let invalidTokens: [IDToken] = [
            .apple().with("sub", "001234.somebody.else"), .apple().with("aud", "com.example.web"),
        ]
        for token in invalidTokens {
            fixture.provider[tokenURL] = .json(answer(idToken: token.text))
            expectEqual(exchange(code: "c").appleFailure, .otherPerson)
        }
    }

    @Test func `an ID token not signed by Apple for this client is refused`() {
        let forged: [IDToken] = [
            .apple(key: .otherRSA), .apple().with("aud", "other"),
            .apple().with("iss", "https://evil.example"), .apple().with("exp", 1),
        ]
        for token in forged {
            fixture.provider[tokenURL] = .json(answer(idToken: token.text))
            expectEqual(exchange(code: "c").appleFailure, .malformedAnswer)
        }
    }

    // MARK: Revocation

    @Test func `the revocation sends Apple's parameters`() throws {
        fixture.provider[revokeURL] = .status(200)
        try client().revoke(
            SecretBytes(utf8: "r.e+f"), clientID: "com.example.web", now: fixture.clock.now)
        let request = try #require(fixture.provider.requests.first)
        expectEqual(request.method, .post)
        try expectEqual(
            takeSecret(from: request.body).body,
            "client_id=com.example.web&client_secret=*&token=r.e%2Bf"
                + "&token_type_hint=refresh_token")
    }

    @Test func `a test provider is called at its own URL`() throws {
        let issuer = "http://127.0.0.1:8000/_idp/apple"
        let provider = try ProviderConfiguration.apple(clientIDs: ["a"], issuer: issuer)
        fixture.provider[issuer + "/auth/revoke"] = .status(200)
        let client = AppleTokenClient(
            provider: provider, secret: try Self.secret(audience: issuer),
            transport: fixture.provider.transport, verifier: fixture.process())
        try client.revoke(SecretBytes(utf8: "r"), clientID: "a", now: fixture.clock.now)
        expectEqual(fixture.provider.fetches, 1)
    }

    // MARK: Fixtures

    private static func secret(
        audience: String = "https://appleid.apple.com"
    ) throws -> AppleClientSecret {
        try AppleClientSecret(
            teamID: "DEF123GHIJ", keyID: "ABC123DEFG",
            privateKeyPEM: SecretBytes(utf8: TestKey.ecPEM), audience: audience)
    }

    private func client() throws -> AppleTokenClient {
        AppleTokenClient(
            provider: Configured.apple, secret: try Self.secret(),
            transport: fixture.provider.transport, verifier: fixture.process())
    }

    private func exchange(
        code: String, redirectURI: String? = nil
    ) -> Result<AppleTokenResponse, any Error> {
        Result {
            let identity = try fixture.verify(IDToken.apple().text, Configured.apple).get()
            return try client().exchange(
                authorizationCode: code, for: identity, redirectURI: redirectURI,
                now: fixture.clock.now)
        }
    }

    private func answer(idToken: String?) -> JSON {
        var answer: JSONObject = [
            "access_token": "a", "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "r.efresh",
        ]
        answer["id_token"] = idToken.map(JSON.string)
        return .object(answer)
    }

    /// The body with its client secret, which is different each time, replaced by asterisks.
    private func takeSecret(from body: [UInt8]) throws -> (body: String, assertion: String) {
        let text = String(decoding: body, as: UTF8.self)
        let fields = text.split(separator: "&").map(String.init)
        let name = "client_secret="
        let secret = try #require(fields.first { $0.hasPrefix(name) })
        let masked = fields.map { $0.hasPrefix(name) ? name + "*" : $0 }.joined(separator: "&")
        return (masked, String(secret.dropFirst(name.count)))
    }
}

extension Result {
    fileprivate var appleFailure: TokenEndpointFailure? {
        if case .failure(let error) = self { error as? TokenEndpointFailure } else { nil }
    }
}
