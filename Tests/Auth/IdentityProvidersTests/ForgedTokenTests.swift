import AuthTestSupport
import TestSupport

/// Tokens that an attacker can write (RFC 8725 section 2).
@Suite("Forged tokens")
struct ForgedTokenTests {
    let fixture = ProviderFixture()

    @Test(arguments: ["none", "None", "NONE", "nOnE", "", " none"])
    func `an unsigned token is refused`(algorithm: String) {
        let token = IDToken.apple().withHeader("alg", .string(algorithm)).text
        let unsigned = token.replacingPart(2) { _ in "" }
        #expect(fixture.verify(unsigned, Configured.apple).failure != nil)
        #expect(fixture.verify(token, Configured.apple).failure != nil)
    }

    @Test(arguments: ["HS256", "HS384", "HS512", "hs256", " HS256"])
    func `a public key is not accepted as a shared secret`(algorithm: String) throws {
        let token = IDToken.apple().withHeader("alg", .string(algorithm)).text
        let parts = token.parts
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        // Secrets used in known attacks: the JWK, its modulus as text and as bytes.
        let modulus = try #require(TestKey.rsa.jwk["n"]?.stringValue)
        let secrets = [
            TestKey.rsa.jwk.serialized, Array(modulus.utf8),
            try #require(Base64URL.decode(modulus)),
        ]
        for secret in secrets {
            let mac = HMAC.sha256(input, key: SecretBytes(secret))
            let forged = token.replacingPart(2) { _ in Base64URL.encode(mac) }
            expectEqual(fixture.verify(forged, Configured.apple).failure, .invalidSignature)
        }
    }

    @Test(arguments: [
        "RS384", "RS512", "PS256", "ES256", "EdDSA", "RS256 ", "rs256", "RS25\u{FF16}",
    ])
    func `the algorithm is the key's, not the header's`(algorithm: String) {
        let token = IDToken.apple().withHeader("alg", .string(algorithm)).text
        #expect(fixture.verify(token, Configured.apple).failure != nil)
    }

