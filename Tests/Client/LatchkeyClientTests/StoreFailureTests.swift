@Suite("Failing stores", .timeLimit(.minutes(2)))
struct StoreFailureTests {
    @Test func `a refresh that cannot be stored is kept, reported and stored later`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.signedIn(store: store)
        let events = await fixture.collector()
        await fixture.outliveToken()
        await store.fail(replace: .failed("disk full"))
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
        try await expectEqual(fixture.get().status, 200)
        #expect(try await store.text().contains("r-1-0"))
        await fixture.outliveToken()
        // Another refresh spends the token in memory.
        try await expectEqual(fixture.client.validToken().value, "a-1-2")
        await expectEqual(fixture.server.reuses, 0)
        await store.fail()
        while !(try await store.text().contains("r-1-2")) {
            fixture.clock.advance(by: .seconds(60))
            await Task.yield()
        }
        let names = await events.names(until: "stored")
        expectEqual(
            names,
            [
                "signed in: ada@example.com", "store failed", "refreshed: ada@example.com",
                "refreshed: ada@example.com", "stored",
            ])
    }

    @Test(arguments: [StoreError.failed("read-only"), .locked, .busy])
    func `a sign-in that cannot be stored succeeds in memory`(error: StoreError) async throws {
        let store = FaultyStore()
        let fixture = Fixture(store: store)
        await store.fail(replace: error)
        try await fixture.logIn()
        try await expectEqual(fixture.get().status, 200)
        await fixture.outliveToken()
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
        await store.fail()
        while !(try await store.text().contains("r-1-1")) {
            fixture.clock.advance(by: .seconds(60))
            await Task.yield()
        }
        try await expectEqual(fixture.restarted().client.restore()?.user?.id, "ada@example.com")
    }

    @Test func `an unreadable store is an error, not "signed out"`() async throws {
        let store = MemoryStore()
        _ = await store.replace(nil, with: Data("garbage".utf8))
        let fixture = Fixture(store: store)
        await #expect(throws: AuthError.storeFailed("the stored session cannot be read")) {
            _ = try await fixture.client.restore()
        }
        await expectEqual(store.load(), Data("garbage".utf8))
        // A sign-in replaces it.
        try await fixture.logIn()
        #expect(try await fixture.restarted().client.restore() != nil)
    }

    @Test func `a record that is too long is an error`() async throws {
        let store = MemoryStore()
        _ = await store.replace(nil, with: Data(count: 100_000))
        await #expect(throws: AuthError.self) {
            _ = try await Fixture(store: store).client.restore()
        }
    }

    @Test func `a record of another server is not used for this one`() async throws {
        let fixture = try await Fixture.signedIn()
        let url = try #require(URL(string: "https://other.example.com"))
        let other = LatchkeyClient(
            baseURL: url, store: fixture.store, transport: fixture.server, clock: fixture.clock)
        try await expectEqual(other.restore(), nil)
        #expect(try await fixture.store.load() != nil)
    }

    @Test func `a failing lock does not stop a refresh that may be repeated`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.expired(store: store)
        await store.fail(lock: .busy)
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test func `shell: without the lock there is no refresh`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.expired(contract: .shell, store: store)
        await store.fail(lock: .busy)
        await #expect(throws: AuthError.unavailable(retryAfter: nil)) {
            _ = try await fixture.client.validToken()
        }
        await expectEqual(fixture.server.count("/auth/refresh"), 0)
    }

    @Test func `tokens are stored before they are returned`() async throws {
        let store = FaultyStore()
        let fixture = try await Fixture.expired(store: store)
        let token = try await fixture.client.validToken().value
        let last = try #require(await store.writes.last ?? nil)
        #expect(String(decoding: last, as: UTF8.self).contains(token))
    }

    @Test func `descriptions contain no tokens`() async throws {
        let fixture = Fixture()
        let session = try await fixture.logIn()
        let token = try await fixture.client.validToken()
        _ = try await fixture.get()
        var dumped = ""
        dump(token, to: &dumped)
        dump(session, to: &dumped)
        for request in await fixture.server.requests {
            dumped += "\(request) \(String(reflecting: request))"
            dump(request, to: &dumped)
        }
        dumped += "\(token) \(String(reflecting: token))"
        #expect(!dumped.contains("a-1-0"))
        #expect(!dumped.contains("secret"))
    }
}
