@Suite("Keys and key sets")
struct KeySetTests {
    private func jwk(
        _ key: SigningKey = Forge.p256, _ changes: [String: JSON?] = [:]
    ) throws -> JSONObject {
        var jwk = try #require(key.publicJWK)
        for (name, value) in changes { jwk[name] = value }
        return jwk
    }

    private let secretJWK: JSONObject = [
        "kty": "oct", "kid": "s", "k": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
    ]

    @Test(
        arguments: [
            (["kty": "EC2"], .unsupported), (["kty": "RSA"], .unsupported),
            (["kty": nil], .malformed), (["kty": 1], .malformed), (["kty": "ec"], .unsupported),
            (["crv": "P-384"], .unsupported), (["crv": "secp256k1"], .unsupported),
            (["crv": nil], .malformed), (["alg": "ES384"], .unsupported),
            (["alg": "RS256"], .unsupported), (["alg": "none"], .unsupported),
            (["alg": 1], .malformed),
            (["alg": "es256"], .unsupported), (["alg": .null], .malformed),
            (["use": "enc"], .wrongUse), (["use": "SIG"], .wrongUse),
            (["use": ["sig"]], .malformed),
            (["use": .null], .malformed), (["key_ops": ["sign"]], .wrongUse),
            (["key_ops": []], .wrongUse), (["key_ops": ["encrypt", "wrapKey"]], .wrongUse),
            (["key_ops": ["verify", "verify"]], .malformed), (["key_ops": "verify"], .malformed),
            (["key_ops": ["verify", 1]], .malformed), (["kid": 1], .malformed),
            (["kid": ""], .malformed), (["kid": .null], .malformed),
            (["kid": .string(String(repeating: "k", count: 257))], .malformed),
            (["x": nil], .malformed), (["x": ""], .malformed), (["x": "AA"], .malformed),
            (["x": 1], .malformed), (["y": nil], .malformed), (["d": "AAAA"], .privateKey),
            (["x": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], .unusable),
        ] as [([String: JSON?], KeyFailure)])
    func `a key with an invalid member is refused`(
        changes: [String: JSON?], expected: KeyFailure
    ) throws {
        let jwk = try jwk(Forge.p256, changes)
        #expect(throws: expected) { try VerificationKey(jwk: jwk) }
    }

    @Test(
        arguments: [
            [:], ["alg": nil], ["use": nil], ["key_ops": ["verify"]],
            ["key_ops": ["sign", "verify"]], ["kid": nil], ["x5c": ["AAAA"]], ["unknown": 1],
        ] as [[String: JSON?]])
    func `optional members may be present or absent`(changes: [String: JSON?]) throws {
        for key in [Forge.rsa, Forge.p256, Forge.ed25519] {
            try expectEqual(VerificationKey(jwk: jwk(key, changes)).algorithm, key.algorithm)
        }
    }

    @Test func `coordinates that are not canonical are refused`() throws {
        let x = try #require(Forge.p256.publicJWK?["x"]?.stringValue)
        for changed in [x + "=", x + "A", String(x.dropLast()), " " + x, x + "\n"] {
            let jwk = try jwk(Forge.p256, ["x": .string(changed)])
            #expect(throws: KeyFailure.malformed) { try VerificationKey(jwk: jwk) }
        }
    }

    @Test(
        arguments: [
            ("e", "AQ", .unusable), ("e", "Aw", .unusable), ("e", "AAEAAQ", .unusable),
            ("e", "", .malformed), ("e", "AQABAAE", .unusable), ("n", "AQAB", .unusable),
            ("n", "", .malformed),
        ] as [(String, String, KeyFailure)])
    func `weak or invalid RSA numbers are refused`(
        name: String, value: String, expected: KeyFailure
    ) throws {
        let jwk = try jwk(Forge.rsa, [name: .string(value)])
        #expect(throws: expected) { try VerificationKey(jwk: jwk) }
    }

    @Test func `an RSA modulus with a leading zero is refused`() throws {
        let n = try #require(Forge.rsa.publicJWK?["n"]?.stringValue.flatMap(Base64URL.decode))
        let jwk = try jwk(Forge.rsa, ["n": .string(Base64URL.encode([0] + n))])
        #expect(throws: KeyFailure.unusable) { try VerificationKey(jwk: jwk) }
    }

