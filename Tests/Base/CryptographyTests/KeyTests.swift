import BaseTestSupport

@Suite("Keys")
struct KeyTests {
    private let message = Array("message".utf8)
    private let random = RandomSource.seeded(11)

    @Test func `RSA signs with both paddings, imports and exports`() throws {
        let key = try RSAPrivateKey.generate()
        #expect(key.isConsistent)
        for padding in [RSAPadding.pkcs1, .pss] {
            let signature = try key.sign(message, padding: padding)
            expectEqual(signature.count, 256)
            #expect(key.publicKey.isValid(signature, for: message, padding: padding))
            #expect(!key.publicKey.isValid(signature, for: message + [0], padding: padding))
            #expect(!key.publicKey.isValid([0] + signature, for: message, padding: padding))
            #expect(!key.publicKey.isValid([], for: message, padding: padding))
        }
        let again = try RSAPrivateKey(pem: key.pem())
        expectEqual(again.publicKey, key.publicKey)
        expectEqual(again.numbers.exponent, key.numbers.exponent)
        try expectEqual(RSAPublicKey(pem: key.publicKey.pem()), key.publicKey)
        let rebuilt = try RSAPrivateKey(publicKey: key.publicKey, numbers: key.numbers)
        let signature = try rebuilt.sign(message, padding: .pkcs1)
        try expectEqual(signature, key.sign(message, padding: .pkcs1))
        let mixed = try RSAPrivateKey(
            publicKey: RSAPrivateKey.generate().publicKey, numbers: key.numbers)
        #expect(!mixed.isConsistent)
    }

    @Test func `P-256 signs, imports and exports`() throws {
        let key = try P256PrivateKey.generate(random: random)
        let signature = try key.sign(message)
        expectEqual(signature.count, 64)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        // The first few of a process are made in another way than later ones.
        for _ in 0..<5 {
            let other = try key.sign(message)
            #expect(other != signature)
            #expect(key.publicKey.isValid(other, for: message))
        }
        let again = try P256PrivateKey(pem: key.pem())
        expectEqual(again.publicKey, key.publicKey)
        expectEqual(again.scalar, key.scalar)
        try expectEqual(P256PublicKey(pem: key.publicKey.pem()), key.publicKey)
    }

    // RFC 6979 appendix A.2.5.
    @Test(arguments: [
        (
            "sample",
            """
            EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
            F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
            """
        ),
        (
            "test",
            """
            F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
            019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
            """
        ),
    ])
    func `P-256 without random bytes signs as in RFC 6979`(text: String, expected: String) throws {
        let key = try P256PrivateKey(
            scalar: SecretBytes(
                try #require(
                    Hex.decode("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")))
        )
        let signature = try key.sign(Array(text.utf8), random: SecretBytes([]))
        let lines = expected.split(separator: "\n").joined()
        expectEqual(Hex.encode(signature).uppercased(), lines)
        let other = try key.sign(Array(text.utf8), random: random.secret(count: 32))
        #expect(other != signature)
        #expect(key.publicKey.isValid(other, for: Array(text.utf8)))
    }

    @Test func `Ed25519 signs, imports and exports`() throws {
        let key = try Ed25519PrivateKey.generate(random: random)
        let signature = try key.sign(message)
        #expect(key.publicKey.isValid(signature, for: message))
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        try expectEqual(key.sign(message), signature)
        let again = try Ed25519PrivateKey(pem: key.pem())
        expectEqual(again.publicKey, key.publicKey)
        expectEqual(again.seed, key.seed)
        try expectEqual(Ed25519PublicKey(pem: key.publicKey.pem()), key.publicKey)
    }

    @Test func `the same seed gives the same keys`() throws {
        try expectEqual(
            P256PrivateKey.generate(random: .seeded(5)).publicKey,
            P256PrivateKey.generate(random: .seeded(5)).publicKey)
        try expectEqual(
            Ed25519PrivateKey.generate(random: .seeded(5)).publicKey,
            Ed25519PrivateKey.generate(random: .seeded(5)).publicKey)
    }

    @Test func `a file with one kind of key is refused as another kind`() throws {
        let ec = try P256PrivateKey.generate(random: random)
        let edwards = try Ed25519PrivateKey.generate(random: random)
        #expect(throws: CryptoFailure.invalidKey) { try RSAPrivateKey(pem: ec.pem()) }
        #expect(throws: CryptoFailure.invalidKey) { try Ed25519PrivateKey(pem: ec.pem()) }
        #expect(throws: CryptoFailure.invalidKey) { try P256PrivateKey(pem: edwards.pem()) }
        #expect(throws: CryptoFailure.invalidKey) {
            try P256PublicKey(pem: edwards.publicKey.pem())
        }
        #expect(throws: CryptoFailure.invalidKey) {
            try P256PrivateKey(pem: SecretBytes(utf8: ec.publicKey.pem()))
        }
    }

    @Test func `files without a usable key are refused`() throws {
        let names = try KeyFiles.refusedNames()
        expectEqual(names.count, 19)
        for name in names {
            let pem = try KeyFiles.pem(name)
            let secret = SecretBytes(utf8: pem)
            #expect(throws: CryptoFailure.self, "\(name)") { try RSAPrivateKey(pem: secret) }
            #expect(throws: CryptoFailure.self, "\(name)") { try P256PrivateKey(pem: secret) }
            #expect(throws: CryptoFailure.self, "\(name)") { try Ed25519PrivateKey(pem: secret) }
            #expect(throws: CryptoFailure.self, "\(name)") { try RSAPublicKey(pem: pem) }
            #expect(throws: CryptoFailure.self, "\(name)") { try P256PublicKey(pem: pem) }
            #expect(throws: CryptoFailure.self, "\(name)") { try Ed25519PublicKey(pem: pem) }
        }
    }

    @Test func `PKCS8, SEC1 and PKCS1 files can be imported`() throws {
        let key = try P256PrivateKey(pem: SecretBytes(utf8: KeyFiles.pem("p256-pkcs8")))
        let sec1 = try P256PrivateKey(pem: SecretBytes(utf8: KeyFiles.pem("p256-sec1")))
        expectEqual(sec1.scalar, key.scalar)
        let rsa = try RSAPrivateKey(pem: SecretBytes(utf8: KeyFiles.pem("rsa-pkcs8")))
        let old = try RSAPrivateKey(pem: SecretBytes(utf8: KeyFiles.pem("rsa-pkcs1")))
        expectEqual(old.publicKey, rsa.publicKey)
        try expectEqual(RSAPublicKey(pem: KeyFiles.pem("rsa-public")), rsa.publicKey)
        let edwards = try Ed25519PrivateKey(pem: SecretBytes(utf8: KeyFiles.pem("ed25519-pkcs8")))
        expectEqual(edwards.seed.count, 32)
    }

    @Test func `a DER file with a byte after its end is refused`() throws {
        let body = try KeyFiles.pem("p256-pkcs8").split(separator: "\n").dropFirst().dropLast()
            .joined()
        let der = try #require(Base64.decode(body))
        try expectEqual(P256PrivateKey(der: SecretBytes(der)).scalar.count, 32)
        #expect(throws: CryptoFailure.invalidKey) {
            try P256PrivateKey(der: SecretBytes(der + [0]))
        }
        #expect(throws: CryptoFailure.self) {
            try P256PrivateKey(der: SecretBytes(Array(der.dropLast())))
        }
    }
}
