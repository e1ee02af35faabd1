@Suite("RedirectClient")
struct RedirectClientTests {
    let fixture = ProviderFixture()
    private static let document = "https://id.example.com/.well-known/openid-configuration"
    private static let back = "https://auth.example.com/auth/ui/callback/x"

    init() {
        fixture.provider[Self.document] = .json([
            "issuer": "https://id.example.com",
            "authorization_endpoint": "https://login.example.net/authorize?tenant=a",
            "token_endpoint": "https://login.example.net/token",
        ])
    }

    private func client(
        _ provider: ProviderConfiguration, _ id: String, _ secret: RedirectClient.Secret = .none
    ) -> RedirectClient {
        RedirectClient(
            provider: provider, clientID: id, secret: secret,
            transport: fixture.provider.transport)
    }

    private func address(_ client: RedirectClient) throws -> String {
        try client.address(returningTo: Self.back, state: "s", nonce: "n", challenge: "c")
    }

    private static let common =
        "&redirect_uri=https%3A%2F%2Fauth.example.com%2Fauth%2Fui%2Fcallback%2Fx"
        + "&response_type=code&scope="
    private static let last = "&state=s&nonce=n&code_challenge=c&code_challenge_method=S256"

    @Test func `the browser is sent to the endpoint of each provider`() throws {
        try expectEqual(
            address(client(Configured.apple, "com.example.web")),
            "https://appleid.apple.com/auth/authorize?client_id=com.example.web"
                + Self.common + "name%20email" + Self.last + "&response_mode=form_post")
        try expectEqual(
            address(client(Configured.google, "web.apps.googleusercontent.com")),
            "https://accounts.google.com/o/oauth2/v2/auth"
                + "?client_id=web.apps.googleusercontent.com" + Self.common
                + "openid%20email%20profile" + Self.last)
        try expectEqual(
            address(client(Configured.oidc, "acme-client")),
            "https://login.example.net/authorize?tenant=a&client_id=acme-client"
                + Self.common + "openid%20email%20profile" + Self.last)
    }

    @Test(
        arguments: [
            "http://login.example.net/authorize", "https://127.0.0.1/authorize",
            "javascript:alert(1)", "//login.example.net", "https://a@login.example.net/",
            "https://login.example.net/\"", "", 7, .null,
        ] as [JSON])
    func `an untrusted endpoint is not used`(url: JSON) {
        fixture.provider[Self.document] = .json([
            "issuer": "https://id.example.com", "authorization_endpoint": url,
            "token_endpoint": url,
        ])
        let client = client(Configured.oidc, "acme-client")
        #expect(throws: KeyFetchFailure.untrustedKeysURL) { try address(client) }
        #expect(throws: TokenEndpointFailure.unreachable) { try redeem(client) }
        #expect(fixture.provider.requests.allSatisfy { $0.url == Self.document })
    }

    @Test func `a sign-in fetches the discovery document once`() throws {
        let client = client(Configured.oidc, "acme-client")
        fixture.provider["https://login.example.net/token"] = .json(["id_token": "x"])
        func fetched() -> Int {
            fixture.provider.requests.count { $0.url == Self.document }
        }
        _ = try address(client)
        _ = try redeem(client)
        expectEqual(fetched(), 1)
        // Another sign-in learns of a change.
        _ = try address(client)
        expectEqual(fetched(), 2)
    }

    private func redeem(
        _ client: RedirectClient, _ code: String = "c0de"
    ) throws -> (idToken: String, refreshToken: SecretBytes?) {
        try client.redeem(code, verifier: "v", redirectURI: Self.back, now: ProviderFixture.noon)
    }

    private static let form =
        "grant_type=authorization_code&code=c0de"
        + "&redirect_uri=https%3A%2F%2Fauth.example.com%2Fauth%2Fui%2Fcallback%2Fx&code_verifier=v"

    @Test func `a code is exchanged with the verifier and the client's secret`() throws {
        let answer = FakeProvider.Answer.json(["id_token": "t", "refresh_token": "r"])
        let googleURL = "https://oauth2.googleapis.com/token"
        fixture.provider[googleURL] = answer
        let google = client(Configured.google, "web", .text(SecretBytes(utf8: "s:e+c")))
        let tokens = try redeem(google)
        #expect(tokens.idToken == "t" && tokens.refreshToken == nil)
        var request = try #require(fixture.provider.requests.last)
        expectEqual(String(decoding: request.body, as: UTF8.self), Self.form)
        #expect(
            request.headers.contains(
                HTTPHeader("Authorization", "Basic " + Base64.encode(Array("web:s%3Ae%2Bc".utf8)))))

        fixture.provider["https://login.example.net/token"] = answer
        try expectEqual(redeem(client(Configured.oidc, "acme-client")).refreshToken, nil)
        request = try #require(fixture.provider.requests.last)
        expectEqual(
            String(decoding: request.body, as: UTF8.self), Self.form + "&client_id=acme-client")
        #expect(!request.headers.contains { $0.name == "Authorization" })

        fixture.provider["https://appleid.apple.com/auth/token"] = answer
        let secret = try AppleClientSecret(
            teamID: "DEF123GHIJ", keyID: "ABC123DEFG",
            privateKeyPEM: SecretBytes(utf8: TestKey.ecPEM),
            audience: "https://appleid.apple.com")
        let apple = try redeem(client(Configured.apple, "com.example.web", .apple(secret)))
        expectEqual(apple.refreshToken, SecretBytes(utf8: "r"))
        request = try #require(fixture.provider.requests.last)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                .hasPrefix(Self.form + "&client_id=com.example.web&client_secret=eyJ"))
    }

    @Test(arguments: ["", String(repeating: "a", count: 2049)])
    func `an invalid code is not sent`(code: String) {
        let client = client(Configured.google, "web")
        #expect(throws: TokenEndpointFailure.invalidGrant) { try redeem(client, code) }
        #expect(fixture.provider.requests.isEmpty)
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"id_token":7}"#, #"{"access_token":"a"}"#])
    func `an answer without an identity token is malformed`(text: String) {
        fixture.provider["https://oauth2.googleapis.com/token"] = .text(text)
        let client = client(Configured.google, "web")
        #expect(throws: TokenEndpointFailure.malformedAnswer) { try redeem(client) }
    }
}
