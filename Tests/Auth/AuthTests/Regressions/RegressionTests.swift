import AuthTestSupport
import Foundation
import SQLiteStore
import TestSupport

/// Bugs of other systems, each with a test that would detect it here.
@Suite("Known bugs of other systems") struct RegressionTests {
    let clock = TestClock()
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        store = FaultyStore(MemoryStore(clock: clock.wall))
        kit = try AuthKit(clock: clock, store: store)
    }

    private func refresh(_ token: String) throws(AuthError) -> SessionTokens {
        try kit.refresh(token, Caller())
    }

    /// keycloak#51312: a refresh wrote back the session that a revocation had just deleted.
    @Test func `a refresh that interleaves with a revocation does not restore the session`() throws
    {
        for scope in [SignOut.Scope.session, .all] {
            let tokens = try kit.session()
            let behind = kit
            store.beforeNextWrite {
                try behind.signOut(refreshToken: tokens.refresh.reveal(), scope: scope, Caller())
            }
            // With scope `all` the row is written, but with an outdated epoch.
            let late = try? refresh(tokens.refresh.reveal())
            expectEqual(late == nil, scope == .session)
            for tokens in [tokens, late].compactMap({ $0 }) {
                expectError(.accessToken(.sessionEnded)) { try kit.authenticate(tokens) }
                expectError(.refreshToken(.sessionEnded)) { try refresh(tokens.refresh.reveal()) }
            }
        }
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

    /// CVE-2026-16103, keycloak#50996: the user was checked at the beginning of the request and not
    /// at its end.
    ///
    /// The write of a refresh has no condition on the user's row. The tokens are useless, because
    /// every request that presents them reads that row.
    @Test func `a user who is disabled during a refresh gets no usable tokens`() throws {
        let tokens = try kit.session()
        let kit = kit
        store.beforeNextWrite { try kit.disable(tokens.user) }
        let late = try refresh(tokens.refresh.reveal())
        expectError(.account(.disabled)) { try kit.authenticate(late) }
        expectError(.account(.disabled)) { try refresh(late.refresh.reveal()) }
        expectError(.account(.disabled)) { try refresh(tokens.refresh.reveal()) }
    }

    /// better-auth, token.ts: the session was deleted while a token was being added to it.
    @Test func `a session that is revoked while it is refreshed has ended`() throws {
        let first = try kit.session()
        let second = try refresh(first.refresh.reveal())
        let third = try refresh(second.refresh.reveal())
        let kit = kit
        // The reuse of the oldest is detected just before the newest advances.
        store.beforeNextWrite { _ = try? kit.refresh(first) }
        expectError(.refreshToken(.sessionEnded)) { try refresh(third.refresh.reveal()) }
        #expect(try kit.sessions(of: first.user.id).isEmpty)
        for tokens in [first, second, third] {
            expectError(.refreshToken(.sessionEnded)) { try refresh(tokens.refresh.reveal()) }
        }
    }

    /// Vault-Web/vault-web#260: only active tokens were searched, so the reuse of replaced ones was
    /// not detected. Here it is, even long after the idle timeout of their own generation.
    @Test func `reuse is detected as long as the session can exist`() throws {
        let first = try kit.session()
        // A thief keeps the session active while the owner is away.
        var held = try refresh(first.refresh.reveal()).refresh.reveal()
        for _ in 0..<12 {
            clock.advance(by: .days(29))
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
