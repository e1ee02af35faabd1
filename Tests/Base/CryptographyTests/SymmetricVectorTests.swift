import BaseTestSupport

@Suite("Symmetric vectors")
struct SymmetricVectorTests {
    @Test func `HMAC agrees with Wycheproof and truncated tags are refused`() throws {
        var (full, truncated) = (0, 0)
        for group in try Wycheproof.load("hmac_sha256").testGroups {
            for test in group.tests {
                let key = SecretBytes(try #require(test.key).bytes)
                let (message, tag) = (try #require(test.msg).bytes, try #require(test.tag).bytes)
                let isFull = group.tagSize == 256
                expectEqual(
                    HMAC.isValid(tag, for: message, key: key),
                    isFull && VectorPolicy.accepts(test.result), test.name)
                if !isFull {
                    let prefix = HMAC.sha256(message, key: key).prefix(tag.count)
                    expectEqual(Array(prefix) == tag, test.result == .valid, test.name)
                }
                if isFull { full += 1 } else { truncated += 1 }
            }
        }
        expectEqual(full, 87)
        expectEqual(truncated, 87)
    }

    // RFC 4231 sections 4.2 and 4.3.
    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            """
            afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c\
            faea9ea9076ede7f4af152e8b2fa9cb6
            """,
            """
            87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
            daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854
            """
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            """
            af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e\
            8e2240ca5e69e2c78b3239ecfab21649
            """,
            """
            164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
            9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
            """
        ),
    ])
    func `HMAC agrees with RFC 4231`(
        key: String, message: String, sha256: String, sha384: String, sha512: String
    ) throws {
        let key = SecretBytes(try #require(Hex.decode(key)))
        let message = try #require(Hex.decode(message))
        expectEqual(Hex.encode(HMAC.sha256(message, key: key)), sha256)
        expectEqual(Hex.encode(HMAC.sha384(message, key: key)), sha384)
        expectEqual(Hex.encode(HMAC.sha512(message, key: key)), sha512)
    }

    @Test func `HKDF agrees with Wycheproof`() throws {
        var (count, tooLong) = (0, 0)
        for test in try Wycheproof.load("hkdf_sha256").testGroups.flatMap(\.tests) {
            let size = try #require(test.size)
            guard (1...HKDF.bytesMax).contains(size) else {
                #expect(!VectorPolicy.accepts(test.result), test.name)
                tooLong += 1
                continue
            }
            let output = HKDF.sha256(
                SecretBytes(try #require(test.ikm).bytes), salt: try #require(test.salt).bytes,
                info: try #require(test.info).bytes, count: size)
            expectEqual(
                output.reveal() == (try #require(test.okm).bytes),
                VectorPolicy.accepts(test.result), test.name)
            count += 1
        }
        expectEqual(count, 83)
        expectEqual(tooLong, 3)
    }

    @Test(arguments: [0, -1, HKDF.bytesMax + 1])
    func `HKDF traps for an invalid length`(count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            _ = HKDF.sha256(SecretBytes([1]), salt: [], info: [], count: count)
        }
    }

    @Test func `PBKDF2 agrees with Wycheproof`() throws {
        var count = 0
        for test in try Wycheproof.load("pbkdf2_hmacsha256").testGroups.flatMap(\.tests) {
            let output = try PBKDF2.derive(
                .sha256, SecretBytes(try #require(test.password).bytes),
                salt: try #require(test.salt).bytes,
                iterations: try #require(test.iterationCount), count: try #require(test.dkLen))
            expectEqual(output.reveal(), try #require(test.dk).bytes, test.name)
            count += 1
        }
        expectEqual(count, 60)
    }

    @Test func `AES-GCM agrees with Wycheproof`() throws {
        var (run, wrongKeySize, wrongNonceSize) = (0, 0, 0)
        for group in try Wycheproof.load("aes_gcm").testGroups {
            for test in group.tests {
                let keyBytes = SecretBytes(try #require(test.key).bytes)
                guard group.keySize == 256 else {
                    #expect(throws: CryptoFailure.invalidKey) { try AESGCMKey(keyBytes) }
                    wrongKeySize += 1
                    continue
                }
                guard group.ivSize == 96 else {
                    wrongNonceSize += 1
                    continue
                }
                expectEqual(group.tagSize, 128)
                try check(test, key: AESGCMKey(keyBytes))
                run += 1
            }
        }
        expectEqual(run, 66)
        expectEqual(run + wrongKeySize + wrongNonceSize, 316)
    }

    private func check(_ test: Wycheproof.Case, key: AESGCMKey) throws {
        let nonce = try #require(test.iv).bytes
        let (text, additional) = (try #require(test.msg).bytes, try #require(test.aad).bytes)
        let sealed = try nonce + #require(test.ct).bytes + #require(test.tag).bytes
        let opened = try? key.open(sealed, additional: additional)
        expectEqual(opened != nil, VectorPolicy.accepts(test.result), test.name)
        guard VectorPolicy.accepts(test.result) else { return }
        expectEqual(opened?.reveal(), text, test.name)
        let fixed = RandomSource { _ in nonce }
        try expectEqual(key.seal(text, additional: additional, random: fixed), sealed, test.name)
    }
}
