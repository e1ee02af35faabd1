import AuthDomain
import AuthOperations
import AuthTestSupport
import IdentityProviders
import TestSupport
import Testing
import Time

/// Nonces issued by the server: a stolen identity token is useless without its nonce.
@Suite("SignIn with a nonce") struct SignInNonceTests {
    let fake = FakeIdentityProviders()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(_ token: String, nonce: String?) throws(AuthError) -> SignIn.Output {
        try kit.signIn(fake.gateway)(
            SignIn.Input(provider: "apple", idToken: token, nonce: nonce), Caller())
    }

    private func issued() throws -> String { try kit.challenge(Caller()).nonce }

    @Test func `an issued nonce signs in, once`() throws {
        let nonce = try issued()
        for token in ["one", "two"] { fake.add(token, FakeIdentity { $0.nonce = nonce }) }
        #expect(try signIn("one", nonce: nonce).isNewUser)
        #expect(throws: AuthError.signIn(.challengeUnknown)) { try signIn("two", nonce: nonce) }
    }

    @Test func `a nonce that was not issued here is refused, even if the token has it`() throws {
        for nonce in ["chosen by the thief", "", "\u{0}", String(repeating: "n", count: 30_000)] {
            fake.add("one", FakeIdentity { $0.nonce = nonce })
            #expect(throws: AuthError.signIn(.challengeUnknown)) { try signIn("one", nonce: nonce) }
        }
        try expectEqual(kit.sessionCount(), 0)
    }

    @Test func `a nonce expires`() throws {
        let nonce = try issued()
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        kit.clock.advance(by: kit.auth.policy.identity.challengeLifetime)
        #expect(throws: AuthError.signIn(.challengeUnknown)) { try signIn("one", nonce: nonce) }
    }

    @Test func `a token with another nonce does not consume the one in the request`() throws {
        let (mine, other) = (try issued(), try issued())
        fake.add("stolen", FakeIdentity { $0.nonce = other })
        fake.add("mine", FakeIdentity { $0.nonce = mine })
        #expect(throws: AuthError.signIn(.identityRejected(.nonceMismatch))) {
            try signIn("stolen", nonce: mine)
        }
        #expect(throws: AuthError.signIn(.identityRejected(.nonceMismatch))) {
            try signIn("stolen", nonce: nil)
        }
        #expect(try signIn("mine", nonce: mine).isNewUser)
    }

    @Test func `a used token does not consume a nonce`() throws {
        let nonce = try issued()
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        fake.add("plain")
        _ = try signIn("plain", nonce: nil)
        #expect(throws: AuthError.signIn(.identityTokenReused)) { try signIn("plain", nonce: nil) }
        #expect(try signIn("one", nonce: nonce).tokens != nil)
    }

    @Test func `a deployment can require a nonce`() throws {
        let strict = try AuthKit(policy: .testing.with { $0.identity.requiresNonce = true })
        fake.add("one")
        #expect(throws: AuthError.signIn(.nonceRequired)) {
            try strict.signIn(fake.gateway)(
                SignIn.Input(provider: "apple", idToken: "one"), Caller())
        }
    }

    // MARK: Nonces chosen by the client

    private func signInWithOwnNonce(
        _ token: String, nonce: String?
    ) throws -> SignIn.Output {
        let kit = try AuthKit(policy: .testing.with { $0.identity.nonce = .chosenByClient })
        return try kit.signIn(fake.gateway)(
            SignIn.Input(provider: "apple", idToken: token, nonce: nonce), Caller())
    }

    @Test func `a nonce chosen by the client needs no challenge`() throws {
        fake.add("one", FakeIdentity { $0.nonce = "own" })
        #expect(try signInWithOwnNonce("one", nonce: "own").isNewUser)
    }

    /// As photolala's client does.
    @Test func `a token with a nonce is accepted when the client does not repeat it`() throws {
        fake.add("one", FakeIdentity { $0.nonce = "own" })
        #expect(try signInWithOwnNonce("one", nonce: nil).isNewUser)
    }

    @Test func `a nonce in the request must match the token's`() throws {
        fake.add("one", FakeIdentity { $0.nonce = "own" })
        fake.add("plain")
        for (token, nonce) in [("one", "other"), ("one", ""), ("plain", "own")] {
            #expect(throws: AuthError.signIn(.identityRejected(.nonceMismatch))) {
                try signInWithOwnNonce(token, nonce: nonce)
            }
        }
    }

    // MARK: One-time values

    /// keycloak#47715: one namespace for all one-time values allowed replaying a consumed link.
    @Test func `nonces and fingerprints of identity tokens have separate namespaces`() throws {
        let nonce = try issued()
        fake.add(nonce)
        _ = try signIn(nonce, nonce: nil)
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        #expect(try signIn("one", nonce: nonce).tokens != nil)
    }

    @Test func `nonces are long, unique, and valid for every provider`() throws {
        var seen: Set<String> = []
        for _ in 0..<100 {
            let nonce = try issued()
            expectEqual(nonce.utf8.count, 43)
            seen.insert(nonce)
        }
        expectEqual(seen.count, 100)
    }
}
