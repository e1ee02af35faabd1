import BaseTestSupport

@Suite("Signature vectors")
struct SignatureVectorTests {
    private typealias Check = (_ test: Wycheproof.Case, _ message: [UInt8], _ signature: [UInt8]) ->
        Bool

    /// Expects that a group's check accepts its valid signatures and no others. Returns the number
    /// of signatures; groups without a check are left out.
    private func count(_ file: String, check: (Wycheproof.Group) throws -> Check?) throws -> Int {
        var count = 0
        for group in try Wycheproof.load(file).testGroups {
            guard let isValid = try check(group) else { continue }
            for test in group.tests {
                expectEqual(
                    isValid(test, try #require(test.msg).bytes, try #require(test.sig).bytes),
                    VectorPolicy.accepts(test.result), test.name)
                count += 1
            }
        }
        return count
    }

    @Test(arguments: [
        ("signature_2048_sha256", RSAPadding.pkcs1, 2, 257),
        ("signature_3072_sha256", .pkcs1, 1, 258), ("pss_2048_sha256_mgf1_32", .pss, 0, 108),
    ])
    func `RSA agrees with Wycheproof`(
        file: String, padding: RSAPadding, refusedKeys: Int, run: Int
    ) throws {
        var refused = 0
        let count = try count("rsa_\(file)") { group in
            let der = try #require(group.publicKeyDer?.bytes)
            guard let key = try? RSAPublicKey(der: der) else {
                try expectEqual(#require(group.publicKey?.publicExponent).bytes, [3])
                refused += group.tests.count
                return nil
            }
            return { test, message, signature in
                // The invalid signatures in the files include those with the other padding.
                let other = padding == .pss ? RSAPadding.pkcs1 : .pss
                #expect(
                    test.result == .invalid
                        || !key.isValid(signature, for: message, padding: other), test.name)
                return key.isValid(signature, for: message, padding: padding)
            }
        }
        expectEqual(count, run)
        expectEqual(refused, refusedKeys)
    }

    @Test func `ECDSA with raw signatures agrees with Wycheproof`() throws {
        let count = try count("ecdsa_secp256r1_sha256_p1363") { group in
            let point = try #require(group.publicKey?.uncompressed).bytes
            let key = try P256PublicKey(x: Array(point[1...32]), y: Array(point[33...64]))
            try expectEqual(key, P256PublicKey(der: #require(group.publicKeyDer).bytes))
            return { key.isValid($2, for: $1) }
        }
        expectEqual(count, 262)
    }

    @Test func `ECDSA with DER signatures agrees with Wycheproof`() throws {
        let count = try count("ecdsa_secp256r1_sha256") { group in
            let key = try P256PublicKey(der: #require(group.publicKeyDer).bytes)
            return { key.isValid(der: $2, for: $1) }
        }
        expectEqual(count, 484)
    }

    @Test(arguments: [
        (NISTCurve.p384, "ecdsa_secp384r1_sha384", 504), (.p521, "ecdsa_secp521r1_sha512", 542),
    ])
    func `ECDSA on the larger curves agrees with Wycheproof`(
        curve: NISTCurve, file: String, total: Int
    ) throws {
        let count = try count(file) { group in
            let key = try NISTCurvePublicKey(der: #require(group.publicKeyDer).bytes)
            expectEqual(key.curve, curve)
            try expectEqual(NISTCurvePublicKey(curve: curve, x: key.x, y: key.y), key)
            return { key.isValid(der: $2, for: $1) }
        }
        expectEqual(count, total)
    }

    @Test func `Ed25519 agrees with Wycheproof`() throws {
        let count = try count("ed25519") { group in
            let key = try Ed25519PublicKey(bytes: #require(group.publicKey?.pk).bytes)
            try expectEqual(key, Ed25519PublicKey(der: #require(group.publicKeyDer).bytes))
            return { key.isValid($2, for: $1) }
        }
        expectEqual(count, 151)
    }
}
