@Suite("Attacks on the header")
struct HeaderAttackTests {
    private let key = Forge.p256
    private let otherKey = try? SigningKey.generate(.es256, random: .seeded(99))

    // CVE-2025-59420, CVE-2026-32597.
    @Test(arguments: [
        #","crit":["b64"],"b64":false"#, #","crit":["exp"]"#, #","crit":[]"#, #","crit":null"#,
        #","crit":"b64""#, #","crit":["x"],"x":1"#, #","b64":false"#, #","b64":true"#,
        #","zip":"DEF""#, #","zip":null"#, #","cr\u0069t":["x"]"#,
    ])
    func `critical extensions are refused`(members: String) throws {
        let token = try Forge.token(header: Forge.header(key, adding: members), with: key)
        try expectEqual(Forge.verdict(token), .criticalHeader)
    }

    // CVE-2018-0114.
    @Test func `a key inside the token is not used`() throws {
        let otherKey = try #require(otherKey)
        let jwk = JSON.object(try #require(otherKey.publicJWK)).text
        let pem = "MIIB"
        for members in [
            #","jwk":\#(jwk)"#, #","jku":"https://evil.example/jwks.json""#,
            #","x5u":"https://evil.example/cert.pem""#, #","x5c":["\#(pem)"]"#,
            #","x5t":"AAAA","x5t#S256":"AAAA""#,
        ] {
            let header = Forge.header(key, adding: members)
            try expectEqual(
                Forge.verdict(Forge.token(header: header, with: otherKey)), .badSignature)
            // Ignored: with our own signature they change nothing.
            try expectEqual(Forge.verdict(Forge.token(header: header, with: key)), nil)
        }
        let own = Forge.header(otherKey, adding: #","jwk":\#(jwk)"#)
        try expectEqual(Forge.verdict(Forge.token(header: own, with: otherKey)), .unknownKeyID)
    }

    @Test(arguments: [
        "../../../../dev/null", "/etc/passwd", "' OR '1'='1", "x' UNION SELECT 'key", "unknown",
        "*", "%00", "\\u0000", " ", "0", "key\\n", "https://evil.example/key",
    ])
    func `an unknown kid is refused, whatever its value`(kid: String) throws {
        let header = #"{"alg":"ES256","kid":"\#(kid)","typ":"JWT"}"#
        try expectEqual(Forge.verdict(Forge.token(header: header, with: key)), .unknownKeyID)
    }

    @Test func `a kid is compared byte for byte`() throws {
        let kid = key.kid
        for other in [
            kid.uppercased(), kid.lowercased(), kid + " ", " " + kid, String(kid.dropLast()),
            kid + "\u{200B}", kid + "=",
        ] where other != kid {
            let header = #"{"alg":"ES256","kid":"\#(other)","typ":"JWT"}"#
            try expectEqual(Forge.verdict(Forge.token(header: header, with: key)), .unknownKeyID)
        }
        let kelvin = try SigningKey(privateJWK: named("K"))
        let token = try Forge.token(
            header: #"{"alg":"ES256","kid":"\u212A","typ":"JWT"}"#, with: kelvin)
        try expectEqual(Forge.verdict(token, kelvin), .unknownKeyID)
    }

    private func named(_ kid: String) throws -> JSONObject {
        let exported = try JSON.parse(key.exported().reveal(), limits: .request)
        var jwk = try #require(exported.objectValue)
        jwk["kid"] = .string(kid)
        return jwk
    }

    @Test func `a key without kid is not used for tokens with one`() throws {
        let secret = SecretBytes([UInt8](repeating: 7, count: 32))
        let keys = try KeySet([.secret(secret, kid: nil)])
        let signer = try SigningKey.secret(secret, kid: "any")
        let named = try JWT.sign(Forge.claims(), with: signer, type: "JWT", includesKeyID: true)
        #expect(throws: TokenFailure.unknownKeyID) { try JWS.verify(named, keys: keys) }
        let bare = try JWT.sign(Forge.claims(), with: signer, type: "JWT", includesKeyID: false)
        _ = try JWS.verify(bare, keys: keys)
    }

    @Test func `all secrets without kid are tried, and no others`() throws {
        let secrets = (1...3).map { SecretBytes([UInt8](repeating: $0, count: 32)) }
        let keys = try KeySet(
            secrets.map { secret throws(KeyFailure) in try .secret(secret, kid: nil) })
        for secret in secrets {
            let token = try JWT.sign(
                Forge.claims(), with: .secret(secret), type: nil, includesKeyID: false)
            _ = try JWS.verify(token, keys: keys)
        }
        let other = try SigningKey.secret(SecretBytes([UInt8](repeating: 4, count: 32)))
        let token = try JWT.sign(Forge.claims(), with: other, type: nil, includesKeyID: false)
        #expect(throws: TokenFailure.badSignature) { try JWS.verify(token, keys: keys) }
    }

    // RFC 8725 section 3.11.
    @Test(
        arguments: [
            (#","typ":"at+jwt""#, ["JWT"]), (#","typ":"dpop+jwt""#, ["JWT"]),
            (#","typ":"secevent+jwt""#, ["JWT", "at+jwt"]), ("", ["JWT"]), (#","typ":"""#, ["JWT"]),
            (#","typ":"JWT""#, ["at+jwt"]), (#","typ":"JWT""#, [nil]), (#","typ":"JWT""#, []),
            (#","typ":"text/jwt""#, ["JWT"]), (#","typ":"JW\u212A""#, ["jwk"]),
            (#","typ":"JWT ""#, ["JWT"]), (#","typ":"application/application/jwt""#, ["JWT"]),
        ] as [(String, [String?])])
    func `one type of token is not accepted as another`(member: String, types: [String?]) throws {
        let header = #"{"alg":"ES256","kid":"\#(key.kid)"\#(member)}"#
        var expectations = Forge.expectations
        expectations.types = types
        let token = try Forge.token(header: header, with: key)
        try expectEqual(Forge.verdict(token, key, expectations), .wrongType)
    }

    @Test(
        arguments: [
            (#","typ":"JWT""#, ["JWT"]), (#","typ":"jwt""#, ["JWT"]), ("", ["JWT", nil]),
            (#","typ":"application/JWT""#, ["jwt"]), (#","typ":"AT+jwt""#, ["JWT", "at+jwt"]),
            (#","typ":"at+jwt""#, ["application/at+jwt"]),
        ] as [(String, [String?])])
    func `types are compared as in RFC 7515`(member: String, types: [String?]) throws {
        let header = #"{"alg":"ES256","kid":"\#(key.kid)"\#(member)}"#
        var expectations = Forge.expectations
        expectations.types = types
        let token = try Forge.token(header: header, with: key)
        try expectEqual(Forge.verdict(token, key, expectations), nil)
    }

    /// Also where there is one key only.
    @Test func `members of the wrong type, and a long or missing kid, are refused`() throws {
        let wrong = ["null", "1", "[]", "{}", "true", #"["ES256"]"#]
        let headers =
            wrong.map { #""alg":\#($0),"kid":"\#(key.kid)","typ":"JWT""# }
            + (wrong + [#""""#, "\"\(String(repeating: "k", count: 257))\""])
            .map { #""alg":"ES256","kid":\#($0),"typ":"JWT""# }
            + wrong.map { #""alg":"ES256","kid":"\#(key.kid)","typ":\#($0)"# }
            + [#""kid":"\#(key.kid)","typ":"JWT""#]
        for header in headers {
            let token = try Forge.token(header: "{\(header)}", with: key)
            try expectEqual(Forge.verdict(token), .malformed, "\(header)")
        }
        let nameless = try Forge.token(header: #"{"alg":"ES256","typ":"JWT"}"#, with: key)
        try expectEqual(Forge.verdict(nameless), .missingKeyID)
    }
}