    @Test(arguments: [0, 1, 16, 31, 4097])
    func `secrets that are too short or too long are refused`(count: Int) throws {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect(throws: KeyFailure.unusable) { try SigningKey.secret(SecretBytes(bytes)) }
        #expect(throws: KeyFailure.unusable) {
            try VerificationKey.secret(SecretBytes(bytes), kid: nil)
        }
        let jwk: JSONObject = ["kty": "oct", "k": .string(Base64URL.encode(bytes))]
        #expect(throws: KeyFailure.self) { try VerificationKey(jwk: jwk) }
        #expect(throws: KeyFailure.self) { try SigningKey(privateJWK: jwk) }
    }

    @Test func `a published set is parsed and its keys are found by id`() throws {
        let signers = [Forge.rsa, Forge.p256, Forge.ed25519]
        let set = try KeySet(jwks: ["keys": .array(signers.map { .object(try jwk($0)) })])
        expectEqual(set.keys.count, 3)
        for signer in signers {
            expectEqual(set.key(signer.kid)?.algorithm, signer.algorithm)
            _ = try JWS.verify(Forge.token(Forge.claims(), with: signer), keys: set)
        }
        #expect(set.key("unknown") == nil)
    }

    @Test func `unsupported and unusable keys are skipped`() throws {
        let others: [JSON] = [
            ["kty": "EC", "crv": "P-521", "kid": "a"], ["kty": "AKP", "kid": "b"], [:],
            .object(try jwk(Forge.ed25519, ["use": "enc"])), .object(secretJWK),
            .object(try jwk(Forge.rsa, ["e": "AQ"])),
            .object(try jwk(Forge.ed25519, ["d": "AAAA"])),
        ]
        let set = try KeySet(jwks: ["keys": .array(others + [.object(try jwk())])])
        expectEqual(set.keys.map(\.kid), [Forge.p256.kid])
    }

    @Test func `a set with a duplicate kid is refused`() throws {
        let twice = try JSON.array([
            .object(jwk()), .object(jwk(Forge.ed25519, ["kid": .string(Forge.p256.kid)])),
        ])
        #expect(throws: KeyFailure.duplicateKeyID) { try KeySet(jwks: ["keys": twice]) }
        let key = Forge.p256.verificationKey
        #expect(throws: KeyFailure.duplicateKeyID) { try KeySet([key, key]) }
    }

    @Test func `the kid of an invalid key remains reserved`() throws {
        let broken = try jwk(Forge.rsa, ["e": "AQ", "kid": .string(Forge.p256.kid)])
        let elsewhere = try jwk(Forge.rsa, ["use": "enc", "kid": .string(Forge.p256.kid)])
        #expect(throws: KeyFailure.duplicateKeyID) {
            try KeySet(jwks: ["keys": [.object(jwk()), .object(broken)]])
        }
        // An encryption key may share it: it is never used for a signature.
        try expectEqual(KeySet(jwks: ["keys": [.object(jwk()), .object(elsewhere)]]).keys.count, 1)
    }

    @Test func `secrets in a key set are used only if secrets are expected`() throws {
        let jwks: JSON = ["keys": [.object(secretJWK)]]
        try expectEqual(KeySet(jwks: jwks, holding: .secrets).key("s")?.algorithm, .hs256)
        #expect(throws: KeyFailure.noUsableKey) { try KeySet(jwks: jwks) }
        #expect(throws: KeyFailure.mixedKinds) {
            try KeySet(jwks: ["keys": [.object(jwk())]], holding: .secrets)
        }
        #expect(throws: KeyFailure.mixedKinds) {
            try KeySet(jwks: ["keys": [.object(jwk()), .object(secretJWK)]], holding: .secrets)
        }
    }

    @Test func `a set with both secrets and public keys is refused`() throws {
        #expect(throws: KeyFailure.mixedKinds) {
            try KeySet([Forge.p256.verificationKey, Forge.secret.verificationKey])
        }
    }

    @Test(
        arguments: [
            .null, [], "keys", [:], ["keys": .null], ["keys": "x"], ["keys": ["x"]], ["keys": [1]],
            ["Keys": []], ["keys": [:]],
        ] as [JSON])
    func `an invalid key set is refused`(jwks: JSON) {
        #expect(throws: KeyFailure.malformed) { try KeySet(jwks: jwks) }
    }

    @Test func `a set without a usable key is refused`() throws {
        #expect(throws: KeyFailure.noUsableKey) { try KeySet(jwks: ["keys": []]) }
        #expect(throws: KeyFailure.noUsableKey) { try KeySet(jwks: ["keys": [.object(secretJWK)]]) }
    }

    @Test func `the number of keys is limited`() throws {
        let many = JSON.array([JSON](repeating: [:], count: 65))
        #expect(throws: KeyFailure.tooManyKeys) { try KeySet(jwks: ["keys": many]) }
        let key = Forge.p256.verificationKey
        #expect(throws: KeyFailure.tooManyKeys) {
            try KeySet([VerificationKey](repeating: key, count: 65))
        }
    }

    @Test func `the kid of a token can be read without verifying it`() throws {
        try expectEqual(CompactToken(parsing: Forge.token(Forge.claims())).kid, Forge.p256.kid)
        let bare = try JWT.sign(Forge.claims(), with: Forge.secret, type: nil, includesKeyID: false)
        try expectEqual(CompactToken(parsing: bare).kid, nil)
        #expect(throws: TokenFailure.malformed) { try CompactToken(parsing: "a.b.c").kid }
        #expect(throws: TokenFailure.tooLarge) {
            try CompactToken(parsing: String(repeating: ".", count: 20_000)).kid
        }
    }
}
