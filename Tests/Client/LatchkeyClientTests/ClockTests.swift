@Suite("Wrong clocks", .timeLimit(.minutes(2)))
struct ClockTests {
    private static let skews = [-86_400.0, -3600, -301, -1, 0, 1, 301, 3600, 86_400, 1e9, -1e9]

    /// auth-js 926, worldmonitor 5932: a device ahead asked for tokens at each request, for ever.
    @Test(arguments: skews)
    func `a device with a wrong clock refreshes as often as any other`(skew: Double) async throws {
        let clock = ManualClock()
        clock.setSkew(skew)
        let fixture = try await Fixture.signedIn(clock: clock)
        for _ in 0..<10 { try await expectEqual(fixture.get().status, 200) }
        await expectEqual(fixture.server.refreshes, 0)
        await fixture.outliveToken()
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
        await expectEqual(fixture.server.refreshes, 1)
    }

    /// The offset to the server's clock is stored with the session.
    @Test(arguments: skews)
    func `a wrong clock does not matter even after a restart`(skew: Double) async throws {
        let clock = ManualClock()
        clock.setSkew(skew)
        let fixture = try await Fixture.signedIn(clock: clock)
        let early = fixture.restarted()
        clock.advance(by: .seconds(400))
        try await expectEqual(early.client.validToken().value, "a-1-0")
        await fixture.outliveToken()
        try await expectEqual(fixture.restarted().client.validToken().value, "a-1-1")
        await expectEqual(fixture.server.refreshes, 1)
    }

    /// authkit-nextjs 470: a device behind ignored the 401.
    @Test(arguments: [-86_400.0, -3600, -600])
    func `a 401 overrules a clock that was set back while the app did not run`(
        jump: Double
    ) async throws {
        let fixture = try await Fixture.expired()
        await fixture.server.expireAll()
        fixture.clock.setSkew(jump)
        let restarted = fixture.restarted()
        try await expectEqual(restarted.get().status, 200)
        await expectEqual(fixture.server.refreshes, 1)
    }

    @Test(arguments: [-86_400.0, -3600, 3600, 86_400])
    func `a clock that jumps while the app runs changes nothing`(jump: Double) async throws {
        let fixture = try await Fixture.signedIn()
        fixture.clock.setSkew(jump)
        try await expectEqual(fixture.client.validToken().value, "a-1-0")
        await fixture.outliveToken()
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    /// The life began before the answer arrived.
    @Test func `the duration of the request counts as part of the token's lifetime`() async throws {
        let fixture = Fixture()
        let gate = Gate()
        await fixture.server.next("/auth/login", .delaysAnswer(gate))
        let client = fixture.client
        let signIn = Task { try await client.logIn(email: "ada@example.com", password: "x") }
        await gate.reached()
        fixture.clock.advance(by: .seconds(15))
        await gate.open()
        _ = try await signIn.value
        try await expectEqual(client.validToken().life, .seconds(885))
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
        ("Tue, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func `a Date header in HTTP's format is read`(text: String, seconds: Double) {
        expectEqual(HTTPDate.seconds(text), seconds)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
    ])
    func `a Date header in another format is ignored`(text: String) {
        expectEqual(HTTPDate.seconds(text), nil)
    }
}
