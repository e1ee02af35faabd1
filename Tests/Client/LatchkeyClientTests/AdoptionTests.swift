@Suite("Tokens of former versions", .timeLimit(.minutes(2)))
struct AdoptionTests {
    /// A user who is signed in, with `a-1-0` and `r-1-0`, and the client of the next version.
    private static func update() async throws -> Fixture {
        let former = try await Fixture.signedIn()
        return Fixture(clock: former.clock, server: former.server)
    }

    private static func adopt(_ next: Fixture, life: TimeInterval) async throws -> Session {
        try await next.client.adopt(
            accessToken: "a-1-0", refreshToken: "r-1-0",
            expiresAt: next.clock.now().addingTimeInterval(life))
    }

    @Test func `an app's old tokens begin a session, which is stored`() async throws {
        let next = try await Self.update()
        let collector = await next.collector()
        let session = try await Self.adopt(next, life: 600)
        #expect(session.user == nil && session.isNewUser == nil)
        await expectEqual(collector.names(atLeast: 2), ["unknown", "signed in: ?"])
        try await expectEqual(next.client.validToken().value, "a-1-0")
        try await expectEqual(next.restarted().client.restore()?.id, session.id)
        next.clock.advance(by: .seconds(540))
        try await expectEqual(next.client.validToken().value, "a-1-1")
        try await expectEqual(next.get().status, 200)
        await expectEqual(next.server.reuses, 0)
    }

    @Test(arguments: [-1e9, -1, 0, 0.5])
    func `an expired access token is replaced at once`(life: TimeInterval) async throws {
        let next = try await Self.update()
        _ = try await Self.adopt(next, life: life)
        try await expectEqual(next.client.validToken().value, "a-1-1")
        let again = try await Self.update()
        _ = try await Self.adopt(again, life: life)
        again.clock.advance(by: .seconds(1))
        try await expectEqual(again.restarted().client.validToken().value, "a-1-1")
    }

    @Test(arguments: [("a b", "r-1-0"), ("", "r-1-0"), ("a-1-0", "r\n")])
    func `malformed tokens are not adopted`(access: String, refresh: String) async throws {
        let next = try await Self.update()
        await #expect(throws: AuthError.self) {
            _ = try await next.client.adopt(
                accessToken: access, refreshToken: refresh, expiresAt: next.clock.now())
        }
        try await expectEqual(next.store.load(), nil)
        try await expectEqual(next.client.restore(), nil)
    }

    /// It is a sign-in: another one that began before does not replace it.
    @Test func `an adopted session replaces an existing one`() async throws {
        let next = try await Self.update()
        try await next.logIn("grace@example.com")
        let session = try await Self.adopt(next, life: 600)
        try await expectEqual(next.client.validToken().value, "a-1-0")
        try await expectEqual(next.restarted().client.restore()?.id, session.id)
    }
}
