import AuthTestSupport
import TestSupport

@Suite("Nonce")
struct NonceTests {
    let fixture = ProviderFixture()

    static let nonce = "n-0S6_WzA2Mj"
    static let hash = SHA256.hash(Array(nonce.utf8))

    @Test(arguments: [nonce, Hex.encode(hash), Base64URL.encode(hash)])
    func `the claim is the nonce or its hash`(claim: String) throws {
        let apple = IDToken.apple().with("nonce", .string(claim)).text
        let identity = try fixture.verify(apple, Configured.apple, nonce: .exactly(Self.nonce))
            .get()
        #expect(identity.nonceWasChecked)
        let google = IDToken.google().with("nonce", .string(claim)).text
        let other = try fixture.verify(google, Configured.google, nonce: .exactly(Self.nonce)).get()
        #expect(other.nonceWasChecked)
    }

    static let mismatches: [JSON?] = [
        "", "n-0S6_WzA2M", "n-0S6_WzA2Mj ", "N-0S6_WzA2Mj", "n-0S6_WzA2Mj\u{0}",
        .string(Hex.encode(hash).uppercased()), .string(Hex.encode(SHA256.hash(hash))),
        .string(Base64.encode(hash)), nil, .null, 7, true, [.string(nonce)],
        ["a": .string(nonce)],
    ]

    @Test(arguments: mismatches)
    func `any other claim is a mismatch`(claim: JSON?) {
        let token = IDToken.apple().with("nonce", claim).text
        let verdict = fixture.verify(token, Configured.apple, nonce: .exactly(Self.nonce))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test(arguments: [JSON.string(nonce), "", .null, 7, [], ["a": "b"]] as [JSON])
    func `a nonce claim without an expected nonce is a mismatch`(claim: JSON) {
        let token = IDToken.google().with("nonce", claim).text
        let verdict = fixture.verify(token, Configured.google, nonce: .exactly(nil))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test(arguments: ["", String(repeating: "a", count: 513)])
    func `an invalid nonce matches nothing`(nonce: String) {
        let token = IDToken.google().with("nonce", .string(nonce)).text
        let verdict = fixture.verify(token, Configured.google, nonce: .exactly(nonce))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test(arguments: [JSON.bool(false), "false"] as [JSON])
    func `Apple may say that nonces are not supported`(claim: JSON) throws {
        let token = IDToken.apple().with("nonce_supported", claim)
        let identity = try fixture.verify(
            token.text, Configured.apple, nonce: .exactly(Self.nonce)
        ).get()
        #expect(!identity.nonceWasChecked)
        let wrong = token.with("nonce", "other").text
        let verdict = fixture.verify(wrong, Configured.apple, nonce: .exactly(Self.nonce))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test(arguments: [JSON.bool(true), "true", 0, .null, nil] as [JSON?])
    func `the nonce is required unless Apple says nonce_supported false`(claim: JSON?) {
        let token = IDToken.apple().with("nonce_supported", claim).text
        let verdict = fixture.verify(token, Configured.apple, nonce: .exactly(Self.nonce))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test func `nonce_supported is ignored for providers other than Apple`() {
        let token = IDToken.google().with("nonce_supported", false).text
        let verdict = fixture.verify(token, Configured.google, nonce: .exactly(Self.nonce))
        expectEqual(verdict.failure, .nonceMismatch)
    }

    @Test(arguments: [JSON.string(nonce), 7, nil] as [JSON?])
    func `an ignored nonce is not checked`(claim: JSON?) throws {
        let token = IDToken.google().with("nonce", claim).text
        let identity = try fixture.verify(token, Configured.google, nonce: .ignored).get()
        #expect(!identity.nonceWasChecked)
    }
}
