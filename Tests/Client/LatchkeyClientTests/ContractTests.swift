/// Requests and responses of each contract. The ids in names are statements of the seeds.
@Suite("Contracts", .timeLimit(.minutes(2)))
struct ContractTests {
    private static let credential = IdentityCredential(
        provider: "apple", idToken: "eyJ", authorizationCode: "c", givenName: "Ada",
        familyName: "Lovelace", email: "ada@example.com")

    @Test func `whateat: sign-in, refresh five minutes before the end, sign-out (A4 R1 D7)`()
        async throws
    {
        let session =
            #"""
            "refreshToken": "v1.r", "expiresIn": 3600,
            "user": {"id": "u-1", "email": null, "createdAt": "2026-01-01"}}
            """#
        let wire = Wire(
            (200, #"{"accessToken": "a-1", "expiresAt": 1800003600, \#(session)"#),
            (200, #"{"accessToken": "a-2", "expiresAt": 1800006900, \#(session)"#),
            (200, #"{"success": true}"#))
        let clock = ManualClock()
        let client = wire.client(.whateat, clock: clock)
        let result = try await client.signIn(Self.credential)
        let user = try #require(result.session?.user)
        #expect(user.id == "u-1" && user.email == nil && user.createdAt == "2026-01-01")
        try await expectEqual(wire.line(0), "POST /api/v1/auth/signin")
        try await expectEqual(
            wire.body(0),
            #"{"authorizationCode":"c","fullName":{"familyName":"Lovelace","givenName":"Ada"},"idToken":"eyJ","provider":"apple"}"#
        )
        clock.advance(by: .seconds(3299))
        try await expectEqual(client.validToken().value, "a-1")
        clock.advance(by: .seconds(2))
        try await expectEqual(client.validToken().value, "a-2")
        try await expectEqual(wire.line(1), "POST /api/v1/auth/refresh")
        try await expectEqual(wire.body(1), #"{"refreshToken":"v1.r"}"#)
        await expectEqual(client.signOut(), SignOutResult())
        try await expectEqual(wire.line(2), "POST /api/v1/auth/signout")
        await expectEqual(wire.requests[2].headers["Authorization"], "Bearer a-2")
    }

    @Test func `latchkey: Apple's name is sent until a sign-in succeeds`() async throws {
        let session = #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900}"#
        let wire = Wire((503, ""), (200, session), (200, session))
        let client = wire.client(.latchkey)
        let first = IdentityCredential(
            provider: "apple", idToken: "t", givenName: "Ada", userID: "001")
        await #expect(throws: AuthError.unavailable(retryAfter: nil)) {
            _ = try await client.signIn(first)
        }
        let later = IdentityCredential(provider: "apple", idToken: "t", userID: "001")
        for _ in 1...2 { _ = try await client.signIn(later) }
        try await expectEqual(
            wire.body(1), #"{"fullName":{"givenName":"Ada"},"idToken":"t","provider":"apple"}"#)
        try await expectEqual(wire.body(2), #"{"idToken":"t","provider":"apple"}"#)
    }

    @Test func `whateat: a refresh with 401 signs out, others do not (R2 R15)`() async throws {
        let session = #"""
            {"accessToken": "a", "refreshToken": "r", "expiresIn": 3600, "expiresAt": 1800003600,
            "user": {"id": "u"}}
            """#
        let wire = Wire(
            (200, session), (500, #"{"error": "Server error", "code": "REFRESH_SERVICE_ERROR"}"#),
            (400, #"{"error": "missing", "code": "MISSING_REFRESH_TOKEN"}"#),
            (401, #"{"error": "invalid", "code": "INVALID_REFRESH_TOKEN"}"#))
        let clock = ManualClock()
        let store = MemoryStore()
        let client = wire.client(.whateat, store: store, clock: clock)
        _ = try await client.signIn(Self.credential)
        clock.advance(by: .seconds(3600))
        // The 500 is tried again, the 400 is not.
        await #expect(throws: AuthError.self) { _ = try await client.validToken() }
        #expect(await store.load() != nil)
        await #expect(throws: AuthError.signInAgain(code: "INVALID_REFRESH_TOKEN")) {
            _ = try await client.validToken()
        }
        await expectEqual(store.load(), nil)
    }

    @Test func `livlogios: an expired access token is renewed to sign out`() async throws {
        let expired = #"{"error": {"code": "TOKEN_EXPIRED", "message": ""}}"#
        let session = #""refreshToken": "r", "expiresIn": 3600, "user": {"id": "u"}}"#
        let wire = Wire(
            (200, #"{"accessToken": "a", \#(session)"#), (401, expired),
            (200, #"{"accessToken": "a2", "refreshToken": "r2", "expiresIn": 3600}"#), (204, ""))
        let store = MemoryStore()
        let client = wire.client(.livlogios, store: store)
        _ = try await client.signIn(Self.credential)
        await expectEqual(client.signOut(), SignOutResult())
        try await expectEqual(wire.line(2), "POST /api/v1/auth/refresh")
        await expectEqual(wire.requests[3].headers["Authorization"], "Bearer a2")
        await expectEqual(store.load(), nil)
    }

    @Test func `news_app: a token is valid for half an hour`() async throws {
        let session = #"{"access_token": "a", "refresh_token": "r", "user": {"id": 7}}"#
        let wire = Wire((200, session), (200, session))
        let clock = ManualClock()
        let client = wire.client(.newsApp, clock: clock)
        _ = try await client.signIn(Self.credential)
        clock.advance(by: .seconds(1739))
        _ = try await client.validToken()
        await expectEqual(wire.requests.count, 1)
        clock.advance(by: .seconds(2))
        _ = try await client.validToken()
        await expectEqual(wire.requests.count, 2)
    }

    @Test func `photolala: without sessions everything is unsupported`() async throws {
        let wire = Wire()
        let client = wire.client(.photolala)
        await #expect(throws: AuthError.unsupported("sessions")) {
            _ = try await client.validToken()
        }
        await #expect(throws: AuthError.unsupported("signIn in photolala")) {
            _ = try await client.signIn(Self.credential)
        }
        await expectEqual(client.signOut(), SignOutResult())
        #expect(await wire.requests.isEmpty)
    }

    /// Never a 404 of a server that does not have it.
    @Test func `operations missing from a contract are unsupported, without a request`()
        async throws
    {
        for contract in [ClientContract.whateat, .livlogios, .newsApp, .shell] {
            let wire = Wire()
            let client = wire.client(contract)
            #expect(!contract.supports(.guest))
            await #expect(throws: AuthError.unsupported("guest in \(contract.name)")) {
                _ = try await client.beginAsGuest()
            }
            await #expect(throws: AuthError.unsupported("challenge in \(contract.name)")) {
                _ = try await client.challenge()
            }
            #expect(await wire.requests.isEmpty)
        }
        #expect(ClientOperation.allCases.allSatisfy(ClientContract.latchkey.supports))
    }

    @Test func `a provider that the contract does not have is unsupported`() async throws {
        let client = Wire().client(.newsApp)
        await #expect(throws: AuthError.unsupported("google in news_app")) {
            _ = try await client.signIn(IdentityCredential(provider: "google", idToken: "x"))
        }
    }

    @Test func `latchkey: device, fingerprint and trusted device`() async throws {
        let session = #"""
            {"accessToken": "a", "refreshToken": "r", "tokenType": "Bearer", "expiresIn": 900,
            "expiresAt": 1800000900, "user": {"id": "u"}, "deviceToken": "trusted"}
            """#
        let wire = Wire((200, session), (200, #"{"success": true}"#), (200, session))
        let client = wire.client(.latchkey) {
            $0.device = Device(name: "Phone", os: "iOS", fingerprint: "f")
        }
        _ = try await client.logIn(email: "a@b", password: "x")
        _ = await client.signOut()
        _ = try await client.logIn(email: "a@b", password: "x")
        try await expectEqual(
            wire.body(2),
            #"{"device":{"name":"Phone","os":"iOS"},"deviceFingerprint":"f","deviceToken":"trusted","email":"a@b","password":"x"}"#
        )
    }

    @Test func `storage credentials belong to the signed-in user`() async throws {
        let tokens = #"{"accessToken": "a", "refreshToken": "r", "expiresIn": 900}"#
        func answer(_ key: String) -> (Int, String) {
            (
                200,
                #"""
                {"credentials": {"accessKeyId": "\#(key)", "secretAccessKey": "s",
                 "sessionToken": "t", "expiration": "2027-01-15T09:00:00Z"},
                 "bucket": "b", "prefix": "users/u/", "region": "eu-central-1"}
                """#
            )
        }
        let wire = Wire(
            (200, tokens), answer("one"), (200, #"{"success": true}"#), (200, tokens),
            answer("two"))
        let client = wire.client(.latchkey)
        let provider = StorageCredentialsProvider(client: client)
        _ = try await client.logIn(email: "a@b", password: "x")
        try await expectEqual(provider.credentials().accessKeyID, "one")
        _ = await client.signOut()
        await #expect(throws: AuthError.signedOut) { _ = try await provider.credentials() }
        _ = try await client.logIn(email: "c@d", password: "x")
        try await expectEqual(provider.credentials().accessKeyID, "two")
        try await expectEqual(provider.credentials().accessKeyID, "two")
    }

    @Test func `a path has its parameter escaped`() async throws {
        let wire = Wire(
            (
                200,
                #"""
                {"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "expiresAt": 1800000900}
                """#
            ),
            (204, ""))
        let client = wire.client(.latchkey)
        _ = try await client.logIn(email: "a@b", password: "x")
        try await client.forgetDevice(id: "../a b?c")
        let url = try #require(await wire.requests.last?.url.absoluteString)
        expectEqual(url, "https://auth.example.com/auth/devices/..%2Fa%20b%3Fc")
    }

    @Test func `a base URL may have a path`() async throws {
        let wire = Wire((202, #"{"email": "a@b", "message": "m", "requestSecret": "s"}"#))
        let base = try #require(URL(string: "https://example.com/prod/"))
        let client = LatchkeyClient(baseURL: base, store: MemoryStore(), transport: wire)
        _ = try await client.requestLink(email: "a@b")
        let url = try #require(await wire.requests.last?.url.absoluteString)
        expectEqual(url, "https://example.com/prod/auth/magic-link")
    }

    @Test(arguments: ["http://example.com", "ftp://example.com", "http://localhost.example.com"])
    func `secrets are not sent in the clear`(base: String) async throws {
        let wire = Wire()
        let client = LatchkeyClient(
            baseURL: try #require(URL(string: base)), store: MemoryStore(), transport: wire)
        await #expect(throws: AuthError.unsupported("a server without HTTPS")) {
            _ = try await client.logIn(email: "a@b", password: "x")
        }
        #expect(await wire.requests.isEmpty)
    }
}
