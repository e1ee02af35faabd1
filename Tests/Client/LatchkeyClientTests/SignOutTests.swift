@Suite("Sign-out", .timeLimit(.minutes(2)))
struct SignOutTests {
    @Test func `a sign-out ends the session here, in the store and on the server`() async throws {
        let fixture = try await Fixture.signedIn()
        let events = await fixture.collector()
        let result = await fixture.client.signOut()
        expectEqual(result, SignOutResult())
        try await expectEqual(fixture.store.load(), nil)
        await expectEqual(fixture.server.families[1]?.isEnded, true)
        await expectEqual(events.names(atLeast: 2).last, "signed out: user")
        await #expect(throws: AuthError.signedOut) { _ = try await fixture.client.validToken() }
        try await expectEqual(fixture.restarted().client.restore(), nil)
    }

    @Test(arguments: [FakeServer.Network.notSent, .loses, .answers(503, ""), .cancelled])
    func `without the server, a sign-out still ends the session here`(
        network: FakeServer.Network
    ) async throws {
        let fixture = try await Fixture.signedIn()
        await fixture.server.next("/auth/signout", network)
        let result = await fixture.client.signOut()
        expectEqual(result.serverError?.isTransient, true)
        expectEqual(result.storeError, nil)
        try await expectEqual(fixture.store.load(), nil)
    }

    @Test func `a session that could not be removed is removed later`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.signedIn(store: store)
        await store.fail(replace: .failed("disk full"))
        let result = await fixture.client.signOut()
        expectEqual(result.storeError, .storeFailed("disk full"))
        await #expect(throws: AuthError.signedOut) { _ = try await fixture.client.validToken() }
        // A leftover record is not taken for a session.
        try await expectEqual(fixture.client.restore(), nil)
        await store.fail()
        while try await store.load() != nil {
            fixture.clock.advance(by: .seconds(60))
            await Task.yield()
        }
    }

    @Test func `the sign-in of another process is adopted while a removal waits`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.signedIn(store: store)
        await store.fail(replace: .locked)
        await expectEqual(fixture.client.signOut().storeError, .storeLocked)
        await store.fail()
        let session = try await fixture.restarted().logIn()
        try await expectEqual(fixture.client.restore()?.id, session.id)
    }

    @Test func `a locked store is cleared later, whatever its contents`() async throws {
        let store = FaultyStore()
        try await Fixture(store: store).logIn()
        let fixture = Fixture(store: store)
        await store.fail(load: .locked)
        await expectEqual(fixture.client.signOut().storeError, .storeLocked)
        await store.fail()
        while try await store.load() != nil {
            fixture.clock.advance(by: .seconds(60))
            await Task.yield()
        }
    }

    @Test func `a sign-out supersedes a sign-in under way`() async throws {
        let fixture = Fixture()
        let gate = Gate()
        await fixture.server.next("/auth/login", .delaysAnswer(gate))
        let client = fixture.client
        let signIn = Task { try await client.logIn(email: "ada@example.com", password: "x") }
        await gate.reached()
        _ = await client.signOut()
        await gate.open()
        await #expect(throws: AuthError.superseded) { _ = try await signIn.value }
        try await expectEqual(client.restore(), nil)
        try await expectEqual(fixture.store.load(), nil)
        // The server does not keep a session that nobody has.
        await expectEqual(fixture.server.families[1]?.isEnded, true)
    }

    @Test func `a sign-out ends waiting calls at once`() async throws {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .waits(gate))
        let client = fixture.client
        let callers = (0..<50).map { _ in Task { try await client.validToken() } }
        await gate.reached()
        while await client.waitingCallers < 50 { await Task.yield() }
        _ = await client.signOut()
        for caller in callers {
            await #expect(throws: AuthError.superseded) { _ = try await caller.value }
        }
        await gate.open()
    }
}
