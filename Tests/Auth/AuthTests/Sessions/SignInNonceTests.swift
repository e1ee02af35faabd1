import AuthDomain
import AuthOperations
import AuthTestSupport
import IdentityProviders
import Testing
import Time

/// The nonce that we issue: it makes a stolen identity token worth nothing.
@Suite("SignIn with a nonce") struct SignInNonceTests {
    let fake = FakeDesk()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(_ token: String, nonce: String?) throws(Problem) -> SignIn.Output {
        try kit.signIn(fake.desk)(
            SignIn.Input(provider: "apple", idToken: token, nonce: nonce), RequestContext())
    }

    private func issued() throws -> String { try kit.challenge(RequestContext()).nonce }

    @Test func `an issued nonce signs in, once`() throws {
        let nonce = try issued()
        for token in ["one", "two"] { fake.add(token, FakeIdentity { $0.nonce = nonce }) }
        #expect(try signIn("one", nonce: nonce).isNewUser)
        #expect(throws: Problem.challengeUnknown) { try signIn("two", nonce: nonce) }
    }

    @Test func `a nonce that we never issued opens nothing, though the token has it`() throws {
        for nonce in ["chosen by the thief", "", "\u{0}", String(repeating: "n", count: 30_000)] {
            fake.add("one", FakeIdentity { $0.nonce = nonce })
            #expect(throws: Problem.challengeUnknown) { try signIn("one", nonce: nonce) }
        }
        #expect(try kit.sessionCount() == 0)
    }

    @Test func `a nonce ends with its time`() throws {
        let nonce = try issued()
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        kit.clock.advance(by: kit.ground.policy.challengeLifetime)
        #expect(throws: Problem.challengeUnknown) { try signIn("one", nonce: nonce) }
    }

    @Test func `a token of another nonce does not use up the one in the request`() throws {
        let (mine, other) = (try issued(), try issued())
        fake.add("stolen", FakeIdentity { $0.nonce = other })
        fake.add("mine", FakeIdentity { $0.nonce = mine })
        #expect(throws: Problem.identityRejected(.nonceMismatch)) {
            try signIn("stolen", nonce: mine)
        }
        #expect(throws: Problem.identityRejected(.nonceMismatch)) {
            try signIn("stolen", nonce: nil)
        }
        #expect(try signIn("mine", nonce: mine).isNewUser)
    }

    @Test func `a spent token does not use up a nonce`() throws {
        let nonce = try issued()
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        fake.add("plain")
        _ = try signIn("plain", nonce: nil)
        #expect(throws: Problem.identityTokenSpent) { try signIn("plain", nonce: nil) }
        #expect(try signIn("one", nonce: nonce).tokens != nil)
    }

    @Test func `a deployment may insist on a nonce`() throws {
        let strict = try AuthKit(policy: .testing.with { $0.requiresNonce = true })
        fake.add("one")
        #expect(throws: Problem.missing(field: "nonce")) {
            try strict.signIn(fake.desk)(
                SignIn.Input(provider: "apple", idToken: "one"), RequestContext())
        }
    }

    @Test func `where the client chose the nonce, nothing of ours is consumed`() throws {
        let echoing = try AuthKit(policy: .testing.with { $0.nonce = .echoed })
        fake.add("one", FakeIdentity { $0.nonce = "own" })
        let input = SignIn.Input(provider: "apple", idToken: "one", nonce: "own")
        #expect(try echoing.signIn(fake.desk)(input, RequestContext()).isNewUser)
    }

    /// keycloak#47715: one namespace for all one-time things let a consumed link be replayed.
    @Test func `an identity token's fingerprint is no nonce and a nonce no fingerprint`() throws {
        let nonce = try issued()
        fake.add(nonce)
        _ = try signIn(nonce, nonce: nil)
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        #expect(try signIn("one", nonce: nonce).tokens != nil)
    }

    @Test func `nonces are long, different, and of the alphabet of every provider`() throws {
        var seen: Set<String> = []
        for _ in 0..<100 {
            let nonce = try issued()
            #expect(nonce.utf8.count == 43)
            seen.insert(nonce)
        }
        #expect(seen.count == 100)
    }
}
