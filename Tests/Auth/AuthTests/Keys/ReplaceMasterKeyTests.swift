/// Secrets in the rows of accounts are re-encrypted with a new master key.
@Suite("Replacing the master key: rows") struct ReplaceMasterKeyTests {
    private let clock = TestClock()
    private let memory: MemoryStore
    private let store: FaultyStore

    init() {
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
    }

    private func process(
        _ byte: UInt8, previous: [UInt8] = [], seed: UInt64 = 1, _ policy: Policy? = nil
    ) throws -> AuthKit {
        var master = try AuthKit.masterKey(byte)
        master.previous = try previous.map { try AuthKit.masterKey($0) }
        return try AuthKit(
            policy: policy ?? ProtectedAccount.policy(), clock: clock, store: store,
            master: master, seed: seed)
    }

    private func user(_ serial: UInt64) -> UserID { UserID(random: .seeded(serial)) }

    private func keep(_ kit: AuthKit, _ user: UserID, _ client: String = "app") throws {
        try store.write(
            try kit.auth.providerTokens.keep(
                .apple("token of \(client)", clientID: client), of: user))
    }

    private func token(_ kit: AuthKit, _ user: UserID, _ client: String = "app") throws -> String {
        let row = StoreLayout.grant(of: .apple(), clientID: client, in: user)
        let item = try #require(try memory.get(row))
        return String(
            decoding: try kit.auth.providerTokens.open(item).token.reveal(), as: UTF8.self)
    }

    /// nil if there is no previous key.
    private func run(_ kit: AuthKit, until end: Instant? = nil) throws -> [String: Int]? {
        let counts = try kit.auth.housekeeping([.replaceMasterKey], until: end)[0].counts
        return counts.isEmpty ? nil : Dictionary(uniqueKeysWithValues: counts.map { ($0, $1) })
    }

    /// The key ids of the entries of the index.
    private func entries() throws -> [String] {
        try (0..<SealedRowEntry.shards).flatMap { shard in
            try memory.query(SealedRowEntry.query(shard: shard, limit: 1000)).items
                .compactMap { SealedRowEntry($0.key)?.keyID }
        }
    }

    private func id(_ byte: UInt8) throws -> String { Hex.encode(try AuthKit.masterKey(byte).id) }

