@Suite("Replacing the master key") struct MasterKeyReplacementTests {
    private let clock = TestClock()
    private let store: MemoryStore

    init() { store = MemoryStore(clock: clock.wall) }

    /// A process with the master key `byte` and previous master keys.
    private func process(_ byte: UInt8, previous: [UInt8] = [], seed: UInt64) throws -> AuthKit {
        var master = try AuthKit.masterKey(byte)
        master.previous = try previous.map { try AuthKit.masterKey($0) }
        return try AuthKit(
            policy: AccessTokensTests.policy, clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256,
                    sealing: try master.sealing { $0.signingKeys })),
            master: master, seed: seed)
    }

    @Test func `tokens of the old key are refused without the old key`() throws {
        let old = try process(1, seed: 1)
        let first = try old.session()
        let both = try process(2, previous: [1], seed: 2)
        _ = try both.auth.signingKeys.signingKey(at: clock.now)
        let new = try process(2, seed: 3)
        expectError(.refreshToken(.malformed)) { try new.refresh(first) }
        // The signing keys were re-encrypted.
        #expect(throws: Never.self) { try new.authenticate(first) }
    }

    @Test func `secrets are decrypted with a previous key and encrypted with the new one`() throws {
        let old = try AuthKit.masterKey(1)
        var master = try AuthKit.masterKey(2)
        master.previous = [old]
        let random = RandomSource.seeded(1)
        let before = try old.sealing { $0.mail }.seal([1, 2], additional: [3], random: random)
        let sealing = try master.sealing { $0.mail }
        try expectEqual(sealing.open(before, additional: [3]).reveal(), [1, 2])
        #expect(sealing.isOutdated(before, additional: [3]))
        let after = try sealing.seal([1, 2], additional: [3], random: random)
        #expect(!sealing.isOutdated(after, additional: [3]))
        #expect(throws: CryptoFailure.notAuthentic) {
            try old.sealing { $0.mail }.open(after, additional: [3])
        }
        #expect(throws: CryptoFailure.notAuthentic) { try sealing.open(before, additional: [4]) }
        // The keys of another purpose differ.
        #expect(throws: CryptoFailure.notAuthentic) {
            try master.sealing { $0.grants }.open(before, additional: [3])
        }
    }
}
