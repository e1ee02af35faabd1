@Suite("Nonce")
struct NonceTests {
    let fixture = ProviderFixture()

    static let nonce = "n-0S6_WzA2Mj"
    static let hash = SHA256.hash(Array(nonce.utf8))

    /// Whether the nonce was checked, or the failure.
    private func outcome(
        _ token: IDToken, _ nonce: NonceExpectation = .exactly(Self.nonce)
    ) -> Result<Bool, IdentityFailure> {
        let isApple = token.claims["iss"] == "https://appleid.apple.com"
        let provider = isApple ? Configured.apple : Configured.google
        return fixture.verify(token.text, provider, nonce: nonce).map(\.nonceWasChecked)
    }

    @Test(arguments: [nonce, Hex.encode(hash), Base64URL.encode(hash)])
    func `the claim is the nonce or its hash`(claim: String) {
        for token in [IDToken.apple(), .google()] {
            expectEqual(outcome(token.with("nonce", .string(claim))), .success(true))
        }
    }

    static let mismatches: [JSON?] = [
        "", "n-0S6_WzA2M", "n-0S6_WzA2Mj ", "N-0S6_WzA2Mj", "n-0S6_WzA2Mj\u{0}",
        .string(Hex.encode(hash).uppercased()), .string(Hex.encode(SHA256.hash(hash))),
        .string(Base64.encode(hash)), nil, .null, 7, true, [.string(nonce)], ["a": .string(nonce)],
    ]

    @Test func `any other claim is a mismatch, also where no nonce or an invalid one is expected`()
    {
        for claim in Self.mismatches {
            expectEqual(outcome(.apple().with("nonce", claim)), .failure(.nonceMismatch))
        }
        for claim in [.string(Self.nonce), "", .null, 7, [], ["a": "b"]] as [JSON] {
            expectEqual(
                outcome(.google().with("nonce", claim), .exactly(nil)), .failure(.nonceMismatch))
        }
        for nonce in ["", String(repeating: "a", count: 513)] {
            expectEqual(
                outcome(.google().with("nonce", .string(nonce)), .exactly(nonce)),
                .failure(.nonceMismatch))
        }
    }

    @Test func `only Apple may say that nonces are not supported`() {
        for claim in [JSON.bool(false), "false"] {
            let token = IDToken.apple().with("nonce_supported", claim)
            expectEqual(outcome(token), .success(false))
            expectEqual(outcome(token.with("nonce", "other")), .failure(.nonceMismatch))
        }
        for claim in [.bool(true), "true", 0, .null, nil] as [JSON?] {
            expectEqual(outcome(.apple().with("nonce_supported", claim)), .failure(.nonceMismatch))
        }
        expectEqual(outcome(.google().with("nonce_supported", false)), .failure(.nonceMismatch))
    }

    @Test(arguments: [JSON.string(nonce), 7, nil] as [JSON?])
    func `an ignored nonce is not checked`(claim: JSON?) {
        expectEqual(outcome(.google().with("nonce", claim), .ignored), .success(false))
    }
}
