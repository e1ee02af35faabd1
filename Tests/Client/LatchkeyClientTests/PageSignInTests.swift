@Suite("Sign-in on the server's pages", .timeLimit(.minutes(2)))
struct PageSignInTests {
    private static let address = "com.example.app:/signed-in"
    private static let session =
        #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "user": {"id": "u-1"}}"#

    private static func query(_ page: PageSignIn) throws -> [String: String] {
        let items = URLComponents(url: page.url, resolvingAgainstBaseURL: true)?.queryItems
        let pairs = try #require(items).map { ($0.name, $0.value ?? "") }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func callback(_ parameters: String) throws -> URL {
        try #require(URL(string: "\(address)?\(parameters)"))
    }

    private static func answer(to page: PageSignIn) throws -> URL {
        try callback("code=c&state=\(try #require(try query(page)["state"]))")
    }

    @Test func `the page gets a challenge and a state, and the exchange has the verifier`()
        async throws
    {
        let wire = Wire((200, Self.session))
        let client = wire.client(.latchkey)
        let begun = try await client.beginPageSignIn(returnTo: Self.address)
        expectEqual(begun.callbackScheme, "com.example.app")
        expectEqual(begun.url.path, "/auth/ui/signin")
        let query = try Self.query(begun)
        expectEqual(query["redirect_uri"], Self.address)
        expectEqual(query["code_challenge_method"], "S256")
        let state = try #require(query["state"])
        let other = try await client.beginPageSignIn(returnTo: Self.address, page: .register)
        expectEqual(other.url.path, "/auth/ui/register")
        #expect(try Self.query(other)["state"] != state)

        let result = try await client.signIn(
            begun, callback: Self.callback("code=c-1&iss=x&state=\(state)"))
        expectEqual(result.user?.id, "u-1")
        try await expectEqual(wire.line(0), "POST /auth/ui/token")
        let sent = try await wire.body(0).firstMatch(
            of: /\{"code":"c-1","codeVerifier":"([A-Za-z0-9_-]{43})"\}/)
        let verifier = try #require(sent).1
        expectEqual(Base64URL.encode(SHA256.hash(Array(verifier.utf8))), query["code_challenge"])
        try await expectEqual(client.validToken().value, "a")
    }

    @Test(arguments: [
        ("code=c&state=other", "STATE_MISMATCH"), ("code=c", "STATE_MISMATCH"),
        ("state={state}", "NO_CODE"), ("code=c&code=d&state={state}", "NO_CODE"),
        ("error=access_denied&state={state}", "access_denied"),
    ])
    func `another URL is refused, and nothing is sent`(parameters: String, code: String)
        async throws
    {
        let wire = Wire()
        let client = wire.client(.latchkey)
        let begun = try await client.beginPageSignIn(returnTo: Self.address)
        let state = try #require(try Self.query(begun)["state"])
        let callback = try Self.callback(parameters.replacing("{state}", with: state))
        let error = await #expect(throws: AuthError.self) {
            _ = try await client.signIn(begun, callback: callback)
        }
        expectEqual(error?.refusal?.code, code)
        // Not with the right URL either.
        await #expect(throws: AuthError.self) {
            _ = try await client.signIn(begun, callback: Self.callback("code=c&state=\(state)"))
        }
        await expectEqual(wire.requests.count, 0)
    }

    @Test func `the code is exchanged again while the server is busy`() async throws {
        func exchange(_ wire: Wire) async throws -> Session {
            let client = wire.client(.latchkey)
            let begun = try await client.beginPageSignIn(returnTo: Self.address)
            return try await client.signIn(begun, callback: Self.answer(to: begun))
        }
        let busy = Wire((503, ""), (502, "<html>"), (200, Self.session))
        try await expectEqual(exchange(busy).user?.id, "u-1")
        try await expectEqual(busy.body(2), busy.body(0))

        let dead = Wire((503, ""), (503, ""), (503, ""), (200, Self.session))
        await #expect(throws: AuthError.unavailable(retryAfter: nil)) { try await exchange(dead) }
        await expectEqual(dead.requests.count, 3)

        let refusing = Wire(
            (400, #"{"error": {"code": "INVALID_SIGN_IN_CODE", "message": ""}}"#),
            (200, Self.session))
        await #expect(throws: AuthError.self) { try await exchange(refusing) }
        await expectEqual(refusing.requests.count, 1)
    }

    @Test func `a registration waits for its mail for a limited time`() async throws {
        let clock = ManualClock()
        let wire = Wire((200, Self.session))
        let client = wire.client(.latchkey, clock: clock)
        let begun = try await client.beginPageSignIn(returnTo: Self.address, page: .register)
        let late = try await client.beginPageSignIn(returnTo: Self.address)
        clock.advance(by: .seconds(1799))
        _ = try await client.signIn(begun, callback: Self.answer(to: begun))
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: AuthError.self) {
            _ = try await client.signIn(late, callback: Self.answer(to: late))
        }
        expectEqual(error?.refusal?.code, "FLOW_EXPIRED")
    }

    @Test func `a sign-out while the page is open takes precedence`() async throws {
        let wire = Wire((200, Self.session), (200, "{}"))
        let store = MemoryStore()
        let client = wire.client(.latchkey, store: store)
        let begun = try await client.beginPageSignIn(returnTo: Self.address)
        _ = await client.signOut()
        await #expect(throws: AuthError.superseded) {
            _ = try await client.signIn(begun, callback: Self.answer(to: begun))
        }
        await expectEqual(store.load(), nil)
        // The session that nobody has is ended.
        try await expectEqual(wire.line(1), "POST /auth/signout")
    }

    @Test func `an invalid return address is refused before a page opens`() async throws {
        await #expect(throws: AuthError.unsupported("openPage in whateat")) {
            _ = try await Wire().client(.whateat).beginPageSignIn(returnTo: Self.address)
        }
        await #expect(throws: AuthError.unsupported("the address to return to")) {
            _ = try await Wire().client(.latchkey).beginPageSignIn(returnTo: "signed-in")
        }
        let plain = LatchkeyClient(
            baseURL: try #require(URL(string: "http://auth.example.com")), store: MemoryStore())
        await #expect(throws: AuthError.unsupported("a server without HTTPS")) {
            _ = try await plain.beginPageSignIn(returnTo: Self.address)
        }
        let prefixed = LatchkeyClient(
            baseURL: try #require(URL(string: "https://example.com/id/")), store: MemoryStore())
        try await expectEqual(
            prefixed.beginPageSignIn(returnTo: Self.address).url.path, "/id/auth/ui/signin")
    }
}
