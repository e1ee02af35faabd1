@Suite("Refresh", .timeLimit(.minutes(2)))
struct RefreshTests {
    @Test func `a valid token is used again`() async throws {
        let fixture = try await Fixture.signedIn()
        let first = try await fixture.client.validToken()
        fixture.clock.advance(by: .seconds(800))
        try await expectEqual(fixture.client.validToken().value, first.value)
        await expectEqual(fixture.server.refreshes, 0)
        expectEqual(first.type, "Bearer")
        expectEqual(first.life, .seconds(900))
    }

    /// The smaller of 60 seconds and a fifth of the life.
    @Test(arguments: [(900, 839, 0), (900, 841, 1), (100, 79, 0), (100, 81, 1)])
    func `a token is replaced shortly before it expires`(
        lifetime: Int, age: Int, refreshes: Int
    ) async throws {
        let fixture = Fixture()
        await fixture.server.setLifetime(lifetime)
        try await fixture.logIn()
        fixture.clock.advance(by: .seconds(age))
        _ = try await fixture.client.validToken()
        await expectEqual(fixture.server.refreshes, refreshes)
    }

    @Test func `a token is refreshed if a longer lifetime is requested`() async throws {
        let fixture = try await Fixture.signedIn()
        fixture.clock.advance(by: .seconds(300))
        let token = try await fixture.client.validToken(minimumLife: .seconds(700))
        expectEqual(token.value, "a-1-1")
        expectEqual(token.life, .seconds(900))
    }

    @Test func `a request for too long a lifetime gets one fresh token`() async throws {
        let fixture = try await Fixture.signedIn()
        try await expectEqual(fixture.client.validToken(minimumLife: .seconds(5000)).value, "a-1-1")
        await expectEqual(fixture.server.refreshes, 1)
    }

    @Test func `200 requests that are answered with 401 cause one refresh`() async throws {
        let fixture = try await Fixture.signedIn()
        await fixture.server.expireAll()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try await fixture.get().status } }
            for try await status in group { expectEqual(status, 200) }
        }
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
    }

    @Test func `1,000 cancelled callers do not affect other callers`() async throws {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .waits(gate))
        let client = fixture.client
        let patient = Task { try await client.validToken().value }
        await gate.reached()
        let callers = (0..<1000).map { _ in
            Task { () async -> AuthError? in
                do throws(AuthError) {
                    _ = try await client.validToken()
                    return nil
                } catch {
                    return error
                }
            }
        }
        for caller in callers { caller.cancel() }
        for caller in callers { await expectEqual(caller.value, .cancelled) }
        await gate.open()
        try await expectEqual(patient.value, "a-1-1")
        await expectEqual(fixture.server.refreshes, 1)
    }

    @Test func `a refresh continues when all of its callers are cancelled`() async throws {
        let fixture = try await Fixture.expired()
        let gate = Gate()
        await fixture.server.next("/auth/refresh", .delaysAnswer(gate))
        let client = fixture.client
        let caller = Task { try await client.validToken() }
        await gate.reached()
        caller.cancel()
        await #expect(throws: AuthError.cancelled) { _ = try await caller.value }
        await gate.open()
        try await expectEqual(client.validToken().value, "a-1-1")
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
    }

    @Test func `a caller with an older token gets the current one without a refresh`() async throws
    {
        let fixture = try await Fixture.signedIn()
        let gate = Gate()
        await fixture.server.next("/content", .waits(gate))
        let client = fixture.client
        let slow = Task { try await client.send(HTTPRequest("GET", Fixture.content)).status }
        await gate.reached()
        await fixture.server.expireAll()
        try await expectEqual(fixture.get().status, 200)
        await gate.open()
        try await expectEqual(slow.value, 200)
        await expectEqual(fixture.server.refreshes, 1)
    }

    @Test func `a body that can be read once is not sent again`() async throws {
        let fixture = try await Fixture.signedIn()
        await fixture.server.expireAll()
        let request = HTTPRequest(
            "PUT", Fixture.content, body: Data("stream".utf8), isReplayable: false)
        try await expectEqual(fixture.client.send(request).status, 401)
        await expectEqual(fixture.server.count("/content"), 1)
        // The next request has another token.
        try await expectEqual(fixture.client.send(request).status, 200)
    }

    @Test func `a request is repeated only once`() async throws {
        let fixture = try await Fixture.signedIn()
        await fixture.server.next(
            "/content", .answers(401, "{}"), .answers(401, "{}"), .answers(401, "{}"))
        try await expectEqual(fixture.get().status, 401)
        await expectEqual(fixture.server.count("/content"), 2)
        await expectEqual(fixture.server.refreshes, 1)
    }

    /// RFC 9470: the token is good, the user has to prove more.
    @Test func `a challenge for a stronger proof causes no refresh`() async throws {
        let fixture = try await Fixture.signedIn()
        await fixture.server.next(
            "/content",
            .answers(
                401, "{}",
                ["WWW-Authenticate": #"Bearer error="insufficient_user_authentication""#]))
        try await expectEqual(fixture.get().status, 401)
        await expectEqual(fixture.server.refreshes, 0)
        await expectEqual(fixture.server.count("/content"), 1)
    }

    @Test func `without a session there is no request`() async throws {
        let fixture = Fixture()
        await #expect(throws: AuthError.signedOut) { _ = try await fixture.get() }
        await #expect(throws: AuthError.signedOut) { _ = try await fixture.client.validToken() }
        #expect(await fixture.server.requests.isEmpty)
    }

    @Test(arguments: [
        "https://evil.example.com/content", "https://auth.example.com:8443/content",
        "http://auth.example.com/content", "https://auth.example.com.evil.example/content",
    ])
    func `the token is sent only to its own server`(url: String) async throws {
        let fixture = try await Fixture.signedIn()
        let request = HTTPRequest("GET", try #require(URL(string: url)))
        do {
            _ = try await fixture.client.send(request)
            Issue.record("the request was sent")
        } catch {
            guard case .unsupported = error else {
                Issue.record("\(error)")
                return
            }
        }
        await expectEqual(fixture.server.requests.count, 1)
    }

    @Test func `the token is sent only to the configured origins`() async throws {
        let fixture = try await Fixture.signedIn { $0.tokenOrigins = ["https://API.example.com/"] }
        let url = try #require(URL(string: "https://api.example.com/content"))
        try await expectEqual(fixture.client.send(HTTPRequest("GET", url)).status, 200)
    }
}
