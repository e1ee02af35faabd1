/// Tokens that an attacker can write (RFC 8725 section 2), beyond the tokens of `JOSETests`.
@Suite("Forged tokens")
struct ForgedTokenTests {
    let fixture = ProviderFixture()

    @Test func `Apple and Google sign with RS256 only, whatever they publish`() {
        fixture.provider[ProviderFixture.appleKeysURL] = .keys([.rsa, .ec])
        let token = IDToken.apple(key: .ec).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidSignature)
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

    @Test(arguments: ["at+jwt", "dpop+jwt", "secevent+jwt"])
    func `a token of another type is not an ID token`(type: String) {
        let token = IDToken.apple().withHeader("typ", .string(type)).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidIDToken)
    }
}
