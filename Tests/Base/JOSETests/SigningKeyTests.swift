@Suite("Signing keys")
struct SigningKeyTests {
    @Test func `a key can be exported and imported`() throws {
        for key in Forge.all {
            let again = try SigningKey(exported: key.exported())
            expectEqual(again.kid, key.kid)
            expectEqual(again.algorithm, key.algorithm)
            expectEqual(again.publicJWK, key.publicJWK)
            let token = try Forge.token(Forge.claims(), with: again)
            try expectEqual(Forge.verdict(token, key), nil)
        }
    }

    @Test func `an imported key signs like the original, and an invalid number is refused`() throws
    {
        let key = try #require(
            try JSON.parse(Forge.p256.exported().reveal(), limits: .request).objectValue)
        let n = "_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE"
        for scalar in [Base64URL.encode([UInt8](repeating: 0, count: 32)), n, "AQ"] {
            var wrong = key
            wrong["d"] = .string(scalar)
            #expect(throws: KeyFailure.self) {
                _ = try SigningKey(exported: SecretBytes(wrong.serialized))
            }
        }
        for member in ["x", "y"] {
            var wrong = key
            wrong[member] = .string(Base64URL.encode([UInt8](repeating: 7, count: 32)))
            #expect(throws: KeyFailure.unusable) {
                _ = try SigningKey(exported: SecretBytes(wrong.serialized))
            }
        }
    }

    @Test func `a key can be written to and read from PEM`() throws {
        for key in Forge.all {
            guard let pem = try key.pem() else {
                expectEqual(key.algorithm, .hs256)
                continue
            }
            let again = try SigningKey(pem: pem)
            expectEqual(again.kid, key.kid)
            expectEqual(again.algorithm, key.algorithm)
            try expectEqual(SigningKey(pem: pem, kid: "TEAMKEY123").kid, "TEAMKEY123")
        }
    }

    @Test func `the public JWK has no private members`() throws {
        for key in Forge.all {
            let names = key.publicJWK?.members.map(\.name)
            switch key.algorithm {
            case .rs256: expectEqual(names, ["kty", "n", "e", "kid", "alg", "use"])
            case .es256: expectEqual(names, ["kty", "crv", "x", "y", "kid", "alg", "use"])
            case .edDSA: expectEqual(names, ["kty", "crv", "x", "kid", "alg", "use"])
            case .hs256: expectEqual(names, nil)
            }
            #expect(!"\(key)".contains("AQAB\""))
        }
    }

    @Test func `a key does not print its secret`() throws {
        for key in Forge.all {
            var dumped = ""
            dump(key, to: &dumped)
            dumped += "\(key) \(String(reflecting: key))"
            let exported = try JSON.parse(key.exported().reveal(), limits: .request)
            for name in ["d", "p", "q", "dp", "dq", "qi", "k"] {
                guard let text = exported[name]?.stringValue else { continue }
                let bytes = try #require(Base64URL.decode(text))
                #expect(!dumped.contains(text))
                #expect(!dumped.contains("\(bytes)"))
            }
        }
    }

    @Test func `the kid is the thumbprint unless another is given`() throws {
        for key in Forge.all { expectEqual(key.kid, key.verificationKey.thumbprint) }
        let secret = SecretBytes([UInt8](repeating: 3, count: 32))
        try expectEqual(SigningKey.secret(secret, kid: "shared").kid, "shared")
        // RFC 7638 section 3.2: {"k":…,"kty":"oct"}.
        let text = #"{"k":"\#(Base64URL.encode(secret.reveal()))","kty":"oct"}"#
        try expectEqual(SigningKey.secret(secret).kid, Base64URL.encode(SHA256.hash(utf8: text)))
    }

    @Test func `the private and public parts of an imported key must match`() throws {
        for algorithm in [Algorithm.rs256, .es256, .edDSA] {
            let key = try #require(Forge.all.first { $0.algorithm == algorithm })
            let other = try SigningKey.generate(algorithm, random: .seeded(23))
            let exported = try JSON.parse(key.exported().reveal(), limits: .request)
            var jwk = try #require(exported.objectValue)
            try expectEqual(SigningKey(privateJWK: jwk).kid, key.kid)
            for name in ["n", "x", "y"] where jwk[name] != nil {
                jwk[name] = other.publicJWK?[name]
            }
            #expect(throws: KeyFailure.unusable) { try SigningKey(privateJWK: jwk) }
        }
    }

    @Test(
        arguments: [
            ("use", "enc", .wrongUse), ("key_ops", ["verify"], .wrongUse), ("d", 1, .malformed),
            ("d", "", .malformed), ("d", "AA", .malformed), ("alg", "ES384", .unsupported),
            ("kty", "oct", .unsupported),
        ] as [(String, JSON, KeyFailure)])
    func `a private key with an invalid member is refused`(
        name: String, value: JSON, expected: KeyFailure
    ) throws {
        let exported = try JSON.parse(Forge.p256.exported().reveal(), limits: .request)
        var jwk = try #require(exported.objectValue)
        jwk[name] = value
        #expect(throws: expected) { try SigningKey(privateJWK: jwk) }
        #expect(throws: expected) { try SigningKey(exported: SecretBytes(jwk.serialized)) }
    }

    @Test(arguments: ["", "{}", "null", "not JSON", "-----BEGIN PRIVATE KEY-----"])
    func `an invalid key is refused`(text: String) {
        let bytes = SecretBytes(utf8: text)
        #expect(throws: KeyFailure.malformed) { try SigningKey(exported: bytes) }
        #expect(throws: KeyFailure.unusable) { try SigningKey(pem: bytes) }
    }

    @Test func `a public key does not sign`() throws {
        for key in [Forge.rsa, Forge.p256, Forge.ed25519] {
            let jwk = try #require(key.publicJWK)
            #expect(throws: KeyFailure.malformed) { try SigningKey(privateJWK: jwk) }
        }
    }

    @Test func `the header has the requested members`() throws {
        let keys = try KeySet([.secret(SecretBytes([UInt8](repeating: 1, count: 32)), kid: nil)])
        let key = try SigningKey.secret(SecretBytes([UInt8](repeating: 1, count: 32)))
        let bare = try JWT.sign(Forge.claims(), with: key, type: nil, includesKeyID: false)
        try expectEqual(JWS.verify(bare, keys: keys).header, ["alg": "HS256"])
        let typed = try JWT.sign(Forge.claims(), with: key, type: "at+jwt", includesKeyID: false)
        try expectEqual(JWS.verify(typed, keys: keys).header, ["alg": "HS256", "typ": "at+jwt"])
        let lying = try JWS.sign([], header: ["alg": "none"], with: key)
        try expectEqual(JWS.verify(lying, keys: keys).header, ["alg": "HS256"])
    }

    @Test func `a token too large to be verified is not signed`() {
        let claims = Forge.claims(["x": .string(String(repeating: "x", count: 13_000))])
        #expect(throws: CryptoFailure.limitExceeded) { try Forge.token(claims) }
    }

    @Test func `generated keys differ`() throws {
        let random = RandomSource.seeded(1)
        for algorithm in [Algorithm.es256, .edDSA, .hs256] {
            let kids = try (0..<3).map { _ in
                try SigningKey.generate(algorithm, random: random).kid
            }
            expectEqual(Set(kids).count, 3)
        }
    }
}
