@Suite("DPoPProof") struct DPoPProofTests {
    let key: SigningKey
    static let claims: JSONObject = [
        "jti": "1", "htm": "POST", "htu": "https://auth.example.com/auth/refresh",
        "iat": 1_700_000_000,
    ]

    init() throws { key = try SigningKey.generate(.es256, random: .seeded(1)) }

    private func proof(
        _ change: (inout JSONObject, inout JSONObject) -> Void = { _, _ in },
        signedBy other: SigningKey? = nil
    ) throws -> String {
        let key = other ?? key
        var header: JSONObject = [
            "typ": "dpop+jwt", "jwk": key.verificationKey.publicJWK.map { .object($0) } ?? .null,
        ]
        var claims = Self.claims
        change(&header, &claims)
        return try JWS.sign(claims.serialized, header: header, with: key)
    }

    @Test(arguments: [Algorithm.es256, .edDSA, .rs256])
    func `a proof names its request, its token and its key`(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm, random: .seeded(2))
        let found = try DPoPProof(verifying: proof({ $1["ath"] = "hash" }, signedBy: key))
        expectEqual(found.thumbprint, key.verificationKey.thumbprint)
        #expect(found.method == "POST" && found.url == "https://auth.example.com/auth/refresh")
        expectEqual(found.issuedAt, Instant(seconds: 1_700_000_000))
        expectEqual(found.accessTokenHash, "hash")
    }

    @Test func `a signature by a key other than the header's is refused`() throws {
        let other = try SigningKey.generate(.es256, random: .seeded(3))
        let jwk = try #require(other.verificationKey.publicJWK)
        let forged = try proof { header, _ in header["jwk"] = .object(jwk) }
        #expect(throws: TokenFailure.badSignature) { try DPoPProof(verifying: forged) }
    }

    @Test func `a symmetric or a private key is refused`() throws {
        let secret = try SigningKey.secret(SecretBytes([UInt8](repeating: 1, count: 32)))
        let symmetric = try proof(
            { header, _ in
                header["jwk"] = [
                    "kty": "oct", "k": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
                ]
            }, signedBy: secret)
        #expect(throws: TokenFailure.algorithmMismatch) { try DPoPProof(verifying: symmetric) }
        let leaked = try proof { header, _ in
            var jwk = header["jwk"]?.objectValue ?? [:]
            jwk["d"] = "AAAA"
            header["jwk"] = .object(jwk)
        }
        #expect(throws: TokenFailure.algorithmMismatch) { try DPoPProof(verifying: leaked) }
    }

    @Test(arguments: ["JWT", "at+jwt", "application/dpop+jwt", "dpop+jwt "])
    func `a proof with another type is refused`(type: String) throws {
        let other = try proof { header, _ in header["typ"] = .string(type) }
        #expect(throws: TokenFailure.wrongType) { try DPoPProof(verifying: other) }
    }

    @Test func `a proof without a type or a key is refused`() throws {
        let typeless = try proof { header, _ in header["typ"] = nil }
        #expect(throws: TokenFailure.wrongType) { try DPoPProof(verifying: typeless) }
        let keyless = try proof { header, _ in header["jwk"] = nil }
        #expect(throws: TokenFailure.malformed) { try DPoPProof(verifying: keyless) }
        let named = try proof { header, _ in header["jwk"] = "https://example.com/key" }
        #expect(throws: TokenFailure.malformed) { try DPoPProof(verifying: named) }
    }

    @Test(arguments: ["jti", "htm", "htu", "iat"])
    func `every claim is required, with its type`(name: String) throws {
        let without = try proof { _, claims in claims[name] = nil }
        #expect(throws: TokenFailure.missingClaim(name)) { try DPoPProof(verifying: without) }
        let wrong = try proof { _, claims in claims[name] = ["a": 1] }
        #expect(throws: TokenFailure.malformedClaims) { try DPoPProof(verifying: wrong) }
    }

    @Test func `an empty or overlong jti and a numeric ath are refused`() throws {
        for id in ["", String(repeating: "x", count: 257)] {
            let odd = try proof { _, claims in claims["jti"] = .string(id) }
            #expect(throws: TokenFailure.malformedClaims) { try DPoPProof(verifying: odd) }
        }
        let odd = try proof { _, claims in claims["ath"] = 1 }
        #expect(throws: TokenFailure.malformedClaims) { try DPoPProof(verifying: odd) }
    }

    /// Repeated headers reach a function joined by a comma.
    @Test func `two proofs in one header are refused`() throws {
        let one = try proof()
        #expect(throws: TokenFailure.malformed) { try DPoPProof(verifying: "\(one), \(one)") }
        #expect(throws: TokenFailure.malformed) { try DPoPProof(verifying: "") }
    }

    @Test func `the other valid form of an ECDSA signature is the same proof`() throws {
        let one = try proof()
        let parts = one.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let order = try #require(
            Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var other = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            other[index] = UInt8(truncatingIfNeeded: difference)
        }
        let twin = "\(parts[0]).\(parts[1]).\(Base64URL.encode(Array(signature[..<32]) + other))"
        #expect(twin != one)
        try expectEqual(
            DPoPProof(verifying: twin).fingerprint, DPoPProof(verifying: one).fingerprint)
    }
}
