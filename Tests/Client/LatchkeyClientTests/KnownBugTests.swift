import Foundation
import LatchkeyClient
import TestSupport

/// Bugs of other clients. Each name has the issue.
@Suite("Bugs of other clients", .timeLimit(.minutes(2)))
struct KnownBugTests {
    @Test func `supabase-swift 1371: a refresh that ends after the sign-out has no effect`()
        async throws
    {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .delaysAnswer(gate))
        let client = fixture.client
        let caller = Task { try await client.validToken() }
        await gate.reached()
        _ = await client.signOut()
        await gate.open()
        await #expect(throws: AuthError.superseded) { _ = try await caller.value }
        await drain()
        try await expectEqual(client.restore(), nil)
        try await expectEqual(fixture.store.load(), nil)
    }

    @Test func `supabase-swift 1374: a late refusal does not delete the next user's session`()
        async throws
    {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
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
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
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

    @Test func `supabase-swift 596, auth-js 141: being offline ends no session`() async throws {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        for _ in 0..<5 {
            await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
            await #expect(throws: AuthError.offline) { _ = try await fixture.client.validToken() }
        }
        try await expectEqual(fixture.restarted().client.restore()?.user?.id, "ada@example.com")
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test func `supabase-swift 707: a cancelled request ends no session`() async throws {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        let client = fixture.client
        for _ in 0..<20 {
            let caller = Task { try await client.validToken() }
            caller.cancel()
            _ = try? await caller.value
        }
        try await expectEqual(client.validToken().value, "a-1-1")
    }

    @Test func `supabase-swift 733: an outage with status 400 ends no session`() async throws {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        await fixture.server.next(
            "/auth/refresh", .answers(400, #"{"error": {"code": "DOWN", "message": ""}}"#))
        await #expect(throws: AuthError.self) { _ = try await fixture.client.validToken() }
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test func `supabase-swift 753: a failed refresh at launch ends no session`() async throws {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        let restarted = fixture.restarted()
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
        try await expectEqual(restarted.client.restore()?.user?.id, "ada@example.com")
        await #expect(throws: AuthError.offline) { _ = try await restarted.client.validToken() }
        try await expectEqual(fixture.restarted().client.validToken().value, "a-1-1")
    }

    @Test func `supabase-swift 630: a refresh that failed is tried again at the next call`()
        async throws
    {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
        await #expect(throws: AuthError.offline) { _ = try await fixture.client.validToken() }
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    /// The kill is a client that is forgotten after the server has committed.
    @Test func `Auth0-swift 490: after a kill during a refresh, the next start is signed in`()
        async throws
    {
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
        let never = Gate()
        await fixture.server.next("/auth/refresh", .delaysAnswer(never))
        let client = fixture.client
        let killed = Task { try await client.validToken() }
        await never.reached()
        await expectEqual(fixture.server.refreshes, 1)
        // The lock of a killed process is free: a store that has only the record.
        let store = MemoryStore()
        _ = await store.replace(nil, with: try await fixture.store.load())
        let next = Fixture(store: store, clock: fixture.clock, server: fixture.server)
        try await expectEqual(next.client.validToken().value, "a-1-1")
        await expectEqual(fixture.server.reuses, 0)
        killed.cancel()
        await never.open()
    }

    @Test func `Auth0-swift: a token refreshed for a longer lifetime is stored`() async throws {
        let fixture = Fixture()
        try await fixture.logIn()
        _ = try await fixture.client.validToken(minimumLife: .seconds(3600))
        #expect(try await fixture.store.text().contains("r-1-1"))
    }

    @Test func `supabase-swift 703, firebase 6997: an extension and its app share a session`()
        async throws
    {
        let app = Fixture()
        try await app.logIn()
        let widget = app.restarted()
        try await expectEqual(widget.client.restore()?.user?.id, "ada@example.com")
        for generation in 1...50 {
            await app.outliveToken()
            async let first = app.client.validToken().value
            async let second = widget.client.validToken().value
            try await expectEqual([first, second], ["a-1-\(generation)", "a-1-\(generation)"])
        }
        await expectEqual(app.server.count("/auth/refresh"), 50)
        await expectEqual(app.server.reuses, 0)
    }

    @Test func `amplify 4098: a sign-out in the extension reaches the app`() async throws {
        let app = Fixture()
        try await app.logIn()
        let widget = app.restarted()
        _ = try await widget.client.restore()
        let events = await app.collector()
        _ = await widget.client.signOut()
        try await expectEqual(app.client.restore(), nil)
        await expectEqual(events.names(atLeast: 2).last, "signed out: elsewhere")
        await #expect(throws: AuthError.signedOut) { _ = try await app.client.validToken() }
    }

    @Test func `firebase 8445: the app follows a change of user in the extension`() async throws {
        let app = Fixture()
        try await app.logIn()
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
        let fixture = Fixture(store: store)
        try await fixture.logIn()
        await fixture.outliveToken()
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
        let fixture = Fixture()
        try await fixture.logIn()
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
        let fixture = Fixture()
        try await fixture.logIn()
        await fixture.outliveToken()
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

    /// Two processes, each with its own client, on one folder.
    @Test(arguments: [(true, 150), (false, 1000)])
    func `githits-cli 164: two processes make one successor a round`(
        isFile: Bool, rounds: Int
    ) async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let memory = MemoryStore()
        func store() -> any SessionStore { isFile ? FileStore(folder: url) : memory }
        let one = Fixture(store: store())
        try await one.logIn()
        let two = Fixture(store: store(), clock: one.clock, server: one.server)
        for round in 1...rounds {
            await one.outliveToken()
            async let first = one.client.validToken().value
            async let second = two.client.validToken().value
            try await expectEqual([first, second], ["a-1-\(round)", "a-1-\(round)"])
        }
        await expectEqual(one.server.count("/auth/refresh"), rounds)
        await expectEqual(one.server.reuses, 0)
    }

    /// Lets everything that is ready run.
    private func drain() async { for _ in 0..<200 { await Task.yield() } }
}