    @Test func `Apple and Google sign with RS256 only, whatever they publish`() {
        fixture.provider[ProviderFixture.appleKeysURL] = .keys([.rsa, .ec])
        let token = IDToken.apple(key: .ec).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidSignature)
    }

    @Test(
        arguments: [(TestKey.rsa, TestKey.otherRSA), (.ec, .otherEC), (.rsa, .ec), (.ec, .rsa)]
            as [(TestKey, TestKey)])
    func `a signature by another key under a known kid is refused`(known: TestKey, other: TestKey) {
        fixture.provider["https://id.example.com/.well-known/openid-configuration"] = .json(
            ["issuer": "https://id.example.com", "jwks_uri": "https://id.example.com/jwks"])
        fixture.provider["https://id.example.com/jwks"] = .keys([known])
        let token = IDToken.oidc(key: other).withHeader("kid", .string(known.kid)).text
        expectEqual(fixture.verify(token, Configured.oidc).failure, .invalidSignature)
        let disguised = IDToken.oidc(key: other).withHeader("kid", .string(known.kid))
            .withHeader("alg", .string(known.algorithm)).text
        expectEqual(fixture.verify(disguised, Configured.oidc).failure, .invalidSignature)
    }

    @Test(arguments: 0..<3)
    func `a changed part is refused`(part: Int) {
        let token = IDToken.apple().text
        let changed = token.replacingPart(part) { text in
            var bytes = Base64URL.decode(text) ?? []
            bytes[bytes.count / 2] ^= 1
            return Base64URL.encode(bytes)
        }
        #expect(fixture.verify(changed, Configured.apple).failure != nil)
    }

    @Test func `keys inside a token are ignored`() throws {
        let jwk = JSON.object(TestKey.otherRSA.jwk)
        let token = IDToken.apple(key: .otherRSA)
            .withHeader("jwk", jwk).withHeader("jku", "https://evil.example/jwks")
            .withHeader("x5u", "https://evil.example/cert").withHeader("x5c", ["AAAA"])
        expectEqual(fixture.verify(token.text, Configured.apple).failure, .unknownKeyID)
        let disguised = token.withHeader("kid", .string(TestKey.rsa.kid)).text
        expectEqual(fixture.verify(disguised, Configured.apple).failure, .invalidSignature)
        #expect(fixture.provider.requests.allSatisfy { $0.url == ProviderFixture.appleKeysURL })
    }

    @Test(arguments: [nil, .null, 7, ["a"], ""] as [JSON?])
    func `a token without a kid is refused, even if there is only one key`(kid: JSON?) {
        let token = IDToken.apple().withHeader("kid", kid).text
        let failure = fixture.verify(token, Configured.apple).failure
        expectEqual(failure, kid == nil ? .missingKeyID : failure)
        #expect(failure != nil)
    }

    @Test(
        arguments: [
            ("crit", JSON.array(["b64"])), ("crit", ["exp"]), ("crit", []), ("crit", "b64"),
            ("b64", false), ("b64", true), ("zip", "DEF"), ("typ", "at+jwt"), ("typ", "dpop+jwt"),
            ("typ", "secevent+jwt"), ("typ", 7),
        ] as [(String, JSON)])
    func `a header with critical extensions is refused`(name: String, value: JSON) {
        let token = IDToken.apple().withHeader(name, value).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidIDToken)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt"])
    func `typ may be JWT`(type: String) {
        let token = IDToken.apple().withHeader("typ", .string(type)).text
        expectEqual(fixture.verify(token, Configured.apple).failure, nil)
    }

    @Test func `duplicate names are refused, signed or not`() {
        let token = IDToken.google()
        let claims = token.claims.serialized
        let twice = claims.dropLast() + Array(#","sub":"somebody else"}"#.utf8)
        let escaped = claims.dropLast() + Array(#","\u0073ub":"somebody else"}"#.utf8)
        for claims in [twice, escaped] {
            let text = token.key.token(header: token.header.serialized, claims: Array(claims))
            expectEqual(fixture.verify(text, Configured.google).failure, .invalidIDToken)
        }
        let header = token.header.serialized.dropLast() + Array(#","alg":"none"}"#.utf8)
        let text = token.key.token(header: Array(header), claims: claims)
        expectEqual(fixture.verify(text, Configured.google).failure, .invalidIDToken)
    }

    @Test(
        arguments: [
            { $0 + "=" }, { $0 + "==" }, { $0.replacingPart(0) { $0 + "=" } },
            { $0 + " " }, { " " + $0 }, { $0 + "." },
            { "." + $0 }, { $0 + ".x" }, { $0.parts[0] }, { $0.parts[0] + "." + $0.parts[1] },
            { _ in "" }, { _ in "." }, { _ in ".." }, { _ in "..." }, { _ in "a.b.c" },
            { $0.replacingPart(0) { _ in "" } }, { $0.replacingPart(2) { $0 + "=" } },
            { $0.replacingPart(0) { _ in Base64URL.encode(Array("[]".utf8)) } },
            { $0.replacingPart(0) { _ in Base64URL.encode([0xFF, 0xFE]) } },
            { "\u{FEFF}" + $0 }, { "Bearer " + $0 }, { #"{"payload":"\#($0)"}"# },
            { _ in String(repeating: ".", count: 100_000) },
        ] as [@Sendable (String) -> String])
    func `a malformed compact JWS is refused`(damage: @Sendable (String) -> String) {
        expectEqual(
            fixture.verify(damage(IDToken.apple().text), Configured.apple).failure, .invalidIDToken)
    }

    @Test(arguments: ["", "=", "\n", "A"])
    func `nothing can be appended to the claims`(suffix: String) {
        let token = IDToken.apple().text.replacingPart(1) { suffix.isEmpty ? "" : $0 + suffix }
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidSignature)
    }

    @Test func `a token larger than any provider's is refused`() {
        let token = IDToken.apple().with("pad", .string(String(repeating: "a", count: 100_000)))
            .text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidIDToken)
        expectEqual(fixture.provider.fetches, 0)
    }

    @Test func `claims that are not an object are refused`() {
        for claims in ["[]", "7", "null", "\"a\"", "", "{", "{\"a\":01}", "{\"exp\":1e999}"] {
            let token = IDToken.apple()
            let text = token.key.token(header: token.header.serialized, claims: Array(claims.utf8))
            expectEqual(
                fixture.verify(text, Configured.apple).failure, .invalidIDToken, "\(claims)")
        }
    }
}
