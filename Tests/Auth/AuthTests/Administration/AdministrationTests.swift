/// The changes of user administration in the store, and its races.
@Suite("Administration in the store") struct AdministrationTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws {
        (kit, store) = try AuthKit.withFaultyStore(.testing.with { $0.accounts.isListed = true })
    }

    /// A signed-in user whom the administrator's password has made an administrator.
    private func administrator(_ subject: String) throws -> User {
        let id = try kit.session(of: subject).user.id
        return try kit.auth.administerUser(id.text, .setAdmin(true), by: .password, Caller())
    }

    @Test func `a change fails if its author concurrently loses the role`() throws {
        let (one, other) = (try administrator("one"), try administrator("other"))
        let kit = kit
        store.beforeNextWrite {
            _ = try kit.auth.administerUser(
                one.id.text, .setAdmin(false), by: .user(other), Caller())
        }
        expectError(.accessToken(.administratorsOnly)) {
            try kit.auth.administerUser(other.id.text, .setAdmin(false), by: .user(one), Caller())
        }
        try expectEqual(kit.user(one.id)?.isAdmin, false)
        try expectEqual(kit.user(other.id)?.isAdmin, true)
    }

    @Test func `an administrator who was signed out everywhere cannot change anything`() throws {
        let one = try administrator("one")
        let ada = try kit.session(of: "ada").user
        _ = try kit.auth.administerUser(one.id.text, .signOut, by: .password, Caller())
        expectError(.accessToken(.administratorsOnly)) {
            try kit.auth.administerUser(ada.id.text, .disable, by: .user(one), Caller())
        }
    }

    @Test func `a change without effect is not written`() throws {
        let ada = try kit.session(of: "ada").user
        for change in [AdministerUser.Change.enable, .setAdmin(false)] {
            let user = try kit.auth.administerUser(ada.id.text, change, by: .password, Caller())
            expectEqual(user, ada)
        }
        let first = try kit.auth.administerUser(ada.id.text, .disable, by: .password, Caller())
        let again = try kit.auth.administerUser(ada.id.text, .disable, by: .password, Caller())
        #expect(again.epoch == first.epoch && again.updatedAt == first.updatedAt)
    }

    @Test func `accounts are in the directory only if the policy says so`() throws {
        func rows() throws -> Int {
            try store.query(PartitionQuery(StoreLayout.directoryPartition, limit: 10)).items.count
        }
        let ada = try kit.session(of: "ada").user
        try expectEqual(rows(), 1)
        #expect(try store.get(StoreLayout.directory(ada)) != nil)
        #expect(try store.get(StoreLayout.emailUser(try #require(ada.emailAddress), ada.id)) != nil)
        _ = try kit.session(of: "ada")
        try expectEqual(rows(), 1)
        let other = try AuthKit(clock: kit.clock, store: store, seed: 2)
        let grace = try other.session(of: "grace").user
        try expectEqual(rows(), 1)
        try expectEqual(
            store.get(StoreLayout.emailUser(try #require(grace.emailAddress), grace.id)), nil)
    }

    @Test func `the directory has the newest account first, whatever its year`() {
        func key(_ seconds: Int64) -> String {
            let user = User(
                id: UserID(random: .seeded(1)), email: nil, isEmailVerified: false,
                displayName: nil, identities: [], createdAt: Instant(seconds: seconds))
            return StoreLayout.directory(user).sort
        }
        let keys = [4_102_444_800, 1_700_000_001, 1_700_000_000, 0].map(key)
        #expect(keys == keys.sorted() && Set(keys).count == 4)
        #expect(keys.allSatisfy { StoreLayout.directoryUser($0) != nil })
        for text in ["", "x", "#", "1#x", keys[0] + "#", String(keys[0].dropFirst())] {
            expectEqual(StoreLayout.directoryUser(text), nil)
        }
    }
}