    @Test func `the secret of an authenticator app is encrypted with the new key`() throws {
        let account = try ProtectedAccount(clock: clock, store: store)
        try expectEqual(entries(), [try id(7)])
        let both = try process(2, previous: [7], seed: 2)
        try expectEqual(run(both)?["renewed"], 1)
        let new = try process(2, seed: 3)
        let ticket = try new.ticket(try new.firstFactor("ada@example.com", AuthKit.password))
        #expect(throws: Never.self) {
            try new.auth.completeSignIn(ticket: ticket, .code(account.code), Caller())
        }
    }

    @Test func `using a code encrypts the secret of its app with the new key`() throws {
        let account = try ProtectedAccount(clock: clock, store: store)
        let both = try process(2, previous: [7], seed: 2)
        var ticket = try both.ticket(try both.firstFactor("ada@example.com", AuthKit.password))
        _ = try both.auth.completeSignIn(ticket: ticket, .code(account.code), Caller())
        clock.advance(by: .seconds(60))
        let new = try process(2, seed: 3)
        ticket = try new.ticket(try new.firstFactor("ada@example.com", AuthKit.password))
        #expect(throws: Never.self) {
            try new.auth.completeSignIn(ticket: ticket, .code(account.code), Caller())
        }
        // The entry follows.
        try expectEqual(run(both)?["renewed"], 1)
        try expectEqual(entries(), [try id(2)])
    }

    @Test func `an enrolment keeps its expiry`() throws {
        let kit = try process(7)
        let user = try kit.provenAccount()
        _ = try kit.enrol(try kit.logIn())
        let row = StoreLayout.secondFactor(of: user.id)
        let expiry = try memory.get(row)?.expiresAt
        try expectEqual(run(try process(2, previous: [7], seed: 2))?["renewed"], 1)
        #expect(expiry != nil)
        try expectEqual(memory.get(row)?.expiresAt, expiry)
    }

    @Test func `a code that is used during the replacement is not restored`() throws {
        let account = try ProtectedAccount(clock: clock, store: store)
        let both = try process(2, previous: [7], seed: 2)
        try expectEqual(run(both)?["renewed"], 1)
        let third = try process(3, previous: [2, 7], seed: 3)
        let ticket = try account.ticket()
        let code = account.code
        // A run without time only records the use of the key.
        _ = try run(third, until: clock.now)
        // A function with the previous settings: it changes the row, but not its secret.
        store.beforeNextWrite {
            _ = try both.auth.completeSignIn(ticket: ticket, .code(code), Caller())
        }
        try expectEqual(run(third)?["left"], 1)
        try expectEqual(run(third)?["renewed"], 1)
        let again = try account.ticket()
        expectError(.secondFactor(.wrongCode)) {
            try third.auth.completeSignIn(ticket: again, .code(code), Caller())
        }
    }

    @Test func `entries of deleted rows are removed, unless the row is written again`() throws {
        let old = try process(1)
        try keep(old, user(1))
        let row = StoreLayout.grant(of: .apple(), clientID: "app", in: user(1))
        try store.write([.delete(row, when: [])])
        let both = try process(3, previous: [1], seed: 3)
        _ = try run(try process(3, seed: 2))
        store.beforeNextWrite { [self] in try keep(old, user(1)) }
        try expectEqual(run(both)?["left"], 1)
        try expectEqual(run(both)?["renewed"], 1)
        try store.write([.delete(row, when: [])])
        try expectEqual(run(try process(4, previous: [3], seed: 4))?["forgotten"], 1)
        #expect(try entries().isEmpty)
    }

    @Test func `a row that is concurrently encrypted with the old key keeps its entry`() throws {
        let (old, both) = (try process(1), try process(2, previous: [1], seed: 2))
        try keep(old, user(1))
        try keep(both, user(1))
        expectEqual(Set(try entries()), [try id(1), try id(2)])
        _ = try run(both, until: clock.now)
        // A function that does not have the new key yet.
        store.beforeNextWrite { [self] in try keep(old, user(1)) }
        try expectEqual(run(both)?["left"], 1)
        try expectEqual(run(both)?["renewed"], 1)
        try expectEqual(token(try process(2, seed: 3), user(1)), "token of app")
        try expectEqual(entries(), [try id(2)])
    }

    @Test func `secrets that no key decrypts are counted and kept`() throws {
        try keep(try process(1), user(1))
        let both = try process(3, previous: [2], seed: 2)
        let counts = try #require(try run(both))
        #expect(counts["unreadable"] == 1 && counts["renewed"] == 0)
        try expectEqual(entries(), [try id(1)])
        // The key is configured again.
        try expectEqual(run(try process(3, previous: [2, 1], seed: 3))?["renewed"], 1)
    }

    @Test func `a row of an unknown kind is not changed`() throws {
        let row = ItemKey(StoreLayout.profile(user(1)).partition, "NEWKIND#1")
        let entry = SealedRowEntry(keyID: try AuthKit.masterKey(1).id, row: row)
        let item = Item(row, ["sealed": .bytes([1])])
        try store.write([.put(item, when: []), .put(entry.item, when: [])])
        try expectEqual(run(try process(2, previous: [1]))?["unreadable"], 1)
        try expectEqual(memory.get(row), item)
    }

    @Test func `a run ends in time, and reports remaining work`() throws {
        try keep(try process(1), user(1))
        let both = try process(2, previous: [1], seed: 2)
        let counts = try #require(try run(both, until: clock.now))
        #expect(counts["renewed"] == 0 && counts["left"] == 1)
    }

    @Test func `rows of the current key are skipped`() throws {
        let new = try process(2)
        for serial in 1...400 { try keep(new, user(UInt64(serial))) }
        // Rows of the keys that sort before and after that one.
        for byte: UInt8 in [1, 3, 4, 5] { try keep(try process(byte), user(1000 + UInt64(byte))) }
        let both = try process(2, previous: [1, 3, 4, 5], seed: 2)
        store.forgetCalls()
        try expectEqual(run(both)?["renewed"], 4)
        let queries = store.calls.filter { call in
            if case .query = call { true } else { false }
        }
        #expect(queries.count <= 2 * SealedRowEntry.shards)
        expectEqual(Set(try entries()), [try id(2)])
    }

    @Test func `sessions and the audit log determine when the old key is no longer needed`()
        throws
    {
        let policy = ProtectedAccount.policy().with { $0.sessions.idleLifetime = .days(30) }
        _ = try run(try process(1, policy))
        clock.advance(by: .days(400))
        let both = try process(2, previous: [1], seed: 2, policy)
        var counts = try #require(try run(both))
        #expect(counts["sessionDaysLeft"] == 31 && counts["auditDaysLeft"] == 91)
        clock.advance(by: .days(31) - .milliseconds(1))
        try expectEqual(run(both)?["sessionDaysLeft"], 1)
        clock.advance(by: .milliseconds(1))
        counts = try #require(try run(both))
        #expect(counts["sessionDaysLeft"] == 0 && counts["auditDaysLeft"] == 60)
        clock.advance(by: .days(60))
        try expectEqual(run(both)?["auditDaysLeft"], 0)
    }

    @Test func `tokens that are not replaced count until their session ends`() throws {
        let policy = ProtectedAccount.policy().with {
            $0.sessions.rotation = .never
            $0.sessions.idleLifetime = .days(2)
            $0.sessions.absoluteLifetime = .days(7)
        }
        try expectEqual(run(try process(2, previous: [1], policy))?["sessionDaysLeft"], 8)
    }

    @Test func `returning to an old key begins another replacement`() throws {
        _ = try run(try process(1))
        _ = try run(try process(2, previous: [1], seed: 2))
        clock.advance(by: .days(100))
        _ = try run(try process(1, previous: [2], seed: 3))
        clock.advance(by: .days(1))
        // Tokens of the old key are a day old.
        try expectEqual(run(try process(2, previous: [1], seed: 4))?["sessionDaysLeft"], 31)
    }

    @Test func `two concurrent runs record the same day`() throws {
        let one = try process(2, previous: [1])
        let other = try process(2, previous: [1], seed: 2)
        let clock = clock
        store.beforeNextWrite {
            _ = try other.auth.housekeeping([.replaceMasterKey], until: nil)
            clock.advance(by: .days(1))
        }
        try expectEqual(run(one)?["sessionDaysLeft"], 30)
    }

    @Test func `signing keys that an old key encrypted are counted`() throws {
        func process(_ byte: UInt8, previous: [UInt8] = [], seed: UInt64) throws -> AuthKit {
            var master = try AuthKit.masterKey(byte)
            master.previous = try previous.map { try AuthKit.masterKey($0) }
            let keys = StoredSigningKeys(
                store: store, random: .seeded(seed), algorithm: .es256,
                sealing: try master.sealing { $0.signingKeys })
            return try AuthKit(
                policy: AccessTokensTests.policy, clock: clock, store: store,
                signingKeys: SigningKeys(stored: keys), master: master, seed: seed)
        }
        _ = try process(1, seed: 1).auth.signingKeys.signingKey(at: clock.now)
        let both = try process(2, previous: [1], seed: 2)
        try expectEqual(run(both)?["left"], 1)
        let reports = try both.auth.housekeeping([.rotateKeys, .replaceMasterKey], until: nil)
        #expect(reports[1].counts.contains { $0 == ("left", 0) })
    }
}
