@Suite("The master key of a store") struct CheckMasterKeyTests {
    private let clock = TestClock()
    private let memory: MemoryStore

    init() { memory = MemoryStore(clock: clock.wall) }

    private func process(_ byte: UInt8, previous: [UInt8] = []) throws -> AuthKit {
        var master = try AuthKit.masterKey(byte)
        master.previous = try previous.map { try AuthKit.masterKey($0) }
        let keys = StoredSigningKeys(
            store: memory, random: .seeded(UInt64(byte)), algorithm: .es256,
            sealing: try master.sealing { $0.signingKeys })
        return try AuthKit(
            policy: AccessTokensTests.policy, clock: clock, store: memory,
            signingKeys: SigningKeys(stored: keys), master: master)
    }

    @Test func `the first start records the key, and another key is refused`() throws {
        #expect(try process(1).auth.hasMasterKeyOfStore())
        #expect(try memory.get(StoreLayout.masterKey) != nil)
        #expect(try process(1).auth.hasMasterKeyOfStore())
        #expect(try !process(2).auth.hasMasterKeyOfStore())
        #expect(try process(2, previous: [3, 1]).auth.hasMasterKeyOfStore())
    }

    @Test func `without a record, a signing key identifies the master key, and the record is made`()
        throws
    {
        let old = try process(1)
        _ = try old.auth.signingKeys.signingKey(at: clock.now)
        try #require(try memory.get(StoreLayout.masterKey) == nil)
        #expect(try !process(2).auth.hasMasterKeyOfStore())
        #expect(try memory.get(StoreLayout.masterKey) == nil)
        #expect(try process(1).auth.hasMasterKeyOfStore())
        #expect(try memory.get(StoreLayout.masterKey) != nil)
    }

    @Test func `housekeeping with a wrong key does not record that key`() throws {
        #expect(try process(1).auth.hasMasterKeyOfStore())
        expectError(.fault(.sealedDataUnreadable)) {
            try process(2).auth.housekeeping([.replaceMasterKey], until: nil)
        }
        #expect(try !process(2).auth.hasMasterKeyOfStore())
        _ = try process(2, previous: [1]).auth.housekeeping([.replaceMasterKey], until: nil)
        #expect(try process(2).auth.hasMasterKeyOfStore())
    }
}
