/// Tokens that an attacker can write (RFC 8725 section 2), beyond the tokens of `JOSETests`.
@Suite("Forged tokens")
struct ForgedTokenTests {
    let fixture = ProviderFixture()

    @Test func `Apple and Google sign with RS256 only, whatever they publish`() {
        fixture.provider[ProviderFixture.appleKeysURL] = .keys([.rsa, .ec])
        let token = IDToken.apple(key: .ec).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidSignature)
    }
}
