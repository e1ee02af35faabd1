import AuthTestSupport

/// The settings of `news_app` (`Tests/Seeds/news_app.md`).
@Suite("Settings of news_app") struct NewsAppSettingsTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let settings = ["CONTRACT": "news_app", "STORE": "memory:"]

    /// The tokens of a sign-in, under further settings.
    private func signIn(_ more: [String: String]) throws -> (access: String, refresh: String) {
        let deployment = try TestDeployment()
        let provider = try SigningKey.generate(.rs256, random: .seeded(7))
        let keys: JSON = ["keys": .array([.object(try #require(provider.publicJWK))])]
        let settings = Self.settings.merging([
            "APPLE_CLIENT_IDS": "com.example.app", "APPLE_ISSUER": "https://id.example.com",
            "APPLE_JWKS_FILE": try deployment.write("jwks.json", keys.text),
        ]) { $1 }.merging(more) { $1 }
        let token = try JWT.sign(
            [
                "iss": "https://id.example.com", "aud": "com.example.app", "sub": "001",
                "iat": 1_700_000_000, "exp": 1_700_000_600,
            ], with: provider, type: nil, includesKeyID: true)
        let handler = try deployment.handler(settings, of: "signin")
        let reply = try #require(
            deployment.post(handler, "/auth/apple", #"{"id_token":"\#(token)"}"#))
        guard case .json(let body)? = reply.body else { throw Unexpected(reply: "\(reply)") }
        return (
            try #require(body["access_token"]?.stringValue, "\(body.text)"),
            try #require(body["refresh_token"]?.stringValue)
        )
    }

    private struct Unexpected: Error { let reply: String }

    private func claims(_ token: String) throws -> JSON {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        return try JSON.parse(try #require(Base64URL.decode(part)), limits: .request)
    }

    @Test func `both tokens of news_app are signed with JWT_SECRET_KEY`() throws {
        let tokens = try signIn(["JWT_SECRET_KEY": Self.secret])
        let keys = try KeySet([
            try SigningKey.secret(SecretBytes(utf8: Self.secret)).verificationKey.nameless
        ])
        for token in [tokens.access, tokens.refresh] {
            #expect(throws: Never.self) { try JWS.verify(token, keys: keys) }
        }
        let own = try signIn([:])
        for token in [own.access, own.refresh] {
            #expect(throws: TokenFailure.self) { try JWS.verify(token, keys: keys) }
        }
    }

    @Test func `the lifetimes of news_app are settings`() throws {
        let tokens = try signIn([
            "ACCESS_TOKEN_EXPIRE_MINUTES": "5", "REFRESH_TOKEN_EXPIRE_DAYS": "14",
            "JWT_ALGORITHM": "HS256",
        ])
        for (token, seconds) in [(tokens.access, Int64(300)), (tokens.refresh, 14 * 86_400)] {
            let claims = try claims(token)
            let iat = try #require(claims["iat"]?.int64Value)
            expectEqual(claims["exp"]?.int64Value, iat + seconds)
        }
    }

    @Test func `invalid settings of news_app are reported by their names`() throws {
        let wrong = Self.settings.merging([
            "JWT_SECRET_KEY": "short", "JWT_ALGORITHM": "RS256",
            "ACCESS_TOKEN_EXPIRE_MINUTES": "0", "REFRESH_TOKEN_EXPIRE_DAYS": "1000",
        ]) { $1 }
        expectEqual(
            Set(try TestDeployment().problems(wrong)),
            [
                "JWT_SECRET_KEY must hold at least 32 bytes",
                "JWT_ALGORITHM must be HS256, which the contract signs with",
                "ACCESS_TOKEN_EXPIRE_MINUTES must be a whole number from 1 to 1440",
                "REFRESH_TOKEN_EXPIRE_DAYS must be a whole number from 1 to 365",
            ])
    }
}

/// `ADMIN_PASSWORD_HASH` and `ADMIN_PASSWORD`.
@Suite("Settings of administration") struct AdminSettingsTests {
    private static let hash =
        "$argon2id$v=19$m=8,t=1,p=1$bGF0Y2hrZXkgZXhhbXBsZQ"
        + "$S98W7zt14jyU9Q1jzWNDQIoLVJqiVtNigBTKewZgU7w"

    private func login(_ settings: [String: String]) throws -> (reply: Reply, log: [String]) {
        let deployment = try TestDeployment()
        let handler = try deployment.handler(
            settings.merging(["STORE": "memory:"]) { $1 }, of: "admin-login")
        let reply = try #require(
            deployment.post(handler, "/auth/admin/login", #"{"password":"open sesame"}"#))
        return (reply, deployment.lines.withLock { $0 })
    }

    @Test func `news_app accepts a plain password in the settings, and the log warns`() throws {
        let (reply, log) = try login(["CONTRACT": "news_app", "ADMIN_PASSWORD": "open sesame"])
        expectEqual(reply.status, 303)
        #expect(log.contains { $0.contains("admin_password_not_hashed") })
        #expect(!log.contains { $0.contains("open sesame") })
        let wrong = try login(["CONTRACT": "news_app", "ADMIN_PASSWORD": "open sesam"])
        expectEqual(wrong.reply.status, 401)
        // The hash wins.
        let both = ["ADMIN_PASSWORD": "another", "ADMIN_PASSWORD_HASH": Self.hash]
        try expectEqual(login(both.merging(["CONTRACT": "news_app"]) { $1 }).reply.status, 303)
    }

    @Test func `without a password the function reports the missing setting`() throws {
        func problems(_ settings: [String: String]) throws -> [String] {
            try TestDeployment().problems(
                settings.merging(["STORE": "memory:"]) { $1 }, of: "admin-login")
        }
        try expectEqual(problems([:]), ["ADMIN_PASSWORD_HASH is required"])
        try expectEqual(problems(["ADMIN_PASSWORD": "x"]), ["ADMIN_PASSWORD_HASH is required"])
        try expectEqual(
            problems(["CONTRACT": "news_app"]),
            ["ADMIN_PASSWORD_HASH is required, or ADMIN_PASSWORD"])
        for hash in ["open sesame", "$2b$10$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=8"] {
            try expectEqual(
                problems(["ADMIN_PASSWORD_HASH": hash]),
                ["ADMIN_PASSWORD_HASH must be an Argon2id hash: $argon2id$v=19$…"])
        }
    }
}
