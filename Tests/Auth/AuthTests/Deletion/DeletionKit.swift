/// An account with every kind of data, and the rows that remain of it.
struct DeletionKit {
    let clock: TestClock
    let memory: MemoryStore
    let store: FaultyStore
    let kit: AuthKit

    /// Addresses are claimed, listed and counted; refresh tokens have rows.
    static let policy = Policy.passwords().with {
        $0.accounts = AccountPolicy(hasPublicID: true, claimsEmail: true, isListed: true)
        $0.sessions.refreshTokens = .opaque(prefix: "")
    }

    private static let client = "app"

    init(policy: Policy = Self.policy, seed: UInt64 = 1) throws {
        clock = TestClock()
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
        kit = try AuthKit(policy: policy, clock: clock, store: store, seed: seed)
    }

    /// Signed in with Apple and by password, with a link, a registration, an application, objects,
    /// a provider token and a row that this code does not know.
    func fullAccount() throws -> SessionTokens {
        let tokens = try kit.session(of: "001")
        let user = tokens.user
        _ = try kit.refresh(tokens)
        _ = try kit.session(of: "001")
        let email = try kit.email("001@example.com")
        let (_, link) = AccountLink.make(for: user.id, random: kit.auth.random)
        let (_, registration) = AddressLink.make(for: email, random: kit.auth.random)
        let pending = PendingRegistration(
            email: email, passwordHash: "hash", displayName: nil, createdAt: clock.now)
        let consent = ConsentRecord(
            client: Self.client, scope: [], resources: [], givenAt: clock.now, description: nil,
            clientEpoch: 0)
        try store.write([
            .put(PasswordRecord.item("hash", of: user.id, changedAt: clock.now), when: []),
            .put(link.item(.resetPassword, epoch: 0, expiresAt: clock.now + .days(400)), when: []),
            .put(pending.item(registration, expiresAt: clock.now + .days(400)), when: []),
            .put(consent.item(of: user.id, expiresAt: clock.now + .days(400)), when: []),
            .put(Item(ItemKey(StoreLayout.profile(user.id).partition, "TOTP#1"), [:]), when: []),
        ])
        try store.write(
            consent.listing(of: user.id, replacing: nil, expiresAt: clock.now + .days(400)))
        try store.write(try kit.auth.providerTokens.keep(.apple("apple token"), of: user.id))
        kit.erasure.setObjects(3, of: user.id)
        kit.erasure.addEntry("note", of: user.id)
        return tokens
    }

    func principal(_ tokens: SessionTokens) throws -> Principal {
        try kit.authenticate(tokens)
    }

    func delete(_ tokens: SessionTokens, _ caller: Caller = Caller()) throws {
        try kit.auth.deleteAccount(try principal(tokens), caller)
    }

    @discardableResult
    func housekeep() throws -> [String: Int] {
        let reports = try kit.auth.housekeeping([.finishDeletions], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    /// Every row of the store that is about the user, except the audit trail and rate limits. A
    /// memory store can list its rows, for which a real one would need a scan.
    func rows(of user: User) throws -> [String] {
        let partitions = [
            StoreLayout.profile(user.id).partition, StoreLayout.directoryPartition,
            StoreLayout.emailClaim(try kit.email("001@example.com")).partition,
            StoreLayout.identity(issuer: "https://apple.example.com", subject: "001").partition,
            StoreLayout.publicID(user.publicID ?? 0).partition,
            StoreLayout.registrations(try kit.email("001@example.com")),
            StoreLayout.deletionPartition,
            StoreLayout.clientUsers(StoreLayout.applicationID(Self.client)),
        ]
        let queries =
            partitions.map { PartitionQuery($0, limit: 1000) }
            + (0..<SealedRowEntry.shards).map { SealedRowEntry.query(shard: $0, limit: 1000) }
        return try queries.flatMap { query in
            try memory.query(query).items.map {
                "\($0.key.partition.prefix { $0 != "#" }) \($0.key.sort.prefix { $0 != "#" })"
            }
        }.sorted()
    }

    func jobs() throws -> [DeletionRecord] {
        try memory.query(DeletionRecord.query(limit: 1000)).items.map { try DeletionRecord($0) }
    }
}
