/// Bugs of this client that the simulation has found (docs/simulation.md).
@Suite struct SimulatedBugTests {
    @Test func `a refresh that could not be stored does not replace the tokens of a new password`()
        async throws
    {
        let base = MemoryStore()
        let faulty = FaultyStore(base)
        let app = try await Fixture.signedIn(store: faulty)
        let other = Fixture(store: base, clock: app.clock, server: app.server)
        _ = try await other.client.restore()
        let events = await app.collector()
        await faulty.fail(replace: .failed("full"))
        _ = try await app.client.validToken(minimumLife: .seconds(1000))
        _ = try await other.client.changePassword(current: "secret", new: "another secret")
        await faulty.fail()
        app.clock.advance(by: .seconds(60))
        // The app takes over the tokens that are stored.
        await expectEqual(
            events.names(atLeast: 5).suffix(4),
            ["store failed", "refreshed: ada@example.com", "stored", "refreshed: ada@example.com"])
        #expect(try await base.text().contains("r-2-0"))
        try await expectEqual(app.get().status, 200)
    }

    @Test func `a sign-in that could not be stored ends with the server's session`()
        async throws
    {
        let base = MemoryStore()
        try await Fixture(store: base).logIn("old@example.com")
        let faulty = FaultyStore(base)
        let app = Fixture(store: faulty)
        // The session has another number than on the other server.
        try await Fixture(server: app.server).logIn("third@example.com")
        await faulty.fail(replace: .failed("full"))
        try await app.logIn("new@example.com")
        await faulty.fail()
        await app.server.end(2)
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            try await app.get()
        }
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            try await app.get()
        }
        await expectEqual(base.load(), nil)
    }
}
