import BaseTestSupport
import Foundation

@Suite("PasswordHash and Argon2id")
struct PasswordHashTests {
    private struct Vectors: Decodable {
        let hash_tests: [HashTest]
        let verify_error_tests: [ErrorTest]
        let kat: [KnownAnswer]
    }

    private struct HashTest: Decodable {
        let version: Int
        let type: String
        let t, m_kib, p: Int
        let password, salt: String
        let tag_hex: HexBytes
        let encoded: String
    }

    private struct ErrorTest: Decodable {
        let encoded, password, type, expect: String
    }

    private struct KnownAnswer: Decodable {
        let type: String
        let version, m_kib, t, p, tag_len: Int
        let password_hex, salt_hex, secret_hex, ad_hex, tag_hex: HexBytes
    }

    private func vectors() throws -> Vectors {
        let file = Wycheproof.vector("argon2/argon2_vectors.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    @Test func `the reference hashes verify and other algorithms are refused`() throws {
        var (run, refused) = (0, 0)
        for test in try vectors().hash_tests {
            let password = SecretBytes(utf8: test.password)
            guard test.type == "argon2id", test.version == 19 else {
                #expect(throws: CryptoFailure.malformed) {
                    try PasswordHash.verify(password, phc: test.encoded)
                }
                refused += 1
                continue
            }
            let cost = try PasswordHash.Cost(memoryKiB: test.m_kib, passes: test.t, lanes: test.p)
            let tag = try Argon2id.hash(
                password, salt: Array(test.salt.utf8), cost: cost, count: 32)
            expectEqual(tag.reveal(), test.tag_hex.bytes)
            #expect(try PasswordHash.verify(password, phc: test.encoded))
            run += 1
        }
        expectEqual(run, 8)
        expectEqual(refused, 18)
    }

    @Test func `RFC 9106's test vector with secret and associated data is reproduced`() throws {
        var (run, skipped) = (0, 0)
        for test in try vectors().kat {
            guard test.type == "argon2id", test.version == 19 else {
                skipped += 1
                continue
            }
            let tag = try Argon2id.hash(
                SecretBytes(test.password_hex.bytes), salt: test.salt_hex.bytes,
                cost: .init(memoryKiB: test.m_kib, passes: test.t, lanes: test.p),
                count: test.tag_len, secret: SecretBytes(test.secret_hex.bytes),
                associated: test.ad_hex.bytes)
            expectEqual(tag.reveal(), test.tag_hex.bytes)
            run += 1
        }
        expectEqual(run, 1)
        expectEqual(skipped, 5)
    }

    /// The reference's invalid strings are all Argon2i; rewritten as Argon2id they must fail too,
    /// for the intended reason.
    @Test func `strings that the reference implementation refuses are refused`() throws {
        var count = 0
        for test in try vectors().verify_error_tests {
            let password = SecretBytes(utf8: test.password)
            #expect(throws: CryptoFailure.self) {
                try PasswordHash.verify(password, phc: test.encoded)
            }
            let asArgon2id = test.encoded
                .replacing("$argon2i$v=19", with: "$argon2id$v=19")
                .replacing("$argon2i$m", with: "$argon2id$v=19$m")
            #expect((try? PasswordHash.verify(password, phc: asArgon2id)) != true)
            count += 1
        }
        expectEqual(count, 8)
    }

    private func cheap() throws -> PasswordHash.Cost {
        try PasswordHash.Cost(memoryKiB: 32, passes: 1, lanes: 1)
    }

    @Test func `a password matches its own hash and no other`() throws {
        let random = RandomSource.seeded(1)
        let password = SecretBytes(utf8: "correct horse battery staple")
        let stored = try PasswordHash.hash(password, cost: cheap(), random: random)
        #expect(stored.hasPrefix("$argon2id$v=19$m=32,t=1,p=1$"))
        #expect(try PasswordHash.verify(password, phc: stored))
        for wrong in ["", "correct horse battery staplf", "correct horse battery staple "] {
            #expect(try !PasswordHash.verify(SecretBytes(utf8: wrong), phc: stored))
        }
        #expect(try PasswordHash.hash(password, cost: cheap(), random: random) != stored)
    }

    @Test func `an empty password can be hashed`() throws {
        let stored = try PasswordHash.hash(SecretBytes([]), cost: cheap(), random: .seeded(2))
        #expect(try PasswordHash.verify(SecretBytes([]), phc: stored))
        #expect(try !PasswordHash.verify(SecretBytes([0]), phc: stored))
    }

    @Test func `long passwords are refused and never truncated`() throws {
        let longest = [UInt8](repeating: 0x61, count: PasswordHash.passwordBytesMax)
        let stored = try PasswordHash.hash(SecretBytes(longest), cost: cheap(), random: .seeded(3))
        #expect(try PasswordHash.verify(SecretBytes(longest), phc: stored))
        #expect(try !PasswordHash.verify(SecretBytes(Array(longest.dropLast())), phc: stored))
        #expect(throws: CryptoFailure.limitExceeded) {
            try PasswordHash.verify(SecretBytes(longest + [0x61]), phc: stored)
        }
    }

    @Test(arguments: [
        "", "$", "argon2id", "$2b$12$abcdefghijklmnopqrstuv",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4=",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/5",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHR$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=+256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=0256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1,x=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$Argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        " $argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4\n",
        "$argon2id$v=19$m=9999999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=٢٥٦,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
    ])
    func `a stored hash has one encoding`(text: String) throws {
        #expect(throws: CryptoFailure.self) {
            try PasswordHash.verify(SecretBytes(utf8: "password"), phc: text)
        }
        #expect(try PasswordHash.needsRehash(phc: text, cost: cheap()))
    }

    @Test(arguments: [
        "m=262145,t=2,p=1", "m=999999999,t=1,p=1", "m=256,t=17,p=1", "m=256,t=1,p=17",
        "m=7,t=1,p=1", "m=15,t=1,p=2", "m=256,t=999999999,p=1",
    ])
    func `a stored hash cannot exceed the cost limits`(parameters: String) {
        let tag = "nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(throws: CryptoFailure.limitExceeded) {
            try PasswordHash.verify(
                SecretBytes(utf8: "password"),
                phc: "$argon2id$v=19$\(parameters)$c29tZXNhbHQ$\(tag)")
        }
    }

    @Test func `a hash needs a rehash if the cost has changed`() throws {
        let stored = try PasswordHash.hash(
            SecretBytes(utf8: "x"), cost: cheap(), random: .seeded(4))
        #expect(try !PasswordHash.needsRehash(phc: stored, cost: cheap()))
        #expect(PasswordHash.needsRehash(phc: stored, cost: .standard))
        #expect(
            PasswordHash.needsRehash(
                phc: "$2b$12$WApznUPhDubN0oeveSXHp.Rh.q8FgDUAfU2xkBFYkSu.LZpUqlwAe",
                cost: .standard))
    }
}
