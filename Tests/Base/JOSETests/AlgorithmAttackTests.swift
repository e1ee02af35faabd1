@Suite("Attacks on the algorithm")
struct AlgorithmAttackTests {
    // CVE-2015-9235 and similar.
    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "NoNe", "none ", " none", "none\\u0000", "", "null", "nil",
        "n\\u006fne", "nоne",
    ])
    func `alg none is refused in every spelling`(name: String) throws {
        for key in Forge.all {
            let header = #"{"alg":"\#(name)","kid":"\#(key.kid)","typ":"JWT"}"#
            let input =
                "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(Forge.claims().serialized))"
            let signature = try key.sign(Array(input.utf8))
            for signature in [[], signature] {
                let token = "\(input).\(Base64URL.encode(signature))"
                try expectEqual(Forge.verdict(token, key), .algorithmMismatch)
            }
        }
    }

    // U+212A is the Kelvin sign; `String` treats "é" and "e" + U+0301 as equal.
    @Test(arguments: [
        "es256", "Es256", "ES256 ", " ES256", "ES-256", "ES384", "ES512", "ES256K", "ES25\u{FF16}",
        "E\u{405}256", "ES256\\u0000",
    ])
    func `the header's algorithm must equal the key's, byte for byte`(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"\#(Forge.p256.kid)","typ":"JWT"}"#
        try expectEqual(
            Forge.verdict(Forge.token(header: header, with: Forge.p256)), .algorithmMismatch)
    }

    // CVE-2022-29217, CVE-2023-48223: the public key, in every form available to an attacker, as
    // the secret of an HMAC. CVE-2026-34950 had a space before the PEM.
    @Test(arguments: [Algorithm.rs256, .es256, .edDSA])
    func `a public key is not an HMAC secret`(algorithm: Algorithm) throws {
        let key = try #require(Forge.all.first { $0.algorithm == algorithm })
        let jwk = try #require(key.publicJWK)
        let pem = try publicPEM(jwk, algorithm)
        var secrets: [[UInt8]] = [
            Array(pem.utf8), Array((" " + pem).utf8), Array(("\n" + pem).utf8),
            Array(pem.utf8.dropLast()), jwk.serialized,
        ]
        for name in ["n", "x", "y"] {
            guard let text = jwk[name]?.stringValue else { continue }
            secrets += [Array(text.utf8), try #require(Base64URL.decode(text))]
        }
        for secret in secrets {
            let forger = try SigningKey.secret(SecretBytes(secret), kid: key.kid)
            let honest = try Forge.token(Forge.claims(), with: forger)
            try expectEqual(Forge.verdict(honest, key), .algorithmMismatch)
            let lying = try Forge.token(header: Forge.header(key), with: forger)
            try expectEqual(Forge.verdict(lying, key), .badSignature)
        }
    }

    private func publicPEM(_ jwk: JSONObject, _ algorithm: Algorithm) throws -> String {
        func bytes(_ name: String) throws -> [UInt8] {
            try #require(jwk[name]?.stringValue.flatMap(Base64URL.decode))
        }
        switch algorithm {
        case .rs256: return try RSAPublicKey(modulus: bytes("n"), exponent: bytes("e")).pem()
        case .es256: return try P256PublicKey(x: bytes("x"), y: bytes("y")).pem()
        case .edDSA: return try Ed25519PublicKey(bytes: bytes("x")).pem()
        case .hs256: return ""
        }
    }

    // CVE-2026-22817: a JWK without `alg` took it from the token.
    @Test(arguments: [Algorithm.rs256, .es256, .edDSA])
    func `a key without alg has the algorithm of its type`(algorithm: Algorithm) throws {
        let key = try #require(Forge.all.first { $0.algorithm == algorithm })
        var jwk = try #require(key.publicJWK)
        jwk["alg"] = nil
        let keys = try KeySet(jwks: ["keys": [.object(jwk)]])
        expectEqual(keys.keys.map(\.algorithm), [algorithm])
        for other in ["RS512", "PS256", "ES384", "HS256", "none"]
        where other != algorithm.rawValue {
            let header = #"{"alg":"\#(other)","kid":"\#(key.kid)","typ":"JWT"}"#
            let token = try Forge.token(header: header, with: key)
            #expect(throws: TokenFailure.algorithmMismatch) { try JWS.verify(token, keys: keys) }
        }
        // A token with another algorithm leaves no state behind: the next valid one is accepted.
        _ = try JWS.verify(Forge.token(Forge.claims(), with: key), keys: keys)
    }

    @Test func `a signature of another algorithm with the right header is refused`() throws {
        for key in Forge.all {
            for forger in Forge.all where forger.algorithm != key.algorithm {
                let token = try Forge.token(header: Forge.header(key), with: forger)
                try expectEqual(Forge.verdict(token, key), .badSignature)
            }
        }
    }

    // CVE-2022-21449: the all-zero signature.
    @Test func `a DER signature is not an ES256 signature`() throws {
        let honest = try Forge.token(Forge.claims())
        let parts = honest.split(separator: ".")
        let raw = try #require(Base64URL.decode(parts[2]))
        let der: [UInt8] = [0x30, 70, 0x02, 33, 0] + raw[..<32] + [0x02, 33, 0] + raw[32...]
        let token = "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"
        try expectEqual(Forge.verdict(token), .badSignature)
    }
}
