import BaseTestSupport

@Suite("Signature vectors")
struct SignatureVectorTests {
    @Test(arguments: [
        ("rsa_signature_2048_sha256", 259, 257), ("rsa_signature_3072_sha256", 259, 258),
    ])
    func `RSA PKCS1 agrees with Wycheproof`(file: String, total: Int, run: Int) throws {
        var count = 0
        var refusedKeys = 0
        for group in try Wycheproof.load(file).testGroups {
            let der = try #require(group.publicKeyDer?.bytes)
            guard let key = try? RSAPublicKey(der: der) else {
                try expectEqual(#require(group.publicKey?.publicExponent).bytes, [3])
                refusedKeys += group.tests.count
                continue
            }
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(signature, for: message, padding: .pkcs1),
                    VectorPolicy.accepts(test.result), test.name)
                // The invalid signatures in the files include those with the other padding.
                #expect(
                    test.result == .invalid
                        || !key.isValid(signature, for: message, padding: .pss), test.name)
                count += 1
            }
        }
        expectEqual(count, run)
        expectEqual(count + refusedKeys, total)
    }

    @Test func `RSA PSS agrees with Wycheproof`() throws {
        var count = 0
        for group in try Wycheproof.load("rsa_pss_2048_sha256_mgf1_32").testGroups {
            let key = try RSAPublicKey(der: #require(group.publicKeyDer).bytes)
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(signature, for: message, padding: .pss),
                    VectorPolicy.accepts(test.result), test.name)
                // The invalid signatures in the files include those with the other padding.
                #expect(
                    test.result == .invalid
                        || !key.isValid(signature, for: message, padding: .pkcs1), test.name)
                count += 1
            }
        }
        expectEqual(count, 108)
    }

    @Test func `ECDSA with raw signatures agrees with Wycheproof`() throws {
        var count = 0
        for group in try Wycheproof.load("ecdsa_secp256r1_sha256_p1363").testGroups {
            let point = try #require(group.publicKey?.uncompressed).bytes
            let key = try P256PublicKey(x: Array(point[1...32]), y: Array(point[33...64]))
            try expectEqual(key, P256PublicKey(der: #require(group.publicKeyDer).bytes))
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(signature, for: message), VectorPolicy.accepts(test.result),
                    test.name)
                count += 1
            }
        }
        expectEqual(count, 262)
    }

    @Test func `ECDSA with DER signatures agrees with Wycheproof`() throws {
        var count = 0
        for group in try Wycheproof.load("ecdsa_secp256r1_sha256").testGroups {
            let key = try P256PublicKey(der: #require(group.publicKeyDer).bytes)
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(der: signature, for: message), VectorPolicy.accepts(test.result),
                    test.name)
                count += 1
            }
        }
        expectEqual(count, 484)
    }

    @Test(arguments: [
        (NISTCurve.p384, "ecdsa_secp384r1_sha384", 504), (.p521, "ecdsa_secp521r1_sha512", 542),
    ])
    func `ECDSA on the larger curves agrees with Wycheproof`(
        curve: NISTCurve, file: String, total: Int
    ) throws {
        var count = 0
        for group in try Wycheproof.load(file).testGroups {
            let key = try NISTCurvePublicKey(der: #require(group.publicKeyDer).bytes)
            expectEqual(key.curve, curve)
            try expectEqual(NISTCurvePublicKey(curve: curve, x: key.x, y: key.y), key)
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(der: signature, for: message), VectorPolicy.accepts(test.result),
                    test.name)
                count += 1
            }
        }
        expectEqual(count, total)
    }

    @Test func `Ed25519 agrees with Wycheproof`() throws {
        var count = 0
        for group in try Wycheproof.load("ed25519").testGroups {
            let key = try Ed25519PublicKey(bytes: #require(group.publicKey?.pk).bytes)
            try expectEqual(key, Ed25519PublicKey(der: #require(group.publicKeyDer).bytes))
            for test in group.tests {
                let (message, signature) = (
                    try #require(test.msg).bytes, try #require(test.sig).bytes
                )
                expectEqual(
                    key.isValid(signature, for: message), VectorPolicy.accepts(test.result),
                    test.name)
                count += 1
            }
        }
        expectEqual(count, 151)
    }
}
