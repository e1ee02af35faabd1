/// Bugs of other clients. Each name has the issue.
@Suite("Bugs of other clients", .timeLimit(.minutes(2)))
struct KnownBugTests {
    @Test func `supabase-swift 1374: a late refusal does not delete the next user's session`()
        async throws
    {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .waits(gate))
        let client = fixture.client
        let caller = Task { try await client.validToken() }
        await gate.reached()
        // The server ends the session, and with it the refresh under way.
        _ = await client.signOut()
        try await fixture.logIn("grace@example.com")
        await gate.open()
        _ = try? await caller.value
        await drain()
        try await expectEqual(client.restore()?.user?.id, "grace@example.com")
        #expect(try await fixture.store.text().contains("grace@example.com"))
    }

    @Test func `auth-js: the answer for one user is not returned to the next`() async throws {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .delaysAnswer(gate))
        let client = fixture.client
        let first = Task { try await client.validToken().value }
        await gate.reached()
        try await fixture.logIn("grace@example.com")
        await fixture.outliveToken()
        try await expectEqual(client.validToken().value, "a-2-1")
        await gate.open()
        await #expect(throws: AuthError.superseded) { _ = try await first.value }
        try await expectEqual(client.validToken().value, "a-2-1")
    }

    @Test func `supabase-swift 753: a failed refresh at launch ends no session`() async throws {
        let fixture = try await Fixture.expired()
        let restarted = fixture.restarted()
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
        try await expectEqual(restarted.client.restore()?.user?.id, "ada@example.com")
        await #expect(throws: AuthError.offline) { _ = try await restarted.client.validToken() }
        try await expectEqual(fixture.restarted().client.validToken().value, "a-1-1")
    }

    @Test func `amplify 4098: a sign-out in the extension reaches the app`() async throws {
        let app = try await Fixture.signedIn()
        let widget = app.restarted()
        _ = try await widget.client.restore()
        let events = await app.collector()
        _ = await widget.client.signOut()
        try await expectEqual(app.client.restore(), nil)
        await expectEqual(events.names(atLeast: 2).last, "signed out: elsewhere")
        await #expect(throws: AuthError.signedOut) { _ = try await app.client.validToken() }
    }

    @Test func `firebase 8445: the app follows a change of user in the extension`() async throws {
        let app = try await Fixture.signedIn()
        let widget = app.restarted()
        try await widget.logIn("grace@example.com")
        try await expectEqual(app.client.restore()?.user?.id, "grace@example.com")
        try await expectEqual(app.client.validToken().value, "a-2-0")
    }

    @Test func `amplify 3972, KeychainAccess 488: a locked keychain is not "signed out"`()
        async throws
    {
        let store = FaultyStore()
        try await Fixture(store: store).logIn()
        let fixture = Fixture(store: store)
        await store.fail(load: .locked, lock: .locked)
        await #expect(throws: AuthError.storeLocked) { _ = try await fixture.client.restore() }
        await #expect(throws: AuthError.storeLocked) { _ = try await fixture.client.validToken() }
        await #expect(throws: AuthError.storeLocked) { _ = try await fixture.get() }
        await store.fail()
        try await expectEqual(fixture.client.restore()?.user?.id, "ada@example.com")
    }

    @Test func `a keychain that is locked during a refresh keeps the session`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.expired(store: store)
        await store.fail(load: .locked, replace: .locked)
        await #expect(throws: AuthError.storeLocked) { _ = try await fixture.client.validToken() }
        await expectEqual(fixture.server.refreshes, 0)
        await store.fail()
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test func `Parse-SDK 1291: on a new device after a restore there is no session and no error`()
        async throws
    {
        let fixture = Fixture(store: MemoryStore())
        let events = await fixture.collector()
        try await expectEqual(fixture.client.restore(), nil)
        await expectEqual(events.names(atLeast: 2), ["unknown", "signed out: none"])
    }

    @Test
    func `auth-js 762, supabase-js 2344: a listener that calls back does not cause a deadlock`()
        async throws
    {
        let fixture = try await Fixture.signedIn()
        let client = fixture.client
        let listener = Task { () async -> Int in
            var seen = 0
            for await _ in client.events() {
                _ = try? await client.validToken()
                _ = try? await client.restore()
                seen += 1
                if seen == 3 { break }
            }
            return seen
        }
        for _ in 0..<4 {
            await fixture.outliveToken()
            _ = try await client.validToken()
            await drain()
        }
        await expectEqual(listener.value, 3)
    }

    @Test func `amplify 948, okta 272: many calls block no thread`() async throws {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .waits(gate))
        let client = fixture.client
        let callers = (0..<500).map { _ in Task { try await client.validToken().value } }
        await gate.reached()
        // With every thread blocked, nothing else would run.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await Task.yield() } }
        }
        await gate.open()
        for caller in callers { try await expectEqual(caller.value, "a-1-1") }
    }

    /// Lets everything that is ready run.
    private func drain() async { for _ in 0..<200 { await Task.yield() } }
}
