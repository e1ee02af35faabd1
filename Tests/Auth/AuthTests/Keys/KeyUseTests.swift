/// Signing keys of access tokens and the published key set.
@Suite("Keys in use") struct KeyUseTests {
    let clock = TestClock()
    let store: FaultyStore
    let policy = AccessTokensTests.policy

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    private func process(seed: UInt64) throws -> AuthKit {
        let sealing = try AESGCMKey(SecretBytes([UInt8](repeating: 1, count: 32)))
        return try AuthKit(
            policy: policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256, sealing: sealing)),
            seed: seed)
    }

    private func token(of kit: AuthKit) throws -> String {
        try kit.session(of: "\(kit.auth.random.bytes(4))").access.reveal()
    }

    @Test func `a warm process accepts a key newer than its cache`() throws {
        let (old, new) = (try process(seed: 1), try process(seed: 2))
        let first = try token(of: old)
        _ = try new.authenticate(first)
        clock.advance(by: SigningKeys.rotationAge - SigningKeys.publishedBeforeUse)
        // `new` reads the keys now and caches one; then another process rotates.
        expectError(.accessToken(.expired)) { try new.authenticate(first) }
        _ = try process(seed: 3).auth.signingKeys.signingKey(at: clock.now)
        clock.advance(by: .milliseconds(1))
        clock.advance(by: SigningKeys.publishedBeforeUse)
        let young = try token(of: try process(seed: 4))
        #expect(throws: Never.self) { try new.authenticate(young) }
    }

    /// Key IDs are untrusted: any client can make them up.
    @Test func `unknown key ids cause at most one read per interval`() throws {
        let kit = try process(seed: 1)
        let good = try token(of: kit)
        _ = try kit.authenticate(good)
        let forged = try (UInt64(90)..<110).map { seed in
            try JWT.sign(
                ["iss": "x"], with: SigningKey.generate(.es256, random: .seeded(seed)),
                type: "at+jwt", includesKeyID: true)
        }
        func present() {
            for token in forged {
                expectError(.accessToken(.invalid)) { try kit.authenticate(token) }
            }
        }
        store.forgetCalls()
        present()
        expectEqual(store.calls.count, 1)
        clock.advance(by: .milliseconds(4999))
        present()
        expectEqual(store.calls.count, 1)
        clock.advance(by: .milliseconds(1))
        present()
        expectEqual(store.calls.count, 2)
        #expect(throws: Never.self) { try kit.authenticate(good) }
    }

    /// An operator rotates by putting the new key first.
    @Test func `the first configured key signs and all of them verify`() throws {
        let keys = try (UInt64(1)...3).map { try SigningKey.generate(.es256, random: .seeded($0)) }
        let configured = try SigningKeys(configured: keys[0], Array(keys.dropFirst()))
        try expectEqual(configured.signingKey(at: clock.now).kid, keys[0].kid)
        try expectEqual(configured.verificationKeys(at: clock.now).keys.map(\.kid), keys.map(\.kid))
        let before = try AuthKit(
            policy: policy, clock: clock, store: store,
            signingKeys: SigningKeys(configured: keys[2]))
        let old = try token(of: before)
        let after = try AuthKit(
            policy: policy, clock: clock, store: store, signingKeys: configured, seed: 5)
        #expect(throws: Never.self) { try after.authenticate(old) }
    }

    @Test func `a shared secret is never published`() throws {
        let kit = try AuthKit()
        try expectEqual(kit.publishKeys.keySet(), ["keys": []])
    }
}
