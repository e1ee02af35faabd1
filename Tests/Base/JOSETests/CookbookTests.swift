@Suite("RFC 7520 cookbook")
struct CookbookTests {
    /// The expected result for each file with a compact form; nil for acceptance.
    private let expected: [String: TokenFailure?] = [
        "4_1.rsa_v15_signature": nil, "4_2.rsa-pss_signature": .algorithmMismatch,
        "4_3.ecdsa_signature": .unknownKeyID, "4_4.hmac-sha2_integrity_protection": nil,
        "4_5.signature_with_detached_content": .badSignature, "jws": nil,
        "hmac-sha2_b64_false": .criticalHeader,
    ]

    private func files() throws -> [String] {
        try ["jws", "curve25519", "rfc7797"].flatMap {
            try VectorFile.names(in: "rfc7520-cookbook/\($0)")
        }
    }

    private func stem(_ path: String) -> String {
        String(path.split(separator: "/").last?.dropLast(5) ?? "")
    }

    @Test func `compact examples are accepted or refused for the stated reason`() throws {
        var count = 0
        for path in try files() {
            let file = try VectorFile.load(path)
            guard let token = file["output"]?["compact"]?.stringValue else { continue }
            let jwk = try VectorFile.publicHalf(#require(file["input"]?["key"]))
            let keys = try KeySet((try? VerificationKey(jwk: jwk)).map { [$0] } ?? [])
            let reason = try #require(expected[stem(path)])
            if let reason {
                #expect(throws: reason, "\(path)") { try JWS.verify(token, keys: keys) }
            } else {
                let payload = try JWS.verify(token, keys: keys).payload
                expectEqual(payload, file["input"]?["payload"]?.stringValue.map { Array($0.utf8) })
            }
            count += 1
        }
        expectEqual(count, expected.count)
    }

    @Test func `signing reproduces the deterministic examples`() throws {
        var count = 0
        for path in try files() {
            let file = try VectorFile.load(path)
            guard file["reproducible"] == true, expected[stem(path)] == .some(nil),
                let jwk = file["input"]?["key"]?.objectValue,
                let payload = file["input"]?["payload"]?.stringValue,
                let header = file["signing"]?["protected"]?.objectValue
            else { continue }
            let key = try SigningKey(privateJWK: jwk)
            let token = try JWS.sign(Array(payload.utf8), header: header, with: key)
            expectEqual(token, file["output"]?["compact"]?.stringValue, "\(path)")
            count += 1
        }
        expectEqual(count, 3)
    }

    @Test func `JSON serialisation is refused`() throws {
        var count = 0
        for path in try files() {
            let output = try #require(try VectorFile.load(path)["output"])
            for form in ["json", "json_flat"] {
                guard let token = output[form] else { continue }
                #expect(throws: TokenFailure.malformed, "\(path)") {
                    try JWS.verify(token.text, keys: KeySet([]))
                }
                count += 1
            }
        }
        expectEqual(count, 21)
    }

    @Test func `the example keys are accepted, or refused for the stated reason`() throws {
        let reasons: [String: KeyFailure?] = [
            "3_1.ec_public_key": .unsupported, "3_2.ec_private_key": .unsupported,
            "3_3.rsa_public_key": nil, "3_4.rsa_private_key": nil,
            "3_5.symmetric_key_mac_computation": nil, "3_6.symmetric_key_encryption": .unsupported,
        ]
        let paths = try VectorFile.names(in: "rfc7520-cookbook/jwk")
        expectEqual(paths.count, reasons.count)
        for path in paths {
            let jwk = try #require(try VectorFile.load(path).objectValue)
            let reason = try #require(reasons[stem(path)])
            if let reason {
                #expect(throws: reason, "\(path)") { try SigningKey(privateJWK: jwk) }
                #expect(throws: reason, "\(path)") { try VerificationKey(jwk: jwk) }
            } else if jwk["d"] != nil {
                try expectEqual(SigningKey(privateJWK: jwk).algorithm, .rs256)
                #expect(throws: KeyFailure.privateKey) { try VerificationKey(jwk: jwk) }
            } else {
                try expectEqual(VerificationKey(jwk: jwk).kid, jwk["kid"]?.stringValue)
            }
        }
    }
}
