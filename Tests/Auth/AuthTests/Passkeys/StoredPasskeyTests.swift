import WebAuthnTestSupport

/// The rows of passkeys, when keys, owners and accounts change.
@Suite("Stored passkeys") struct StoredPasskeyTests {
    private let clock = TestClock()
    private let memory: MemoryStore

    init() { memory = MemoryStore(clock: clock.wall) }

    private func process(
        _ byte: UInt8 = 7, previous: [UInt8] = [], seed: UInt64 = 1
    ) throws -> AuthKit {
        var master = try AuthKit.masterKey(byte)
        master.previous = try previous.map { try AuthKit.masterKey($0) }
        return try AuthKit(
            policy: .passkeys(), clock: clock, store: memory, master: master, seed: seed)
    }

    private func renewed(_ kit: AuthKit) throws -> Int? {
        try kit.auth.housekeeping([.replaceMasterKey], until: nil)[0].counts
            .first { $0.name == "renewed" }?.count
    }

    // MARK: Master keys

    @Test func `the rows are encrypted again with a new master key`() throws {
        let old = try process(1)
        var passkey = try SoftwareAuthenticator()
        _ = try old.signUp(with: &passkey)
        let both = try process(2, previous: [1], seed: 2)
        try expectEqual(renewed(both), 1)
        let new = try process(2, seed: 3)
        #expect(throws: Never.self) { try new.signIn(with: passkey) }
        try expectEqual(renewed(both), 0)
    }

    @Test func `a sign-in encrypts the row of its passkey with the new key`() throws {
        let old = try process(1)
        var passkey = try SoftwareAuthenticator()
        _ = try old.signUp(with: &passkey)
        let both = try process(2, previous: [1], seed: 2)
        #expect(throws: Never.self) { try both.signIn(with: passkey) }
        let new = try process(2, seed: 3)
        #expect(throws: Never.self) { try new.signIn(with: passkey) }
        // The entry of the index follows.
        try expectEqual(renewed(both), 1)
    }

    @Test func `a passkey is refused if its master key is lost`() throws {
        let old = try process(1)
        var passkey = try SoftwareAuthenticator()
        let user = try old.signUp(with: &passkey).user
        let new = try process(2, seed: 2)
        expectError(.passkey(.refused)) { try new.signIn(with: passkey) }
        try expectEqual(new.refusals(of: user.id), ["notSealedForAccount"])
    }

    // MARK: Unproven addresses

    /// An attacker registers the address of a victim, and adds a passkey.
    @Test func `a proof of the address removes passkeys added before it`() throws {
        let kit = try process()
        try kit.account()
        let tokens = try kit.logIn()
        var passkey = try SoftwareAuthenticator()
        try kit.add(&passkey, by: tokens)
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: "another password")
        expectError(.passkey(.refused)) { try kit.signIn(with: passkey) }
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.isEmailVerified && user.identities.map(\.provider) == ["email"])
        try expectEqual(memory.get(try passkey.claim), nil)
        try expectEqual(memory.get(StoreLayout.passkey(try passkey.id, of: user.id)), nil)
    }

    @Test func `a proven address keeps its passkeys when the password is reset`() throws {
        let kit = try process()
        try kit.provenAccount()
        var passkey = try SoftwareAuthenticator()
        try kit.add(&passkey, by: try kit.logIn())
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: "another password")
        #expect(throws: Never.self) { try kit.signIn(with: passkey) }
    }

    // MARK: Deletion

    @Test func `a deleted account releases its credentials, and its rows are erased`() throws {
        let kit = try process()
        var (one, two) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let tokens = try kit.signUp(with: &one)
        try kit.add(&two, by: tokens)
        try kit.delete(tokens)
        for passkey in [one, two] { try expectEqual(memory.get(try passkey.claim), nil) }
        try expectEqual(kit.user(tokens.user.id)?.passkeyHandle, nil)
        kit.finishReply()
        for passkey in [one, two] {
            let row = StoreLayout.passkey(try passkey.id, of: tokens.user.id)
            try expectEqual(memory.get(row), nil)
        }
        let entries = try (0..<SealedRowEntry.shards).flatMap {
            try memory.query(SealedRowEntry.query(shard: $0, limit: 100)).items
        }
        #expect(entries.isEmpty)
        #expect(try kit.signUp(with: &one).user.id != tokens.user.id)
    }

    @Test func `housekeeping has nothing to revoke for a removed passkey`() throws {
        let kit = try process()
        var (one, two) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let tokens = try kit.signUp(with: &one)
        try kit.add(&two, by: tokens)
        try kit.auth.removePasskey(try two.id, kit.caller(tokens))
        #expect(try memory.query(DeletionRecord.query(limit: 10)).items.isEmpty)
    }
}
