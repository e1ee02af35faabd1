/// A refresh whose answer is lost while the access token is still valid. Without a second request
/// within 60 seconds, the server takes the same token for a stolen one (RFC 9700 section 4.14.2).
@Suite("Refresh in doubt", .timeLimit(.minutes(2)))
struct DoubtTests {
    private static let mark = #""awaitsRefresh":true"#

    /// The app ends while it waits for the answer. Its lock is held, as by a process that hangs.
    private func killedInRefresh(_ fixture: Fixture) async throws {
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .delaysAnswer(gate))
        let client = fixture.client
        _ = Task { try await client.validToken(minimumLife: .seconds(1000)) }
        await gate.reached()
    }

    private func loseAnswers(_ fixture: Fixture, _ count: Int = 4) async {
        for _ in 0..<count { await fixture.server.next("/auth/refresh", .loses) }
        await #expect(throws: AuthError.unavailable(retryAfter: nil)) {
            try await fixture.client.validToken(minimumLife: .seconds(1000))
        }
    }

    @Test func `the doubt is stored before the request, and removed with the answer`()
        async throws
    {
        let fixture = try await Fixture.signedIn()
        try await expectEqual(fixture.store.text().contains("awaitsRefresh"), false)
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .waits(gate))
        let client = fixture.client
        let call = Task { try await client.validToken(minimumLife: .seconds(1000)) }
        await gate.reached()
        #expect(try await fixture.store.text().contains(Self.mark))
        await gate.open()
        _ = try await call.value
        try await expectEqual(fixture.store.text().contains("awaitsRefresh"), false)
    }

    @Test func `an app that only restores its session retries the refresh`() async throws {
        let fixture = try await Fixture.signedIn()
        try await killedInRefresh(fixture)
        let next = fixture.restarted()
        let events = await next.collector()
        _ = try await next.client.restore()
        _ = await events.names(until: "refreshed: ada@example.com")
        await expectEqual(next.server.refreshes, 1)
        await expectEqual(next.server.reuses, 0)
        try await expectEqual(next.store.text().contains("awaitsRefresh"), false)
    }

    @Test func `another process with the same store retries after restore`() async throws {
        let fixture = try await Fixture.signedIn()
        let other = fixture.restarted()
        _ = try await other.client.restore()
        try await expectEqual(other.get().status, 200)
        try await killedInRefresh(fixture)
        _ = try await other.client.restore()
        try await expectEqual(other.client.validToken().value, "a-1-1")
        await expectEqual(other.server.reuses, 0)
    }

    @Test func `an idle app retries the refresh`() async throws {
        let fixture = try await Fixture.signedIn()
        let events = await fixture.collector()
        await loseAnswers(fixture)
        _ = await events.names(until: "refreshed: ada@example.com")
        await expectEqual(fixture.server.refreshes, 1)
        await expectEqual(fixture.server.reuses, 0)
    }

    @Test func `a sign-out ends the retries`() async throws {
        let clock = ManualClock(skipping: .seconds(3))
        let fixture = try await Fixture.signedIn(clock: clock)
        await loseAnswers(fixture)
        while clock.sleeperCount != 1 { await Task.yield() }
        _ = await fixture.client.signOut()
        while clock.sleeperCount != 0 { await Task.yield() }
        clock.advance(by: .seconds(60))
        for _ in 0..<200 { await Task.yield() }
        await expectEqual(fixture.server.count("/auth/refresh"), 4)
    }

    @Test func `the retries end after five, and begin again after a lost answer`() async throws {
        let clock = ManualClock(skipping: .seconds(3))
        let fixture = Fixture(clock: clock) { $0.refreshAttemptsMax = 1 }
        try await fixture.logIn()
        await loseAnswers(fixture, 1)
        for _ in 0..<30 { await fixture.server.next("/auth/refresh", .loses) }
        for count in [6, 12] {
            for _ in 0..<12 {
                for _ in 0..<500 { await Task.yield() }
                clock.advance(by: .seconds(25))
            }
            await expectEqual(fixture.server.count("/auth/refresh"), count)
            expectEqual(clock.sleeperCount, 0)
            try await expectEqual(fixture.client.validToken().value, "a-1-0")
        }
    }

    @Test(arguments: [FakeServer.Network.notSent, .answers(429, "{}")])
    func `a refresh is not in doubt if the server has not acted`(
        problem: FakeServer.Network
    ) async throws {
        let clock = ManualClock(skipping: .seconds(3))
        let fixture = Fixture(clock: clock) { $0.refreshAttemptsMax = 1 }
        try await fixture.logIn()
        await fixture.server.next("/auth/refresh", problem)
        await #expect(throws: AuthError.self) {
            try await fixture.client.validToken(minimumLife: .seconds(1000))
        }
        for _ in 0..<200 { await Task.yield() }
        expectEqual(clock.sleeperCount, 0)
        try await expectEqual(fixture.client.validToken().value, "a-1-0")
    }

    /// A second use would end every session of the user.
    @Test func `shell: a refresh with a lost answer is not repeated`() async throws {
        let fixture = try await Fixture.signedIn(contract: .shell)
        await loseAnswers(fixture, 1)
        try await expectEqual(fixture.store.text().contains("awaitsRefresh"), false)
        try await expectEqual(fixture.client.validToken().value, "a-1-0")
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
    }

    @Test func `a failed write to the store delays no refresh`() async throws {
        let faulty = FaultyStore()
        let fixture = try await Fixture.expired(store: faulty)
        await faulty.fail(replace: .failed("full"))
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }
}
