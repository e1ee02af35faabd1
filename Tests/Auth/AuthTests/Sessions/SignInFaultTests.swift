import AuthTestSupport
import TestSupport

@Suite("SignIn under faults and races") struct SignInFaultTests {
    @Test func `a store failure at any call leaves no partial account`() throws {
        for index in 0..<8 {
            for losesAnswer in [false, true] {
                let clock = TestClock()
                let memory = MemoryStore(clock: clock.wall)
                let faulty = FaultyStore(memory)
                let kit = try AuthKit(clock: clock, store: faulty)
                let fake = FakeIdentityProviders()
                fake.add("one")
                fake.add("two")
                let count = Mutex(0)
                faulty.setFate { _ in
                    let isDue = count.withLock { count in
                        count += 1
                        return count - 1 == index
                    }
                    guard isDue else { return .fine }
                    return losesAnswer ? .answerLost : .refused(.unavailable(detail: "test"))
                }
                let input = SignIn.Input(provider: "apple", idToken: "one")
                _ = try? kit.signIn(fake.gateway)(input, Caller())
                faulty.comeBack()
                // Afterwards the user can sign in and has one account.
                let again = try kit.signIn(fake.gateway)(
                    SignIn.Input(provider: "apple", idToken: "two"), Caller())
                let bearer = try #require(again.tokens).access.reveal()
                try expectEqual(kit.authenticate(bearer).user.id, again.user.id)
                let events = try kit.audit(of: again.user.id)
                expectEqual(events.filter { $0 == "accountCreated" }.count, 1)
            }
        }
    }

    @Test func `an unavailable store is an outage, and consumes no token`() throws {
        let clock = TestClock()
        let faulty = FaultyStore(MemoryStore(clock: clock.wall))
        let kit = try AuthKit(clock: clock, store: faulty)
        let fake = FakeIdentityProviders()
        fake.add("one")
        let input = SignIn.Input(provider: "apple", idToken: "one")
        faulty.goDown()
        expectError(.unavailable(.store)) { try kit.signIn(fake.gateway)(input, Caller()) }
        faulty.comeBack()
        #expect(try kit.signIn(fake.gateway)(input, Caller()).isNewUser)
    }

    @Test func `an identity without its account is an internal error, not a new account`() throws {
        let kit = try AuthKit()
        let fake = FakeIdentityProviders()
        fake.add("one")
        let owner = StoreLayout.identity(issuer: "https://apple.example.com", subject: "001")
        for value in [
            Attribute.text("not an id"), .integer(1),
            .text(UserID(random: .seeded(9)).text),
        ] {
            try kit.store.write([.put(Item(owner, ["user": value]), when: [])])
            expectError(.fault(.storedDataUnreadable)) {
                try kit.signIn(fake.gateway)(
                    SignIn.Input(provider: "apple", idToken: "one"), Caller())
            }
        }
    }

    @Test func `concurrent first sign-ins of one identity create one account`() throws {
        for seed in UInt64(0)..<200 {
            let simulation = try Simulation(seed: seed)
            let outcomes = simulation.raceSignIns(["a", "b", "c"], nonces: [nil, nil, nil])
            let users = Set(outcomes.compactMap { $0.user })
            expectEqual(users.count, 1, "seed \(seed)")
            expectEqual(outcomes.filter(\.isNew).count, 1, "seed \(seed)")
            #expect(outcomes.allSatisfy { $0.user != nil }, "seed \(seed)")
        }
    }

    @Test func `an identity token in concurrent requests is accepted only once`() throws {
        for seed in UInt64(0)..<200 {
            let simulation = try Simulation(seed: seed)
            let outcomes = simulation.raceSignIns(["a", "a", "a"], nonces: [nil, nil, nil])
            expectEqual(outcomes.filter { $0.user != nil }.count, 1, "seed \(seed)")
            expectEqual(
                outcomes.filter { $0.problem == .signIn(.identityTokenReused) }.count, 2,
                "seed \(seed)")
        }
    }

    @Test func `a nonce in concurrent requests is accepted only once`() throws {
        for seed in UInt64(0)..<200 {
            let simulation = try Simulation(seed: seed)
            let nonce = try simulation.kit.challenge(Caller()).nonce
            let outcomes = simulation.raceSignIns(["a", "b"], nonces: [nonce, nonce])
            expectEqual(outcomes.filter { $0.user != nil }.count, 1, "seed \(seed)")
            expectEqual(outcomes.filter { $0.problem == .signIn(.challengeUnknown) }.count, 1)
        }
    }

    @Test func `a user who is disabled during sign-in is refused`() throws {
        let clock = TestClock()
        let memory = MemoryStore(clock: clock.wall)
        let faulty = FaultyStore(memory)
        let kit = try AuthKit(clock: clock, store: faulty)
        let fake = FakeIdentityProviders()
        fake.add("one")
        fake.add("two")
        let first = try kit.signIn(fake.gateway)(
            SignIn.Input(provider: "apple", idToken: "one"), Caller())
        // Between reading the profile and writing the session.
        let behind = try AuthKit(clock: clock, store: memory)
        let isDone = Mutex(false)
        faulty.setFate { call in
            if case .write = call,
                !isDone.withLock({ was in
                    defer { was = true }
                    return was
                })
            {
                try? behind.disable(first.user)
            }
            return .fine
        }
        expectError(.account(.disabled)) {
            try kit.signIn(fake.gateway)(SignIn.Input(provider: "apple", idToken: "two"), Caller())
        }
        try expectEqual(behind.sessions(of: first.user.id).count, 1)
    }
}
