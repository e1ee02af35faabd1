import BaseTestSupport
import EmulatorBase
import EmulatorGateway
import JOSE

/// API Gateway Developer Guide, "Control access to HTTP APIs with JWT authorizers".
@Suite("JWTAuthorizers") struct JWTAuthorizerTests {
    private static let issuer = "https://issuer.test"
    private static let now: Int64 = 1_584_039_838
    private static let keys = Result {
        [
            try SigningKey.generate(.rs256, random: .seeded(1)),
            try SigningKey.generate(.rs256, random: .seeded(2)),
        ]
    }

    private static func key(_ index: Int = 0) throws -> SigningKey { try keys.get()[index] }

    private func harness(
        scopes: JSON? = nil, audience: JSON = ["app"], serves: [Int] = [0]
    ) throws -> GatewayHarness {
        let authorizer: JSONObject = [
            "JwtConfiguration": [
                "issuer": .string(Self.issuer), "audience": audience,
            ], "IdentitySource": "$request.header.Authorization",
        ]
        var auth: JSONObject = ["Authorizer": "J"]
        if let scopes { auth["AuthorizationScopes"] = scopes }
        let harness = try GatewayHarness(
            SAMTemplates.http(
                [("GET", "/me")], api: ["Auth": ["Authorizers": ["J": .object(authorizer)]]],
                event: ["Auth": .object(auth)]))
        harness.serve(
            ["jwks_uri": "https://keys.test/jwks"],
            at: "\(Self.issuer)/.well-known/openid-configuration")
        try serve(serves, harness)
        return harness
    }

