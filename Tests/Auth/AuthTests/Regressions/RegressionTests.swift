/// Bugs of other systems, each with a test that would detect it here.
@Suite("Known bugs of other systems") struct RegressionTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore() }

    private func refresh(_ token: String) throws(AuthError) -> SessionTokens {
        try kit.refresh(token, Caller())
    }

    /// CVE-2026-4325, keycloak#47715: all one-time values shared one namespace.
    @Test func `one-time values of different kinds have separate namespaces`() throws {
        let text = "the same text everywhere"
        let hash = SHA256.hash(Array(text.utf8))
        let keys = [
            StoreLayout.challenge(nonce: text), StoreLayout.usedIdentityToken(fingerprint: hash),
            StoreLayout.refreshToken(hash: hash), StoreLayout.identity(issuer: text, subject: text),
        ]
        expectEqual(Set(keys.map(\.partition)).count, keys.count)
        // A consumed nonce cannot be used again.
        let nonce = try kit.challenge(Caller()).nonce
        let fake = FakeIdentityProviders()
        for token in ["one", "two"] { fake.add(token, FakeIdentity { $0.nonce = nonce }) }
        func signIn(_ token: String) throws(AuthError) {
            _ = try kit.signIn(fake.gateway)(
                SignIn.Input(provider: "apple", idToken: token, nonce: nonce), Caller())
        }
        try signIn("one")
        expectError(.signIn(.challengeUnknown)) { try signIn("two") }
    }

    /// Vault-Web/vault-web#260: only active tokens were searched, so the reuse of replaced ones was
    /// not detected. Here it is, even long after the idle timeout of their own generation.
    @Test func `reuse is detected as long as the session can exist`() throws {
        let first = try kit.session()
        // A thief keeps the session active while the owner is away.
        var held = try refresh(first.refresh.reveal()).refresh.reveal()
        for _ in 0..<12 {
            kit.clock.advance(by: .days(29))
            held = try refresh(held).refresh.reveal()
        }
        expectError(.refreshToken(.reusedOlder)) { try refresh(first.refresh.reveal()) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(held) }
        #expect(try kit.audit(of: first.user.id).contains("refreshTokenReused"))
    }
}

extension FaultyStore.Call {
    /// Whether this call is the final write of a refresh.
    var advancesSession: Bool {
        guard case .write(let writes) = self, writes.count == 1 else { return false }
        return writes[0].key.sort.hasPrefix(StoreLayout.sessionPrefix)
    }
}
