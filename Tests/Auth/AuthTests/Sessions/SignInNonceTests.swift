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

    @Test func `a token with another nonce does not consume the request's nonce`() throws {
        let (mine, other) = (try issued(), try issued())
        fake.add("stolen", FakeIdentity { $0.nonce = other })
        fake.add("mine", FakeIdentity { $0.nonce = mine })
        expectError(.signIn(.identityRejected(.nonceMismatch))) {
            try signIn("stolen", nonce: mine)
        }
        expectError(.signIn(.identityRejected(.nonceMismatch))) { try signIn("stolen", nonce: nil) }
        #expect(try signIn("mine", nonce: mine).isNewUser)
    }

    @Test func `a used token does not consume a nonce`() throws {
        let nonce = try issued()
        fake.add("one", FakeIdentity { $0.nonce = nonce })
        fake.add("plain")
        _ = try signIn("plain", nonce: nil)
        expectError(.signIn(.identityTokenReused)) { try signIn("plain", nonce: nil) }
        #expect(try signIn("one", nonce: nonce).tokens != nil)
    }
}
