@Suite("Examples of the RFCs")
struct RFCExampleTests {
    private func example(_ name: String) throws -> JSON {
        try #require(try VectorFile.load("rfc_examples.json")[name])
    }

    private func key(_ example: JSON) throws -> VerificationKey {
        try VerificationKey(jwk: VectorFile.publicHalf(#require(example["jwk"])))
    }

    private func joe(now: Int64) -> TokenExpectations {
        TokenExpectations(
            issuers: ["joe"], audiences: [nil], types: ["JWT", nil], now: Instant(seconds: now),
            leeway: .zero)
    }

    @Test(arguments: ["rfc7515_a1_hs256", "rfc7515_a3_es256"])
    func `the tokens of RFC 7515 are valid until they expire`(name: String) throws {
        let example = try example(name)
        let token = try #require(example["jws"]?.stringValue)
        let keys = try KeySet([key(example)])
        let claims = try JWT.verify(token, keys: keys, expecting: joe(now: 1_300_819_379)).claims
        expectEqual(claims["http://example.com/is_root"], true)
        #expect(throws: TokenFailure.expired) {
            try JWT.verify(token, keys: keys, expecting: joe(now: 1_300_819_380))
        }
    }

    @Test func `the unsecured token of RFC 7515 is refused`() throws {
        let token = try #require(try example("rfc7515_a5_none")["jws"]?.stringValue)
        for name in ["rfc7515_a1_hs256", "rfc7515_a3_es256", "rfc8037_a_eddsa"] {
            let keys = try KeySet([key(example(name))])
            #expect(throws: TokenFailure.algorithmMismatch) { try JWS.verify(token, keys: keys) }
        }
    }

    @Test(arguments: [
        ("rfc7638_3_1_thumbprint", "sha256_thumbprint"), ("rfc8037_a_eddsa", "sha256_thumbprint"),
        ("rfc9449_dpop", "jkt"),
    ])
    func `thumbprints match the RFCs`(name: String, member: String) throws {
        let example = try example(name)
        try expectEqual(key(example).thumbprint, example[member]?.stringValue)
    }

    @Test func `the example of RFC 8037 signs and verifies`() throws {
        let example = try example("rfc8037_a_eddsa")
        let token = try #require(example["jws"]?.stringValue)
        let verified = try JWS.verify(token, keys: KeySet([key(example)]))
        expectEqual(verified.payload, Array("Example of Ed25519 signing".utf8))
        let signing = try SigningKey(privateJWK: #require(example["jwk"]?.objectValue))
        expectEqual(signing.kid, example["sha256_thumbprint"]?.stringValue)
        try expectEqual(JWS.sign(verified.payload, header: [:], with: signing), token)
    }

    @Test(arguments: ["proof_token_request", "proof_refresh_request", "proof_resource_request"])
    func `RFC 9449 proofs verify with a key chosen by the caller`(name: String) throws {
        let example = try example("rfc9449_dpop")
        let proof = try #require(example[name]?.stringValue)
        let verified = try JWS.verify(proof, keys: KeySet([key(example)]))
        expectEqual(verified.header["typ"], "dpop+jwt")
        // The key in the header is not used for verification.
        #expect(throws: TokenFailure.missingKeyID) { try JWS.verify(proof, keys: KeySet([])) }
    }

    @Test(arguments: [
        ("proof_token_request", "POST", "https://server.example.com/token"),
        ("proof_refresh_request", "POST", "https://server.example.com/token"),
        ("proof_resource_request", "GET", "https://resource.example.org/protectedresource"),
    ])
    func `RFC 9449 proofs verify with the key that they contain`(
        name: String, method: String, url: String
    ) throws {
        let example = try example("rfc9449_dpop")
        let proof = try DPoPProof(verifying: #require(example[name]?.stringValue))
        #expect(proof.method == method && proof.url == url)
        expectEqual(proof.thumbprint, example["jkt"]?.stringValue)
    }

    @Test func `two proofs with the same jti have different fingerprints`() throws {
        let example = try example("rfc9449_dpop")
        let keys = try KeySet([key(example)])
        let fingerprints = try ["proof_token_request", "proof_refresh_request"].map { name in
            try JWS.verify(#require(example[name]?.stringValue), keys: keys).fingerprint
        }
        #expect(fingerprints[0] != fingerprints[1])
    }
}
