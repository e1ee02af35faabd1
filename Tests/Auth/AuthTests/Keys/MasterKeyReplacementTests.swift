@Suite("Replacing the master key") struct MasterKeyReplacementTests {
    private let clock = TestClock()
    private let store: MemoryStore

    init() { store = MemoryStore(clock: clock.wall) }

    /// A process with the master key `byte` and previous master keys.
    private func process(
        _ byte: UInt8, previous: [UInt8] = [], _ form: RefreshTokenForm, seed: UInt64
    ) throws -> AuthKit {
        var master = try AuthKit.masterKey(byte)
        master.previous = try previous.map { try AuthKit.masterKey($0) }
        return try AuthKit(
            policy: AccessTokensTests.policy.with { $0.sessions.refreshTokens = form },
            clock: clock, store: store,
            signingKeys: SigningKeys(
                stored: StoredSigningKeys(
                    store: store, random: .seeded(seed), algorithm: .es256,
                    sealing: try master.sealing { $0.signingKeys })),
            master: master, seed: seed)
    }

    static let forms: [RefreshTokenForm] = [
        .selfContained(prefix: "lkr_"), .opaque(prefix: "lkr_"), .uuid, .jwt(type: "refresh"),
    ]

    @Test(arguments: forms) func `replacing the master key ends no session`(form: RefreshTokenForm)
        throws
    {
        let first = try process(1, form, seed: 1).session()
        // With the old key as previous key, both tokens work.
        let both = try process(2, previous: [1], form, seed: 2)
        let second = try both.refresh(first)
        #expect(throws: Never.self) { try both.authenticate(first) }
        #expect(throws: Never.self) { try both.authenticate(second) }
        // Without it the session continues, because it was refreshed.
        let new = try process(2, form, seed: 3)
        #expect(throws: Never.self) { try new.authenticate(second) }
        let third = try new.refresh(second)
        #expect(throws: Never.self) { try new.authenticate(third) }
    }

    @Test func `tokens of the old key are refused without the old key`() throws {
        let form = RefreshTokenForm.selfContained(prefix: "lkr_")
        let old = try process(1, form, seed: 1)
        let first = try old.session()
        let both = try process(2, previous: [1], form, seed: 2)
        _ = try both.auth.signingKeys.signingKey(at: clock.now)
        let new = try process(2, form, seed: 3)
        expectError(.refreshToken(.malformed)) { try new.refresh(first) }
        // The signing keys were re-encrypted.
        #expect(throws: Never.self) { try new.authenticate(first) }
    }

    @Test(arguments: forms)
    func `a repeated refresh has the same successor after the replacement`(
        form: RefreshTokenForm
    ) throws {
        let old = try process(1, form, seed: 1)
        let first = try old.session().refresh.reveal()
        let second = try old.refresh(first, Caller()).refresh.reveal()
        let both = try process(2, previous: [1], form, seed: 2)
        try expectEqual(both.refresh(first, Caller()).refresh.reveal(), second)
        #expect(throws: Never.self) { try both.refresh(second, Caller()) }
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