    private func serve(_ indexes: [Int], _ harness: GatewayHarness) throws {
        let keys = try indexes.map { JSON.object(try #require(try Self.key($0).publicJWK)) }
        harness.serve(["keys": .array(keys)], at: "https://keys.test/jwks")
    }

    private func token(
        _ changes: JSONObject = [:], without: [String] = [], key: Int = 0
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "app", "sub": "u1",
            "exp": .number(Self.now + 100), "iat": .number(Self.now - 100),
        ]
        for (name, value) in changes.members { claims[name] = value }
        for name in without { claims[name] = nil }
        return try JWT.sign(claims, with: try Self.key(key), type: "JWT", includesKeyID: true)
    }

    private func send(_ harness: GatewayHarness, _ value: String?) throws -> ServerResponse {
        try harness.send("GET", "/me", value.map { [("Authorization", $0)] } ?? [])
    }

    @Test func `claims arrive as strings`() throws {
        let harness = try harness()
        let token = try token([
            "email_verified": true, "groups": ["a", "b"], "n": 1, "o": ["x": 1],
            "scope": "a b",
        ])
        for value in ["Bearer \(token)", token, "bearer   \(token)"] {
            try expectEqual(send(harness, value).status, 200)
        }
        try expectEqual(
            harness.event()["requestContext"]?["authorizer"],
            [
                "jwt": [
                    "claims": [
                        "iss": .string(Self.issuer), "aud": "app", "sub": "u1",
                        "exp": "1584039938", "iat": "1584039738", "email_verified": "true",
                        "groups": "[a b]", "n": "1", "o": "map[x:1]", "scope": "a b",
                    ], "scopes": .null,
                ]
            ])
        expectEqual(harness.fetched.count, 2)
    }

    @Test func `a missing token gets the challenge without an error`() throws {
        let harness = try harness()
        for value in [nil, "", "Bearer", "Bearer  "] {
            let response = try send(harness, value)
            expectEqual(response.status, 401)
            expectEqual(response.text, #"{"message":"Unauthorized"}"#)
            expectEqual(response.header("www-authenticate"), "Bearer")
        }
        #expect(harness.fetched.isEmpty)
    }

    @Test(
        arguments: [
            (["exp": .number(now)], [], "the token has expired"),
            (["exp": .number(now - 1)], [], "the token has expired"),
            (["exp": "1584039999"], [], "the token has expired"),
            ([:], ["exp"], "the token has expired"),
            (["aud": "other"], [], "the token does not have a valid audience"),
            (["aud": ["x", "y"]], [], "the token does not have a valid audience"),
            (["aud": "other", "client_id": "app"], [], "the token does not have a valid audience"),
            ([:], ["aud"], "the token does not have a valid audience"),
            (["iss": "https://issuer.test/"], [], "invalid issuer"),
            ([:], ["iss"], "invalid issuer"),
            (["nbf": .number(now + 1)], [], "the token is not valid yet"),
            (["iat": .number(now + 1)], [], "the token was used before it was issued"),
        ] as [(JSONObject, [String], String)])
    func `invalid claims are refused with a reason`(
        changes: JSONObject, without: [String], reason: String
    ) throws {
        let harness = try harness()
        let response = try send(harness, "Bearer \(token(changes, without: without))")
        expectEqual(response.status, 401)
        expectEqual(
            response.header("www-authenticate"),
            #"Bearer scope="" error="invalid_token" error_description="\#(reason)""#)
        #expect(harness.calls.isEmpty)
    }

    @Test(
        arguments: [
            (["aud": ["x", "app"]], []), (["client_id": "app"], ["aud"]),
            (["nbf": .number(now)], ["iat"]),
        ] as [(JSONObject, [String])])
    func `valid claims are accepted`(changes: JSONObject, without: [String]) throws {
        let harness = try harness()
        try expectEqual(send(harness, token(changes, without: without)).status, 200)
    }

    @Test func `another algorithm is refused before any key is fetched`() throws {
        let harness = try harness()
        let parts = try token().split(separator: ".").map(String.init)
        for (algorithm, reason) in [
            ("HS256", "signing method HS256 is invalid"),
            ("none", "signing method none is invalid"),
            ("ES256", "signing method ES256 is invalid"),
            ("a\"\r\nb", "signing method ab is invalid"),
        ] {
            let header: JSONObject = ["alg": .string(algorithm), "kid": "k"]
            let forged = "\(Base64URL.encode(header.serialized)).\(parts[1]).\(parts[2])"
            let response = try send(harness, forged)
            expectEqual(response.status, 401)
            expectEqual(response.header("www-authenticate")?.contains(reason), true)
        }
        for text in ["a.b.c", "a", "..", "a.b.c.d", "Bearer Bearer"] {
            try expectEqual(send(harness, text).status, 401)
        }
        #expect(harness.fetched.isEmpty)
    }

    @Test func `a forged signature is refused`() throws {
        let harness = try harness()
        let token = try token()
        let forged = token.dropLast(8) + "AAAAAAAA"
        try expectEqual(send(harness, String(forged)).status, 401)
        // Signed with a key that the issuer does not publish.
        try expectEqual(send(harness, try self.token(key: 1)).status, 401)
        #expect(harness.calls.isEmpty)
    }

    @Test func `one of the route's scopes is enough`() throws {
        let harness = try harness(scopes: ["read", "write"])
        try expectEqual(send(harness, token(["scope": "x write"])).status, 200)
        try expectEqual(
            harness.event()["requestContext"]?["authorizer"]?["jwt"]?["scopes"], ["write"])
        try expectEqual(send(harness, token(["scp": ["read"]])).status, 200)
        for changes: JSONObject in [
            [:], ["scope": "x"], ["scope": "readwrite"], ["scope": ["read"]],
        ] {
            let response = try send(harness, token(changes))
            expectEqual(response.status, 403)
            expectEqual(response.text, #"{"message":"Forbidden"}"#)
            expectEqual(
                response.header("www-authenticate")?.contains(#"error="insufficient_scope""#), true)
        }
    }

    @Test func `an unknown key id fetches the keys again, at a limited rate`() throws {
        let harness = try harness()
        try expectEqual(send(harness, token()).status, 200)
        try serve([0, 1], harness)
        try expectEqual(send(harness, token(key: 1)).status, 401)
        expectEqual(harness.fetched.count, 2)
        harness.advance(by: .seconds(10))
        try expectEqual(send(harness, token(key: 1)).status, 200)
        expectEqual(harness.fetched.count, 4)
        try expectEqual(send(harness, token()).status, 200)
        expectEqual(harness.fetched.count, 4)
    }

    @Test func `cached keys expire`() throws {
        let harness = try harness()
        let token = try token(["exp": .number(Self.now + 100_000)])
        try expectEqual(send(harness, token).status, 200)
        harness.advance(by: .hours(2))
        harness.serve(nil, at: "https://keys.test/jwks")
        let response = try send(harness, token)
        expectEqual(response.status, 401)
        expectEqual(response.header("www-authenticate")?.contains("communication error"), true)
    }

    @Test func `an issuer without keys rejects every token`() throws {
        for document: [UInt8]? in [
            nil, "".bytes, "{}".bytes, #"{"keys":[]}"#.bytes,
            [UInt8](repeating: 0x20, count: 150_001),
        ] {
            let harness = try harness()
            if let document {
                harness.serve(bytes: document, at: "https://keys.test/jwks")
            } else {
                harness.serve(nil, at: "https://keys.test/jwks")
            }
            try expectEqual(send(harness, token()).status, 401)
            #expect(harness.calls.isEmpty)
            // Failures are not cached.
            try serve([0], harness)
            try expectEqual(send(harness, token()).status, 200)
        }
    }
}
