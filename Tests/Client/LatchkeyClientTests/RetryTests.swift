@Suite("Refresh over a bad network", .timeLimit(.minutes(2)))
struct RetryTests {
    typealias Network = FakeServer.Network

    private static let problems: [(String, Network)] = [
        ("not sent", .notSent), ("answer lost", .loses), ("hanging", .hangs),
        ("truncated", .truncates), ("cancelled by the transport", .cancelled),
        ("HTML with 200", .answers(200, "<html>Welcome to the café</html>")),
        ("HTML with 401", .answers(401, "<html>Log in to the proxy</html>")),
        ("HTML with 403", .answers(403, "<html>Forbidden</html>")),
        ("no tokens", .answers(200, "{}")),
        ("an empty token", .answers(200, #"{"accessToken": ""}"#)),
        ("a token with a line break", .answers(200, #"{"accessToken": "a\r\nX: y"}"#)),
        ("429", .answers(429, "{}", ["Retry-After": "2"])), ("503", .answers(503, "")),
        ("500", .answers(500, "{}")), ("502", .answers(502, "<html>")),
        ("408", .answers(408, "{}")),
    ]

    /// The timeout of a hanging request is longer than the clock skips.
    private func running<Value: Sendable>(
        _ fixture: Fixture, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let pusher = Task {
            while !Task.isCancelled {
                // Pushes only what waits for a timeout.
                if fixture.clock.sleeperCount > 0, await fixture.server.isHanging {
                    fixture.clock.advance(by: .seconds(20))
                }
                await Task.yield()
            }
        }
        defer { pusher.cancel() }
        return try await body()
    }

    @Test(arguments: problems.indices)
    func `after one failure the same token succeeds`(index: Int) async throws {
        let fixture = try await Fixture.expired()
        await fixture.server.next("/auth/refresh", Self.problems[index].1)
        let token = try await running(fixture) { try await fixture.client.validToken().value }
        expectEqual(token, "a-1-1", "\(Self.problems[index].0)")
        await expectEqual(fixture.server.count("/auth/refresh"), 2)
        await expectEqual(fixture.server.reuses, 0)
        let sent = Set(
            await fixture.server.requests.filter { $0.url.path == "/auth/refresh" }
                .compactMap(\.body))
        expectEqual(sent.count, 1, "the same token")
    }

    @Test(arguments: problems.indices)
    func `a long outage ends no session, and the app works again afterwards`(
        index: Int
    ) async throws {
        let fixture = try await Fixture.signedIn()
        let events = await fixture.collector()
        await fixture.outliveToken()
        let problem = Self.problems[index].1
        await fixture.server.next("/auth/refresh", problem, problem, problem, problem)
        let error = try await running(fixture) { () async throws -> AuthError? in
            do throws(AuthError) {
                _ = try await fixture.client.validToken()
                return nil
            } catch {
                return error
            }
        }
        expectEqual(
            error?.isTransient, true, "\(Self.problems[index].0): \(String(describing: error))")
        #expect(try await fixture.store.text().contains("r-1-0"))
        fixture.clock.advance(by: .seconds(5))
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
        await expectEqual(
            events.names(atLeast: 2),
            ["signed in: ada@example.com", "refreshed: ada@example.com"])
    }

    /// Codes that are about the request, not the token; and one that looks final, with a status
    /// that is not.
    @Test(arguments: [
        (400, #"{"error": {"code": "INVALID_REQUEST", "message": ""}}"#),
        (400, #"{"error": {"code": "DOWN", "message": ""}}"#),
        (400, #"{"error": {"code": "X", "message": "", "action": "reauthenticate"}}"#),
        (401, #"{"error": {"code": "UNAUTHORIZED", "message": ""}}"#),
        (403, #"{"error": {"code": "FOREIGN_FORM", "message": ""}}"#),
        (404, #"{"error": {"code": "NOT_FOUND", "message": ""}}"#),
        (500, #"{"error": {"code": "X", "message": "", "action": "reauthenticate"}}"#),
        (503, #"{"error": {"code": "X", "message": "", "action": "retry"}}"#),
    ])
    func `other refusals end no session`(status: Int, body: String) async throws {
        let fixture = try await Fixture.expired()
        let answer = Network.answers(status, body)
        await fixture.server.next("/auth/refresh", answer, answer, answer, answer)
        await #expect(throws: AuthError.self) { _ = try await fixture.client.validToken() }
        await fixture.server.repairNetwork()
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test(arguments: [401, 403])
    func `a final refusal ends the session here and in the store`(status: Int) async throws {
        let fixture = try await Fixture.signedIn()
        let events = await fixture.collector()
        await fixture.outliveToken()
        await fixture.server.next(
            "/auth/refresh",
            .answers(
                status,
                #"""
                {"error": {"code": "ACCOUNT_DISABLED", "message": "", "action": "reauthenticate"}}
                """#
            ))
        let expected = AuthError.signInAgain(code: "ACCOUNT_DISABLED")
        await #expect(throws: expected) { _ = try await fixture.client.validToken() }
        await #expect(throws: expected) { _ = try await fixture.get() }
        try await expectEqual(fixture.store.load(), nil)
        await expectEqual(events.names(atLeast: 2).last?.contains("ACCOUNT_DISABLED"), true)
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
        // The next user is not concerned.
        try await fixture.logIn("grace@example.com")
        try await expectEqual(fixture.get().status, 200)
    }

    @Test(arguments: [(0xFF, [500, 1000, 2000]), (0, [0, 0, 0])] as [(UInt8, [Int])])
    func `the pauses grow, with full jitter`(byte: UInt8, milliseconds: [Int]) async throws {
        let fixture = try await Fixture.expired {
            $0.random = { Array(repeating: byte, count: $0) }
        }
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent)
        _ = try await fixture.client.validToken()
        expectEqual(fixture.clock.sleeps, milliseconds.map { .milliseconds($0) })
    }

    @Test func `Retry-After is observed`() async throws {
        let fixture = try await Fixture.expired { $0.random = { Array(repeating: 0, count: $0) } }
        await fixture.server.next("/auth/refresh", .answers(429, "{}", ["Retry-After": "7"]))
        _ = try await fixture.client.validToken()
        expectEqual(fixture.clock.sleeps, [.seconds(7)])
    }

    @Test func `during a long Retry-After nothing is sent`() async throws {
        let fixture = try await Fixture.expired()
        await fixture.server.next("/auth/refresh", .answers(429, "{}", ["Retry-After": "120"]))
        await #expect(throws: AuthError.rateLimited(retryAfter: .seconds(120))) {
            _ = try await fixture.client.validToken()
        }
        fixture.clock.advance(by: .seconds(50))
        await #expect(throws: AuthError.rateLimited(retryAfter: .seconds(70))) {
            _ = try await fixture.client.validToken()
        }
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
        fixture.clock.advance(by: .seconds(70))
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }

    @Test func `a token that is still valid is used while the server is down`() async throws {
        let fixture = try await Fixture.signedIn()
        fixture.clock.advance(by: .seconds(850))
        await fixture.server.next("/auth/refresh", .notSent, .notSent, .notSent, .notSent)
        try await expectEqual(fixture.get().status, 200)
        // Without another attempt at each request.
        try await expectEqual(fixture.get().status, 200)
        await expectEqual(fixture.server.count("/auth/refresh"), 4)
    }

    /// A second use would end every session of the user.
    @Test(arguments: [Network.loses, .truncates, .answers(500, ""), .answers(200, "<html>")])
    func `shell: a token is not sent again if it may have been used`(
        problem: Network
    ) async throws {
        let fixture = try await Fixture.expired(contract: .shell)
        await fixture.server.next("/auth/refresh", problem)
        await #expect(throws: AuthError.unavailable(retryAfter: nil)) {
            _ = try await fixture.client.validToken()
        }
        await expectEqual(fixture.server.count("/auth/refresh"), 1)
    }

    @Test func `shell: a request that was not sent is sent again`() async throws {
        let fixture = try await Fixture.expired(contract: .shell)
        await fixture.server.next("/auth/refresh", .notSent)
        try await expectEqual(fixture.client.validToken().value, "a-1-1")
    }
}
