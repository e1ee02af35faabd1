@Suite("AccessTokens") struct AccessTokensTests {
    let kit: AuthKit
    let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256, random: .seeded(1))
        kit = try AuthKit(policy: Self.policy, signingKeys: SigningKeys(configured: key))
    }

    static let policy = Policy.testing.with {
        $0.accessTokens.algorithm = .es256
        $0.accessTokens.includesKeyID = true
    }

    private var now: Instant { kit.clock.now }

    private func issue() throws -> AccessToken {
        let user = UserID(random: .seeded(1))
        return try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: User(
                id: user, email: "ada@example.com", isEmailVerified: true, displayName: nil,
                identities: [], createdAt: now),
            session: SessionID(random: .seeded(2)), boundTo: nil, at: now)
    }

    private var claims: JSONObject {
        [
            "iss": "https://auth.example.com", "aud": "latchkey",
            "sub": .string(UserID(random: .seeded(1)).text),
            "sid": .string(SessionID(random: .seeded(2)).text), "epoch": 0,
            "iat": .number(JSONNumber(now.seconds)),
            "exp": .number(JSONNumber(now.seconds + 900)), "jti": "x",
        ]
    }

    private func signed(
        type: String? = "at+jwt", _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims = claims
        change(&claims)
        return try JWT.sign(claims, with: key, type: type, includesKeyID: true)
    }

    @Test func `no two tokens are the same`() throws {
        try expectEqual(Set((0..<50).map { _ in try issue().reveal() }).count, 50)
    }

    @Test func `a token expires exactly at exp, whatever the millisecond of its issue`() throws {
        kit.clock.advance(by: .milliseconds(999))
        let token = try issue()
        let end = token.expiresAt
        expectEqual(end.milliseconds % 1000, 0)
        #expect(throws: Never.self) {
            try kit.auth.accessTokens.verify(token.reveal(), at: end - .milliseconds(1))
        }
        expectError(.accessToken(.expired)) {
            try kit.auth.accessTokens.verify(token.reveal(), at: end)
        }
    }

    @Test func `a machine whose clock is slightly behind accepts a new token`() throws {
        let text = try issue().reveal()
        for behind in [Span.milliseconds(1), .seconds(1), .seconds(60)] {
            #expect(throws: Never.self) { try kit.auth.accessTokens.verify(text, at: now - behind) }
        }
        expectError(.accessToken(.invalid)) {
            try kit.auth.accessTokens.verify(text, at: now - .seconds(62))
        }
    }

    /// RFC 8725 section 3.12: these are all signed with our key.
    @Test func `other tokens with the same key are not accepted as access tokens`() throws {
        let impostors: [String] = [
            // Like an ID token, and like the token for STS.
            try signed(type: "JWT"), try signed(type: nil), try signed(type: "at+jwt2"),
            try signed(type: "dpop+jwt"), try signed(type: ""),
            try signed(type: "JWT") { $0["aud"] = "sts.amazonaws.com" },
            // Another contract, audience or issuer.
            try signed { $0["aud"] = "whateat" }, try signed { $0["aud"] = "photolala" },
            try signed { $0["aud"] = "Latchkey" }, try signed { $0["aud"] = nil },
            try signed { $0["aud"] = [] }, try signed { $0["aud"] = ["latchkey2"] },
            try signed { $0["iss"] = "https://auth.example.com/" },
            try signed { $0["iss"] = "https://evil.example.com" },
            try signed { $0["iss"] = ["https://auth.example.com"] },
            try signed { $0["iss"] = nil },
            // Without expiry, user, session or epoch.
            try signed { $0["exp"] = nil }, try signed { $0["exp"] = "9999999999" },
            try signed { $0["sub"] = nil }, try signed { $0["sub"] = "1" },
            try signed { $0["sub"] = "../x" }, try signed { $0["sid"] = nil },
            try signed { $0["sid"] = 5 }, try signed { $0["epoch"] = nil },
            try signed { $0["epoch"] = "0" },
            // An unreadable binding must not be treated as no binding.
            try signed { $0["cnf"] = ["jkt": 1] }, try signed { $0["cnf"] = "jkt" },
            try signed { $0["cnf"] = ["x5t#S256": "abc"] }, try signed { $0["cnf"] = .null },
        ]
        for token in impostors {
            expectError(.accessToken(.invalid), "\(token)") {
                try kit.auth.accessTokens.verify(token, at: now)
            }
        }
        #expect(throws: Never.self) { try kit.auth.accessTokens.verify(signed(), at: now) }
    }

    /// Its key id would be a hash of the secret.
    @Test func `a token signed with a shared secret has no key id`() throws {
        let kit = try AuthKit()
        let token = try kit.session().access.reveal()
        let header = try JSON.parse(
            #require(Base64URL.decode(token.prefix { $0 != "." })), limits: .request)
        expectEqual(header["kid"], nil)
    }

    @Test func `printing a token does not reveal it`() throws {
        let token = try issue()
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains("eyJ"))
        }
    }
}
