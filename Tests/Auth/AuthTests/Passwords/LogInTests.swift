@Suite("Logging in") struct LogInTests {
    @Test func `unknown addresses, wrong and missing passwords get the same answer`() throws {
        let (kit, store) = try AuthKit.withCountingStore(.passwords(.immediate))
        try kit.account("ada@example.com")
        _ = try kit.session(of: "001")
        var costs: [StoreCost] = []
        for (address, password) in [
            ("ada@example.com", "wrong password"), ("nobody@example.com", AuthKit.password),
            ("001@example.com", AuthKit.password),
        ] {
            store.forget()
            expectError(.password(.wrongCredentials)) { try kit.logIn(address, password) }
            costs.append(store.cost)
        }
        expectEqual(costs[0].roundTrips, 3)
        // The number of sessions is excluded from the comparison.
        for index in costs.indices { costs[index].itemsRead = 0 }
        #expect(costs.allSatisfy { $0 == costs[0] }, "\(costs)")
    }

    @Test func `a password beyond the maximum length is refused as wrong`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        try kit.account()
        let long = String(repeating: "x", count: 4097)
        for address in ["ada@example.com", "nobody@example.com"] {
            expectError(.password(.wrongCredentials)) { try kit.logIn(address, long) }
        }
    }

    @Test func `a failed login is audited, even for an unknown address`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        kit.clock.advance(by: .seconds(1))
        _ = kit.error { _ = try kit.logIn("ada@example.com", "wrong password") }
        try expectEqual(kit.audit(in: .attempts(on: user.id)), ["signInFailed"])
        _ = kit.error { _ = try kit.logIn("nobody@example.com", "wrong password") }
        try expectEqual(
            kit.audit(in: .email(try kit.email("nobody@example.com"))), ["signInFailed"])
    }

    @Test func `attempts are also limited for addresses without an account`() throws {
        let kit = try AuthKit(
            policy: .passwords(.immediate).with {
                $0.limits = [RateLimit(.login, per: .email, 2, in: .minutes(15))]
            })
        for _ in 0..<2 {
            expectError(.password(.wrongCredentials)) { try kit.logIn("nobody@example.com", "x") }
        }
        // The address in upper case counts as the same.
        let error = kit.error { _ = try kit.logIn("NOBODY@example.com", "x") }
        expectEqual(error?.isRateLimited, true)
    }

    @Test func `only a caller with the right password learns that the account is disabled`() throws
    {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        try kit.disable(user)
        expectError(.password(.wrongCredentials)) {
            try kit.logIn("ada@example.com", "wrong password")
        }
        expectError(.account(.disabled)) { try kit.logIn() }
    }

    @Test func `a hash with another cost is renewed at sign-in`() throws {
        let clock = TestClock()
        let store = MemoryStore(clock: clock.wall)
        let kit = try AuthKit(policy: .passwords(.immediate), clock: clock, store: store)
        let user = try kit.account()
        let stronger = try AuthKit(
            policy: .passwords(.immediate).with {
                $0.passwords?.cost = PasswordCost(memoryKiB: 16, passes: 2, lanes: 1)
            }, clock: clock, store: store, seed: 2)
        _ = try stronger.logIn()
        let item = try #require(try store.get(StoreLayout.password(of: user.id)))
        #expect(try PasswordRecord.hash(item).hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
        try expectEqual(kit.logIn().user.id, user.id)
    }
}
