@Suite("Formats")
struct FormatTests {
    /// FIPS 180-4, and the challenge of RFC 7636 appendix B.
    @Test(arguments: [
        ("", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
        ("abc", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"),
        (
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        ),
        (String(repeating: "a", count: 1000), "Qe3s5C1j6Nm_UVqbppMuHCDLyfWl0TRkWttdsblzfqM"),
    ])
    func `SHA-256 agrees with known hashes`(text: String, hash: String) {
        expectEqual(Base64URL.encode(SHA256.hash(Array(text.utf8))), hash)
    }

    @Test(arguments: [
        (54, "o_AbaTklYSdYKsiun7R6OCokRoCAaj9hOhGIUcHKHUc"),
        (55, "n0OQ-NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg"),
        (56, "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o"),
        (57, "8TstckZZ6zv0fy3WrxrMyHuB8J9Z8rdeXAvtZYnf6MY"),
        (63, "fT50oF19sVvOStnsBljqmOPwbu7PFrTG__LaRX3cLzQ"),
        (64, "_-BU_nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs"),
        (65, "Y1NhxIu56rFBmOduqKt_GkFoXWrWKqkUbTAdTxfrCuA"),
        (119, "MeulHDE6XAgiat8Y1KNZz9_Y0ugWsT9K-VL36mWE3Ps"),
        (120, "Lz0zVDLHC1gK8Ojhs2dKfAINaDql9zqq7f3FWvkEwhw"),
    ])
    func `SHA-256 is right around the end of a block`(length: Int, hash: String) {
        expectEqual(Base64URL.encode(SHA256.hash(Array(repeating: 0x61, count: length))), hash)
    }

    @Test(arguments: [
        ("a b", "a%20b"), ("ä", "%C3%A4"), ("-._~", "-._~"), ("a+b&c=d", "a%2Bb%26c%3Dd"),
        ("\u{01}", "%01"), ("日", "%E6%97%A5"),
    ])
    func `forms escape all but the unreserved characters (G9)`(text: String, escaped: String) {
        expectEqual(FormEncoding.escape(text), escaped)
    }

    @Test(arguments: ["AB", "AA=", "AA==", "A", "A+", "A/", " AA", "AAB"])
    func `non-canonical base64url is refused`(text: String) {
        #expect(
            Base64URL.decode(text) == nil
                || Base64URL.encode(Base64URL.decode(text) ?? Data()) == text)
    }

    @Test(
        arguments: [
            (
                #"""
                Bearer error="insufficient_user_authentication", acr_values="aal2 phr", \#
                max_age="600"
                """#,
                ["aal2", "phr"], 600
            ),
            (#"Bearer error="insufficient_user_authentication""#, [], nil),
        ] as [(String, [String], Int?)])
    func `a challenge to step up is parsed`(challenge: String, strengths: [String], age: Int?) {
        let requirement = StepUpRequirement(challenge: challenge)
        expectEqual(requirement?.strengths, strengths)
        expectEqual(requirement?.ageSecondsMax, age)
    }

    @Test(arguments: [nil, "", "Bearer", #"Bearer error="invalid_token""#])
    func `other challenges do not require a step-up`(challenge: String?) {
        expectEqual(StepUpRequirement(challenge: challenge), nil)
    }
}

@Suite("Authorization flow")
struct AuthorizationFlowTests {
    private static let page = URL(string: "https://id.example.com/authorize")
    private let clock = ManualClock()

    private func flow(_ byte: UInt8 = 7) -> AuthorizationFlow {
        var options = Options()
        options.random = { Array(repeating: byte, count: $0) }
        return AuthorizationFlow(redirectURI: "app://callback", clock: clock, options: options)
    }

    private func callback(_ query: String) throws -> URL {
        try #require(URL(string: "app://callback?\(query)"))
    }

    @Test func `the page gets PKCE, state and nonce (G2 G3 G4)`() throws {
        let flow = flow()
        let url = try flow.pageURL(
            endpoint: try #require(Self.page), clientID: "app id", parameters: ["prompt": "login"])
        let query = url.query() ?? ""
        #expect(query.hasPrefix("response_type=code&client_id=app%20id&scope=openid%20email"))
        #expect(query.contains("&redirect_uri=app%3A%2F%2Fcallback&"))
        #expect(query.contains("&code_challenge_method=S256&prompt=login"))
        #expect(query.contains("&state=\(flow.state)&nonce=\(flow.nonce)&"))
        #expect(flow.state.utf8.count == 43 && flow.codeChallenge.utf8.count == 43)
    }

    @Test func `the exchange has the verifier of the challenge`() async throws {
        let flow = flow()
        let form = try await flow.exchangeForm(
            callback: try callback("code=c%2F1&state=\(flow.state)"), clientID: "app")
        let text = String(decoding: form, as: UTF8.self)
        #expect(text.hasPrefix("grant_type=authorization_code&code=c%2F1&redirect_uri="))
        let verifier = try #require(text.split(separator: "code_verifier=").last)
        expectEqual(Base64URL.encode(SHA256.hash(Array(verifier.utf8))), flow.codeChallenge)
    }

    @Test(arguments: [
        ("code=c&state=other", "STATE_MISMATCH"), ("code=c", "STATE_MISMATCH"),
        ("code=c&state=S&state=S", "STATE_MISMATCH"), ("state=S", "NO_CODE"),
        ("state=S&code=a&code=b", "NO_CODE"), ("state=S&error=access_denied", "access_denied"),
        ("error=access_denied&state=x", "STATE_MISMATCH"),
    ])
    func `an invalid callback is refused with the reason`(query: String, code: String) async throws
    {
        let flow = flow()
        let url = try callback(query.replacing("=S", with: "=\(flow.state)"))
        await #expect(throws: AuthError.refused(Refusal(status: 0, code: code))) {
            _ = try await flow.exchangeForm(callback: url, clientID: "app")
        }
    }

    @Test func `a flow can be used only once, within ten minutes`() async throws {
        let expired = AuthError.refused(Refusal(status: 0, code: "FLOW_EXPIRED"))
        let flow = flow()
        let url = try callback("code=c&state=\(flow.state)")
        _ = try await flow.exchangeForm(callback: url, clientID: "app")
        await #expect(throws: expired) {
            _ = try await flow.exchangeForm(callback: url, clientID: "app")
        }
        let late = self.flow(8)
        clock.advance(by: .seconds(600))
        await #expect(throws: expired) {
            _ = try await late.exchangeForm(
                callback: try callback("code=c&state=\(late.state)"), clientID: "app")
        }
    }
}
