/// Users of a system that the application had before.
@Suite("Users of another system") struct MigrateUserTests {
    private let hooks = FakeHooks()
    private let kit: AuthKit

    private static let policy = Policy.passwords().with {
        $0.limits = [RateLimit(.login, per: .email, 3, in: .minutes(15))]
    }

    init() throws {
        kit = try AuthKit(policy: Self.policy, hooks: hooks.services([.migrate]))
        hooks.answer(.migrate, #"{"isRight":false}"#)
    }

    private func logIn(
        _ email: String = "grace@example.com", _ password: String = "old password"
    ) throws -> SessionTokens { try kit.logIn(email, password) }

    private func know(verified: Bool = true) {
        hooks.answer(
            .migrate, #"{"isRight":true,"isEmailVerified":\#(verified),"displayName":" Grace "}"#)
    }

    // MARK: Yes

    @Test(arguments: [false, true])
    func `a right password creates the account, once`(isVerified: Bool) throws {
        know(verified: isVerified)
        let tokens = try logIn()
        expectEqual(tokens.user.displayName, "Grace")
        expectEqual(tokens.user.isEmailVerified, isVerified)
        try expectEqual(kit.authenticate(tokens).user.login, "grace@example.com")
        try expectEqual(kit.audit(of: tokens.user.id), ["accountCreated"])
        let event = try #require(hooks.told.first?.event)
        expectEqual(event["user"], ["email": "grace@example.com"])
        #expect(event["password"] == "old password" && event["operation"] == "login")
        // From now on the hash here decides.
        hooks.forget()
        try expectEqual(logIn().user.id, tokens.user.id)
        #expect(hooks.told.isEmpty)
        let row = try #require(try kit.store.get(StoreLayout.password(of: tokens.user.id)))
        #expect(try PasswordRecord.hash(row).hasPrefix("$argon2id$"))
    }

    @Test func `after a change of the password, the former system is no longer asked`() throws {
        know()
        let tokens = try logIn()
        _ = try kit.auth.changePassword(
            current: "old password", new: "another long password", kit.caller(tokens))
        expectError(.password(.wrongCredentials)) { try logIn() }
        try expectEqual(kit.accounts(), 1)
    }

    @Test func `a sign-up needs the consent of the other hooks`() throws {
        let kit = try AuthKit(
            policy: Self.policy,
            hooks: hooks.services([.migrate, .beforeSignUp, .beforeSignIn]))
        know()
        hooks.answer(.beforeSignUp, #"{"decision":"refuse"}"#)
        expectError(.hook(.refused(.beforeSignUp, reason: nil))) {
            try kit.logIn("grace@example.com", "old password")
        }
        try expectEqual(kit.accounts(), 0)
        hooks.answer(.beforeSignUp, #"{"decision":"allow"}"#)
        hooks.forget()
        _ = try kit.logIn("grace@example.com", "old password")
        expectEqual(hooks.told.map(\.kind), [.migrate, .beforeSignUp, .beforeSignIn])
        #expect(hooks.told.dropFirst().allSatisfy { $0.event["password"] == nil })
    }

    @Test func `only one of two concurrent requests creates the account`() throws {
        know()
        // The hooks of another process.
        let second = FakeHooks()
        second.answer(.migrate, #"{"isRight":true}"#)
        let other = try AuthKit(
            policy: Self.policy, clock: kit.clock, store: kit.store, seed: 2,
            hooks: second.services([.migrate]))
        hooks.onCall { _ = try? other.logIn("grace@example.com", "old password") }
        expectError(.unavailable(.contention)) { try logIn() }
        try expectEqual(kit.accounts(), 1)
        hooks.onCall {}
        _ = try logIn()
        try expectEqual(kit.accounts(), 1)
    }

    // MARK: No

    @Test func `an existing account is never taken over`() throws {
        // By password, by mailed links only, and by a provider.
        try kit.account("ada@example.com")
        let linked = try kit.account("linked@example.com")
        try kit.store.write([.delete(StoreLayout.password(of: linked.id), when: [])])
        _ = try kit.session(of: "001")
        know()
        hooks.forget()
        for address in ["ada@example.com", "linked@example.com", "001@example.com"] {
            expectError(.password(.wrongCredentials), "\(address)") { try logIn(address) }
        }
        try expectEqual(kit.accounts(), 3)
        try expectEqual(kit.store.get(StoreLayout.password(of: linked.id)), nil)
        // It is asked about nobody, so that the answer takes as long, and told no password.
        expectEqual(hooks.told.count, 3)
        for event in hooks.told.map(\.event) {
            expectEqual(event["user"]?["email"]?.stringValue?.hasSuffix("@example.invalid"), true)
            #expect(event["password"]?.stringValue != "old password")
        }
    }

    /// The work of a hash is compared by `LogInTests`; here it is what the store and the hook do.
    @Test func `known and unknown addresses get the same answer, whatever the hook does`() throws {
        let clock = TestClock()
        let store = CountingStore(MemoryStore(clock: clock.wall))
        for failsOpen in [false, true] {
            for answer in [#"{"isRight":false}"#, "malformed"] {
                let hooks = FakeHooks()
                hooks.answer(.migrate, answer)
                let kit = try AuthKit(
                    policy: .passwords(), clock: clock, store: store,
                    hooks: hooks.services([.migrate], failsOpen: failsOpen))
                _ = try? kit.account("ada@example.com")
                hooks.forget()
                var seen: [(AuthError?, StoreCost, calls: Int)] = []
                for address in ["ada@example.com", "nobody@example.com"] {
                    store.forget()
                    hooks.forget()
                    let error = kit.error { _ = try kit.logIn(address, "wrong password") }
                    var cost = store.cost
                    cost.itemsRead = 0
                    seen.append((error, cost, hooks.told.count))
                }
                let isClosed = answer == "malformed" && !failsOpen
                expectEqual(
                    seen[0].0,
                    isClosed
                        ? .hook(.unavailable(.migrate)) : .password(.wrongCredentials))
                #expect(seen[0].0 == seen[1].0 && seen[0].1 == seen[1].1, "\(seen)")
                expectEqual(seen.map(\.calls), [1, 1])
            }
        }
    }

    @Test func `attempts are counted before the hook is called`() throws {
        for _ in 0..<3 { expectError(.password(.wrongCredentials)) { try logIn() } }
        hooks.forget()
        know()
        expectEqual(kit.error(of: { _ = try logIn() })?.isRateLimited, true)
        #expect(hooks.told.isEmpty)
        try expectEqual(kit.audit(in: .email(try kit.email("grace@example.com"))).count, 3)
    }

    @Test func `a right or too long password does not call the hook`() throws {
        try kit.account("ada@example.com")
        hooks.forget()
        _ = try kit.logIn("ada@example.com", AuthKit.password)
        let long = String(repeating: "x", count: 4097)
        #expect(kit.error { _ = try logIn("grace@example.com", long) } != nil)
        #expect(hooks.told.isEmpty)
    }

    @Test(arguments: [
        "", "null", "{}", #"{"isRight":"true"}"#, #"{"isRight":1}"#, #"{"isEmailVerified":true}"#,
        #"{"isRight":true,"admin":true}"#, #"{"isRight":false,"displayName":"x"}"#,
        #"{"isRight":true,"isEmailVerified":"yes"}"#, #"{"decision":"allow"}"#,
        #"{"isRight":true,"isRight":false}"#,
    ])
    func `an answer of another form creates no account`(_ answer: String) throws {
        hooks.answer(.migrate, answer)
        expectError(.hook(.unavailable(.migrate))) { try logIn() }
        try expectEqual(kit.accounts(), 0)
        expectEqual(hooks.failures.map(\.1), [.malformed])
        let open = try AuthKit(
            policy: Self.policy, hooks: hooks.services([.migrate], failsOpen: true))
        expectError(.password(.wrongCredentials)) { try open.logIn("grace@example.com", "x") }
        try expectEqual(open.accounts(), 0)
    }
}

extension AuthKit {
    fileprivate func accounts() throws -> Int {
        let store = try #require(store as? MemoryStore)
        return try store.partitions(withPrefix: "USER#", after: nil).keys.count
    }
}
