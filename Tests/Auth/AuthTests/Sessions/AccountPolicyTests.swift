@Suite("Accounts by policy") struct AccountPolicyTests {
    let fake = FakeIdentityProviders()
    let clock = TestClock()
    let store: FaultyStore

    init() { store = FaultyStore(MemoryStore(clock: clock.wall)) }

    private func kit(seed: UInt64 = 1, _ change: (inout Policy) -> Void) throws -> AuthKit {
        try AuthKit(policy: .testing.with(change), clock: clock, store: store, seed: seed)
    }

    /// Signs in with a token that has not been used before.
    private func signIn(_ kit: AuthKit, _ identity: FakeIdentity) throws -> SignIn.Output {
        let token = "\(kit.auth.random.bytes(8))"
        fake.add(token, identity)
        return try kit.signIn(fake.gateway)(
            SignIn.Input(provider: identity.provider, idToken: token), Caller())
    }

    private func subject(
        _ subject: String, email: String? = nil, isVerified: Bool = true,
        provider: String = "apple"
    ) -> FakeIdentity {
        FakeIdentity {
            $0.subject = subject
            $0.email = email
            $0.isEmailVerified = isVerified
            $0.provider = provider
        }
    }

    // MARK: Integer ids

    /// A power failure may lose additions to a counter (`KeyValueStore.read`).
    @Test func `a counter that was lost or set back does not assign an id twice`() throws {
        let kit = try kit { $0.accounts.hasPublicID = true }
        var ids: [Int64?] = []
        for subject in ["a", "b", "c"] {
            ids.append(try signIn(kit, self.subject(subject)).user.publicID)
        }
        try store.write([.delete(StoreLayout.publicIDCounter, when: [.present])])
        ids.append(try signIn(kit, subject("d")).user.publicID)
        let back = Item(StoreLayout.publicIDCounter, [Item.counterName: .integer(2)])
        try store.write([.put(back, when: [])])
        ids.append(try signIn(kit, subject("e")).user.publicID)
        expectEqual(ids, [1, 2, 3, 4, 5])
    }

    @Test func `concurrent first sign-ins get different ids`() throws {
        let kit = try kit { $0.accounts.hasPublicID = true }
        let other = Mutex<Int64?>(nil)
        store.beforeNextWrite {
            let id = try kit.session(of: "other").user.publicID
            other.withLock { $0 = id }
        }
        let mine = try kit.session().user.publicID
        #expect(mine != nil && mine != other.withLock { $0 })
    }

    // MARK: E-mail claims

    private func address(_ text: String) throws -> EmailAddress {
        try #require(EmailAddress(parsing: text))
    }

    private func claim(_ email: String) throws -> String? {
        guard
            case .text(let user)? = try store.get(StoreLayout.emailClaim(address(email)))?
                .attributes["user"]
        else { return nil }
        return user
    }

    @Test func `an unverified address is not claimed`() throws {
        let kit = try kit { $0.accounts.claimsEmail = true }
        _ = try signIn(kit, subject("1", email: "ada@example.com", isVerified: false))
        try expectEqual(claim("ada@example.com"), nil)
        let owner = try signIn(kit, subject("2", email: "ada@example.com"))
        try expectEqual(claim("ada@example.com"), owner.user.id.text)
        #expect(throws: Never.self) { try signIn(kit, subject("3")) }
    }

    // MARK: Manual changes in the table

    /// Changes the profile before the next write as an editor of the table would, without
    /// increasing `revision`.
    private func edit(_ user: User, _ name: String, _ value: Attribute) {
        let table = store
        store.beforeNextWrite {
            var item = try #require(try table.get(StoreLayout.profile(user.id)))
            item.attributes[name] = value
            try table.write([.put(item, when: [])])
        }
    }

    /// With the same e-mail the sign-in only checks the row; with a new one it replaces the row.
    @Test(arguments: ["ada@example.com", "new@example.com"])
    func `a sign-in does not overwrite a concurrent manual change`(email: String) throws {
        let kit = try kit { _ in }
        let first = try signIn(kit, subject("1", email: "ada@example.com"))
        edit(first.user, "isDisabled", .flag(true))
        expectError(.account(.disabled)) { try signIn(kit, subject("1", email: email)) }
        let row = try #require(try kit.user(first.user.id))
        #expect(row.isDisabled && row.revision == first.user.revision)
        try expectEqual(kit.sessions(of: row.id).count, 1)
        try kit.disable(row, false)
        edit(row, "epoch", .integer(7))
        let second = try #require(try signIn(kit, subject("1", email: email)).tokens)
        try expectEqual(kit.user(row.id)?.epoch, 7)
        let old = try #require(first.tokens)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(old) }
        #expect(throws: Never.self) { try kit.authenticate(second) }
    }

    @Test func `signing out everywhere does not overwrite a manual disabling`() throws {
        let kit = try kit { _ in }
        let tokens = try kit.session()
        edit(tokens.user, "isDisabled", .flag(true))
        try kit.signOut(refreshToken: tokens.refresh.reveal(), scope: .all, Caller())
        let row = try #require(try kit.user(tokens.user.id))
        #expect(row.isDisabled && row.epoch == 1)
    }

    // MARK: Sessions

    @Test func `a sign-in beyond the maximum ends the least recently used session`() throws {
        let kit = try kit { $0.sessions.sessionsMax = 3 }
        var held: [SessionTokens] = []
        for _ in 0..<3 {
            held.append(try kit.session())
            clock.advance(by: .minutes(1))
        }
        // The oldest is used again, so the second is the least recently used.
        held[0] = try kit.refresh(held[0])
        clock.advance(by: .minutes(1))
        let newest = try kit.session()
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(held[1]) }
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(held[1]) }
        for tokens in [held[0], held[2], newest] {
            #expect(throws: Never.self) { try kit.refresh(tokens) }
        }
        let evicted = try kit.auditItems(of: newest.user.id).filter {
            $0.attributes["event"] == .text("sessionEvicted")
        }
        expectEqual(evicted.map { $0.attributes["session"] }, [.text(held[1].session.text)])
    }

    @Test func `a refused sign-in ends no session`() throws {
        let broker = FakeStorageBroker()
        let kit = try AuthKit(
            policy: .testing.with { $0.sessions.sessionsMax = 1 }, clock: clock, store: store,
            storage: broker.services())
        let tokens = try kit.session()
        fake.add("one", subject("001", email: "001@example.com"))
        let output = try kit.services(with: fake.gateway).signInForStorage(
            SignIn.Input(provider: "apple", idToken: "one"), Caller())
        expectEqual(output.user.id, tokens.user.id)
        #expect(throws: Never.self) { try kit.refresh(tokens) }
    }

    @Test func `after the maximum is lowered, sign-ins end sessions step by step`() throws {
        let wide = try kit { $0.sessions.sessionsMax = 1000 }
        var user: UserID?
        for _ in 0..<100 {
            user = try wide.session().user.id
            clock.advance(by: .seconds(1))
        }
        let narrow = try kit(seed: 2) { $0.sessions.sessionsMax = 5 }
        var counts: [Int] = []
        for _ in 0..<4 {
            _ = try narrow.session()
            counts.append(try narrow.sessions(of: #require(user)).count)
        }
        expectEqual(counts, [61, 22, 5, 5])
    }
}
