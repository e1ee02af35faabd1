/// Calls that begin for one session and end after another one has begun, or none is left.
@Suite("Races", .timeLimit(.minutes(2)))
struct RaceTests {
    /// Lets everything that is ready run.
    private func drain() async { for _ in 0..<200 { await Task.yield() } }

    @Test func `a read that waited for the store does not undo a sign-out`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.signedIn(store: store)
        let events = await fixture.collector()
        let gate = Gate()
        await store.delayRead(gate)
        let client = fixture.client
        let first = Task { try await client.restore() }
        await gate.reached()
        let second = Task { try await client.restore() }
        await drain()
        let signOut = Task { await client.signOut() }
        await drain()
        await gate.open()
        try await expectEqual([first.value, second.value], [nil, nil])
        await expectEqual(signOut.value, SignOutResult())
        await #expect(throws: AuthError.signedOut) { _ = try await client.validToken() }
        await expectEqual(
            events.names(atLeast: 2), ["signed in: ada@example.com", "signed out: user"])
    }

    @Test func `a sign-out after an unsaved sign-in removes the stored session, too`()
        async throws
    {
        let store = FaultyStore()
        let fixture = try await Fixture.signedIn(store: store, clock: ManualClock(skipping: .zero))
        await store.fail(replace: .failed("full"))
        try await fixture.logIn("grace@example.com")
        await store.fail()
        await expectEqual(fixture.client.signOut(), SignOutResult())
        try await expectEqual(fixture.client.restore(), nil)
        try await expectEqual(store.load(), nil)
    }

    @Test func `a deleted account does not end the session of the next user`() async throws {
        let fixture = try await Fixture.signedIn()
        let gate = Gate()
        await fixture.server.next("/auth/account", .delaysAnswer(gate))
        let client = fixture.client
        let deletion = Task { try await client.deleteAccount() }
        await gate.reached()
        _ = await client.signOut()
        try await fixture.logIn("grace@example.com")
        await gate.open()
        try await deletion.value
        try await expectEqual(client.validToken().value, "a-2-0")
        try await expectEqual(client.restore()?.user?.id, "grace@example.com")
    }

    @Test func `a new password does not replace the session of another user`() async throws {
        let fixture = try await Fixture.signedIn()
        let gate = Gate()
        await fixture.server.next("/auth/change-password", .delaysAnswer(gate))
        let client = fixture.client
        let change = Task { try await client.changePassword(current: "secret", new: "other") }
        await gate.reached()
        // In another process.
        let session = try await fixture.restarted().logIn("grace@example.com")
        try await expectEqual(client.restore()?.id, session.id)
        await gate.open()
        await #expect(throws: AuthError.superseded) { _ = try await change.value }
        try await expectEqual(client.validToken().value, "a-3-0")
        #expect(try await fixture.store.text().contains("grace@example.com"))
        await expectEqual(fixture.server.families[2]?.isEnded, true)
    }

    @Test func `a session that a password change opens after a sign-out is ended on the server`()
        async throws
    {
        let fixture = try await Fixture.signedIn()
        let gate = Gate()
        await fixture.server.next("/auth/change-password", .delaysAnswer(gate))
        let client = fixture.client
        let change = Task { try await client.changePassword(current: "secret", new: "other") }
        await gate.reached()
        _ = await client.signOut()
        await gate.open()
        await #expect(throws: AuthError.superseded) { _ = try await change.value }
        await expectEqual(fixture.server.families[2]?.isEnded, true)
    }

    @Test func `a token that expires during a failing refresh is not returned`() async throws {
        let fixture = try await Fixture.signedIn {
            $0.random = { Array(repeating: 0xFF, count: $0) }
        }
        fixture.clock.advance(by: .seconds(897))
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
        await #expect(throws: AuthError.offline) { _ = try await fixture.client.validToken() }
    }

    /// The other process has changed the password, so the server refuses the former tokens.
    @Test func `a refused token does not remove newer ones that another process has stored`()
        async throws
    {
        let clock = ManualClock()
        let base = MemoryStore(clock: clock)
        let faulty = FaultyStore(base)
        let app = try await Fixture.signedIn(store: faulty, clock: clock)
        let gate = Gate()
        await app.server.next("/auth/refresh", .waits(gate))
        let client = app.client
        let call = Task { try await client.validToken(minimumLife: .seconds(1000)) }
        await gate.reached()
        let other = Fixture(store: base, clock: app.clock, server: app.server)
        _ = try await other.client.changePassword(current: "secret", new: "another secret")
        await faulty.fail(load: .failed("input/output error"))
        await gate.open()
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            _ = try await call.value
        }
        await faulty.fail()
        await drain()
        #expect(try await base.text().contains("r-2-0"))
        try await expectEqual(client.restore()?.user?.id, "ada@example.com")
        try await expectEqual(client.validToken().value, "a-2-0")
    }
}
