import WebAuthnTestSupport

/// Bugs of other systems, each with a test that would detect it here.
@Suite("Known bugs of other systems: passkeys") struct PasskeyRegressionTests {
    private let clock = TestClock()
    private let memory: MemoryStore
    private let kit: AuthKit

    init() throws {
        memory = MemoryStore(clock: clock.wall)
        kit = try AuthKit(policy: .passkeys(), clock: clock, store: memory)
    }

    /// risa-labs/BossConsole#924: a public page could bind a ceremony to its own session.
    @Test func `a stolen challenge cannot be answered in another session`() throws {
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        let begun = try kit.begin()
        let attacker = try kit.begin()
        // The victim signs the challenge of the page, the attacker sends the answer.
        expectError(.passkey(.refused)) {
            _ = try kit.signIn(with: passkey, in: attacker.secret, begun.challenge)
        }
        expectError(.passkey(.ceremonyInvalid)) {
            try kit.signIn(with: passkey, in: begun.challenge.text, begun.challenge)
        }
    }

    /// AthenaNetworks/mymate#42: a session of a password alone added a passkey, which passed for
    /// two factors, and removed the owner's.
    @Test func `a session by password only cannot manage the passkeys of a protected account`()
        throws
    {
        let policy = Policy.passkeys { $0.devices = DevicePolicy() }
        let account = try ProtectedAccount(policy)
        let kit = account.kit
        var passkey = try SoftwareAuthenticator()
        try kit.add(&passkey, by: account.tokens)
        // As a trusted device has it.
        let session = try kit.authenticate(account.tokens).session
        let key = StoreLayout.session(session.id, of: account.user.id)
        var row = try #require(try kit.store.get(key))
        row.attributes["includesSecondFactor"] = nil
        try kit.store.write([.put(row, when: [])])
        var other = try SoftwareAuthenticator(seed: 2)
        let added = kit.error { try kit.add(&other, by: account.tokens) }
        let removed = kit.error { try kit.auth.removePasskey(try passkey.id, account.caller) }
        expectEqual(added, .recentSignInRequired(.twoFactors))
        expectEqual(removed, .recentSignInRequired(.twoFactors))
    }

    /// spring-security#16685: a sign-in with a passkey did not count as a session.
    @Test func `a sign-in with a passkey observes the limit of sessions`() throws {
        let kit = try AuthKit(policy: .passkeys { $0.sessions.sessionsMax = 2 })
        var passkey = try SoftwareAuthenticator()
        let first = try kit.signUp(with: &passkey)
        for _ in 0..<3 {
            kit.clock.advance(by: .seconds(1))
            _ = try kit.signIn(with: passkey)
        }
        try expectEqual(kit.sessions(of: first.user.id).count, 2)
        #expect(throws: AuthError.self) { try kit.authenticate(first) }
    }

    /// bitwarden/clients#21808: a passkey that had been switched off still signed in.
    @Test func `a passkey that was removed does not sign in, not even from a backup`() throws {
        var (one, two) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let tokens = try kit.signUp(with: &one)
        try kit.add(&two, by: tokens)
        let row = StoreLayout.passkey(try two.id, of: tokens.user.id)
        let rows = [try #require(try memory.get(row)), try #require(try memory.get(try two.claim))]
        try kit.auth.removePasskey(try two.id, kit.caller(tokens))
        expectError(.passkey(.refused)) { try kit.signIn(with: two) }
        try memory.write(rows.map { .put($0, when: []) })
        expectError(.passkey(.refused)) { try kit.signIn(with: two) }
    }

    /// stellar-disbursement-platform PR 917, onetimesecret#4414: a credential of one tenant was
    /// good in another. Two deployments may share a store, or a browser.
    @Test func `a passkey of another relying party is unknown`() throws {
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        let other = try AuthKit(
            policy: .passkeys(), clock: clock, store: memory, seed: 2,
            passkeys: try .testing(id: "other.example", origins: "https://other.example"))
        passkey.relyingPartyID = "other.example"
        passkey.origin = "https://other.example"
        expectError(.passkey(.refused)) { try other.signIn(with: passkey) }
        passkey.relyingPartyID = "example.org"
        expectError(.passkey(.refused)) { try other.signIn(with: passkey) }
    }

    /// OWASP CheatSheetSeries#2150: who can write to the database makes their passkey another
    /// account's.
    @Test func `a row that was moved to another account is refused and recorded`() throws {
        var (attacker, own) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let from = try kit.signUp(with: &attacker).user
        let victim = try kit.signUp(with: &own).user
        let id = try attacker.id
        let identity = try attacker.identity
        var row = try #require(try memory.get(StoreLayout.passkey(id, of: from.id)))
        row = Item(StoreLayout.passkey(id, of: victim.id), row.attributes)
        let claim = Item(try attacker.claim, ["user": .text(victim.id.text)])
        try memory.write([.put(row, when: []), .put(claim, when: [])])
        try kit.change(victim.id) { $0.identities.append(identity) }
        expectError(.passkey(.refused)) { try kit.signIn(with: attacker) { $0.userHandle = nil } }
        try expectEqual(kit.refusals(of: victim.id), ["notSealedForAccount"])
        try expectEqual(kit.sessions(of: victim.id).count, 1)
        // The victim's own passkeys are listed without it.
        try expectEqual(kit.passkeys(try kit.signIn(with: own).tokens).map(\.id), [try own.id])
    }
}
