/// A compromised provider can sign anything. Any claims must give a result and never crash.
@Suite("Hostile claims")
struct HostileClaimsTests {
    static let names = [
        "iss", "aud", "azp", "sub", "exp", "iat", "nbf", "nonce", "nonce_supported", "email",
        "email_verified", "is_private_email", "name", "given_name", "family_name",
        "real_user_status", "transfer_sub", "hd", "jti",
    ]

    static let values: [JSON] =
        [
            .null, true, false, 0, -1, .number(Int64.max), .number(Int64.min),
            .number(Int64.max / 1000), .number(Int64.min / 1000), "", "\u{0}", "true",
            .string(String(repeating: "\u{1F469}\u{200D}", count: 500)), [], [:], ["a", 7, .null],
            .array(Array(repeating: [], count: 100)), ["": .null, "a": ["b": ["c": []]]],
            .string("\u{202E}moc.elpmaxe@ada"), .string("e\u{301}"),
        ]
        + ["1.5", "1e308", "1e999", "-0", "99999999999999999999", "1767700800.0"].compactMap {
            JSONNumber(literal: $0).map(JSON.number)
        }

    @Test func `tokens with unusual values in any claim get a verdict`() {
        let fixture = ProviderFixture()
        let verifier = fixture.process()
        for name in Self.names {
            for value in Self.values {
                for token in [IDToken.apple(), .google()] {
                    let provider = token.header["typ"] == nil ? Configured.apple : Configured.google
                    for nonce in [NonceExpectation.ignored, .exactly(nil), .exactly("n")] {
                        let verdict = fixture.verify(
                            token.with(name, value).text, provider, nonce: nonce, by: verifier)
                        checkPromises(verdict)
                    }
                }
            }
        }
    }

    private func checkPromises(_ verdict: Result<VerifiedIdentity, IdentityFailure>) {
        guard let identity = verdict.value else { return }
        #expect((1...255).contains(identity.subject.utf8.count))
        #expect(
            ProviderConfiguration.appleIssuers.contains(identity.issuer)
                || ProviderConfiguration.googleIssuers.contains(identity.issuer))
        #expect((identity.email?.utf8.count ?? 0) <= 254)
        #expect((identity.displayName?.utf8.count ?? 0) <= 513)
        #expect(identity.email != nil || !identity.isEmailVerified)
    }
}
