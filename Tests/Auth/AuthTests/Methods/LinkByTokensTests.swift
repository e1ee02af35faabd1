/// Linking in `photolala`, which has no sessions (PH5).
@Suite("Linking by two identity tokens") struct LinkByTokensTests {
    private func kit(_ store: (any KeyValueStore)? = nil) throws -> AuthKit {
        try AuthKit(policy: .testing.with { $0.identity.nonce = .chosenByClient }, store: store)
    }

    private func link(_ kit: AuthKit, _ own: String, _ google: String) throws -> User {
        try kit.auth.linkByTokens(
            kit.proof("apple", own), adding: kit.proof("google", google), Caller())
    }

    @Test func `each of the two tokens can be used only once`() throws {
        let kit = try kit()
        _ = try kit.signIn("apple", "001")
        let (own, other) = (kit.proof("apple", "001"), kit.proof("google", "ada"))
        _ = try kit.auth.linkByTokens(own, adding: other, Caller())
        _ = try kit.signIn("apple", "002")
        for (one, two) in [(own, kit.proof("google", "x")), (kit.proof("apple", "002"), other)] {
            let error = kit.error { _ = try kit.auth.linkByTokens(one, adding: two, Caller()) }
            expectEqual(error, .signIn(.identityTokenReused))
        }
    }

    @Test func `an already linked identity is refused`() throws {
        let kit = try kit()
        let (ada, grace) = (try kit.signIn("apple", "001"), try kit.signIn("apple", "002"))
        _ = try link(kit, "001", "ada")
        expectError(.method(.alreadyAdded)) { try link(kit, "001", "ada") }
        expectError(.method(.alreadyAdded)) { try link(kit, "001", "other") }
        expectError(.method(.takenByOtherAccount)) { try link(kit, "002", "ada") }
        expectError(.method(.alreadyAdded)) {
            let (one, two) = (kit.proof("apple", "001"), kit.proof("apple", "001"))
            _ = try kit.auth.linkByTokens(one, adding: two, Caller())
        }
        try expectEqual(kit.user(grace.user.id)?.providers, ["apple"])
        try expectEqual(kit.user(ada.user.id)?.providers, ["apple", "google"])
    }

    /// The contract has no way to request it.
    @Test func `an account with a second factor is refused`() throws {
        let kit = try kit()
        let user = try kit.signIn("apple", "001").user
        try kit.change(user.id) { $0.hasSecondFactor = true }
        expectError(.secondFactor(.required)) { try link(kit, "001", "ada") }
        try expectEqual(kit.user(user.id)?.providers, ["apple"])
    }

    @Test func `only one of two accounts that link an identity at the same time succeeds`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try kit(store)
        let (ada, grace) = (try kit.signIn("apple", "001"), try kit.signIn("apple", "002"))
        store.beforeNextWrite { _ = try link(kit, "001", "x") }
        expectError(.method(.takenByOtherAccount)) { try link(kit, "002", "x") }
        try expectEqual(kit.signIn("google", "x").user.id, ada.user.id)
        try expectEqual(kit.user(grace.user.id)?.providers, ["apple"])
    }
}
