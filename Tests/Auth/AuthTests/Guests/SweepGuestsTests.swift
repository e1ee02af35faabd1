@Suite("Unused guests") struct SweepGuestsTests {
    private let clock = TestClock()
    private let memory: MemoryStore
    private let store: FaultyStore
    private let kit: AuthKit

    init() throws {
        memory = MemoryStore(clock: clock.wall)
        store = FaultyStore(memory)
        kit = try AuthKit(policy: .guests(), clock: clock, store: store)
    }

    private var late: Span { GuestPolicy().lifetime + GuestPolicy.sweepDelay }

    /// Every row about the user, without the audit log.
    private func rows(of user: User) throws -> [ItemKey] {
        let partitions = [
            StoreLayout.profile(user.id).partition, StoreLayout.directoryPartition,
            StoreLayout.guestPartition, StoreLayout.deletionPartition,
        ]
        return try partitions.flatMap { partition in
            try memory.query(PartitionQuery(partition, limit: 1000)).items.map(\.key)
        }.filter { "\($0.partition) \($0.sort)".contains(user.id.text) }
    }

    @Test func `an unused guest is deleted, with its objects`() throws {
        let tokens = try kit.guest()
        kit.erasure.setObjects(3, of: tokens.user.id)
        clock.advance(by: late - .milliseconds(1))
        try expectEqual(kit.sweep()["deleted"], 0)
        clock.advance(by: .milliseconds(1))
        try expectEqual(kit.sweep()["deleted"], 1)
        expectEqual(kit.erasure.objects(of: tokens.user.id), 0)
        #expect(try kit.audit(of: tokens.user.id).contains("accountDeleted"))
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(tokens) }

        for pause in [DeletionSchedule.secondRun, .days(60)] {
            clock.advance(by: pause)
            try kit.sweep()
        }
        #expect(try rows(of: tokens.user).isEmpty)
    }

    @Test func `each use extends the lifetime of a guest`() throws {
        var tokens = try kit.guest()
        for _ in 0..<5 {
            clock.advance(by: .days(25))
            tokens = try kit.refresh(tokens)
            try expectEqual(kit.sweep()["deleted"], 0)
            try expectEqual(kit.looks().count, 1)
        }
        _ = try kit.authenticate(tokens)
        clock.advance(by: late)
        try expectEqual(kit.sweep()["deleted"], 1)
    }

    @Test func `the policy can set another lifetime for guests`() throws {
        let kit = try AuthKit(policy: .guests { $0.guests?.lifetime = .days(1) }, clock: clock)
        let tokens = try kit.guest()
        let account = try kit.session(of: "001")
        clock.advance(by: .days(1))
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(tokens) }
        _ = try kit.refresh(account)
    }

    @Test func `a guest that signed out is deleted after its lifetime`() throws {
        let tokens = try kit.guest()
        try kit.signOut(tokens, .session)
        try expectEqual(kit.sweep()["deleted"], 0)
        clock.advance(by: late)
        try expectEqual(kit.sweep()["deleted"], 1)
    }

    @Test func `an upgrade during a sweep takes precedence`() throws {
        let tokens = try kit.guest()
        clock.advance(by: late)
        let kit = kit
        // No session is left to do this with, unless the clock of a function is far behind.
        store.beforeNextWrite { try kit.change(tokens.user.id) { $0.isGuest = false } }
        try expectEqual(kit.sweep()["changedElsewhere"], 1)
        try expectEqual(kit.user(tokens.user.id)?.deletedAt, nil)
        try expectEqual(kit.sweep()["obsolete"], 1)
        try expectEqual(kit.user(tokens.user.id)?.deletedAt, nil)
    }

    @Test func `a sweep during an upgrade takes precedence`() throws {
        let tokens = try kit.guest()
        let ahead = TestClock()
        ahead.advance(by: late)
        // The clock of the machine that sweeps is far ahead.
        let other = try AuthKit(policy: .guests(), clock: ahead, store: memory, seed: 2)
        store.beforeNextWrite {
            // The memory store has the clock of the others: to it, the session is alive.
            try memory.write([
                .delete(StoreLayout.session(tokens.session, of: tokens.user.id), when: [])
            ])
            guard try other.sweep()["deleted"] == 1 else { throw AuthKit.KitFailure.noSession }
        }
        expectError(.accessToken(.sessionEnded)) { try kit.link("google", "ada", by: tokens) }
        #expect(try kit.user(tokens.user.id)?.deletedAt != nil)
        let claim = StoreLayout.identity(issuer: "https://google.example.com", subject: "ada")
        try expectEqual(memory.get(claim), nil)
    }

    @Test func `a sweep that is killed at any step is completed by the next`() throws {
        for step in 1...8 {
            let tests = try SweepGuestsTests()
            let tokens = try tests.kit.guest()
            tests.kit.erasure.setObjects(1, of: tokens.user.id)
            tests.clock.advance(by: tests.late)
            StepKiller(atStep: step, .after).install(tests.store, tests.kit.erasure)
            _ = try? tests.kit.sweep()
            StepKiller.remove(tests.store, tests.kit.erasure)
            for pause in [DeletionSchedule.lease, DeletionSchedule.secondRun, .days(60)] {
                tests.clock.advance(by: pause)
                try tests.kit.sweep()
            }
            #expect(try tests.rows(of: tokens.user).isEmpty, "killed at step \(step)")
            expectEqual(tests.kit.erasure.objects(of: tokens.user.id), 0)
        }
    }

    @Test func `a run deletes a limited number of guests, and the next one continues`() throws {
        for _ in 0..<(pageItems + 3) { _ = try kit.guest() }
        clock.advance(by: late)
        let none = try kit.auth.housekeeping([.sweepGuests], until: clock.now)
        #expect(none[0].counts.allSatisfy { $0.count == 0 })
        try expectEqual(kit.sweep()["deleted"], pageItems + 3)
    }
}

/// A page and more.
private let pageItems = 25
