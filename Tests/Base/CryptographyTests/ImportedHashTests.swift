import BaseTestSupport

/// The hashes were made by the named libraries, with cheap parameters.
@Suite("Imported password hashes") struct ImportedHashTests {
    static let password = "correct horse battery"

    static let hashes = [
        // bcrypt 4 of PyPI; the second is the first in PHP's spelling.
        "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
        "$2y$04$5vOoMCePALe/U1cxMXGZqutOUpANQDGmWzRO8Y3E2rttTuW38TyMu",
        // passlib 1.7.
        "$scrypt$ln=12,r=8,p=1$MyZk7H1Pybn33tvbuxfi/A$BFsYnKi7UpmAuXh2gvIsZzpvb8YTq1DUwchdas1EaMA",
        "$pbkdf2-sha256$1000$t/aeM2ZM6T3nfO89Z0zJeQ$FoSg8S2gnbTLS/zlivho32xzMixCndtv1uIbpixSUa4",
        "$pbkdf2-sha512$1000$lTImZKzVes/Ze./939t7zw"
            + "$de1UJiT3CIADNPDuYg0b0fJu9.lFLNH2LEYFr.M9M4O29wG2kjkT/TIHy4v/l0MrLIfyNbGK1Q9mwugan"
            + "Nn3DQ",
        // The same as passlib's, in the PHC string format.
        "$pbkdf2-sha256$i=1000,l=32$t/aeM2ZM6T3nfO89Z0zJeQ"
            + "$FoSg8S2gnbTLS/zlivho32xzMixCndtv1uIbpixSUa4",
        // Werkzeug 3.
        "scrypt:4096:8:1$aBIyQSX3jdzwjtzn$441cf7875278cef0da9a996b3128fffbd6d62bcc7d6878fd74"
            + "0525fec655d2f1c04760edc71a45f63053da54f9b1eb865510f88bd25e39b211e3dce47e67eb97",
        "pbkdf2:sha256:1000$CbAEsd0DZ0b6qEXu"
            + "$d5e16341830bfe8563a3de8f18ae1a7bc647a34d425d3a240626bdabd6036cb0",
        "pbkdf2:sha512:1000$kXcSz18cOoVzaonz$2d165ac06b1a35f46fc78ec513af3e135bcf5a4e987df2ed"
            + "8d86e1935f1aeabf536aeeed2388318cbf6a7ed547623bb057bf1e7bd20d1b8135aa968ea5e56df2",
        // Django 5.
        "pbkdf2_sha256$1000$seasalt1234567890$jIDYtzxDlKHnBQlKFPFZcl0zLJfK+ZjozSMqWrAAL4k=",
        "scrypt$4096$seasalt1234567890$8$5"
            + "$t2KCaIjY2q7LIouHkeOLs2zrKMi43B7pSehMwazMGXXJthv3U/fa089llkL8U5/QglbUvFxAocHf6AXwZ8q"
            + "JlA==",
        // argon2-cffi.
        "$argon2id$v=19$m=8,t=1,p=1$xeQ8jXDpO1fecjt20i772A"
            + "$VVEcGo/yPUi6EDYSewMsgc3GIYaOa3Er0ClEVu+zPjc",
    ]

    private func isRight(_ password: String, _ hash: String) throws -> Bool {
        try PasswordHash.verify(SecretBytes(utf8: password), phc: hash)
    }

    @Test(arguments: hashes)
    func `the right password is accepted and any other refused`(_ hash: String) throws {
        #expect(PasswordHash.isImportable(hash))
        #expect(try isRight(Self.password, hash))
        #expect(try !isRight(Self.password + "!", hash))
        #expect(try !isRight("", hash))
    }

    @Test(arguments: hashes)
    func `a hash that lost or changed a character matches nothing`(_ hash: String) {
        for changed in [String(hash.dropLast()), hash + "A", "$" + hash] {
            #expect((try? isRight(Self.password, changed)) != true, "\(changed)")
        }
    }

    @Test func `every imported hash needs a rehash`() throws {
        let cost = try PasswordHash.Cost(memoryKiB: 16, passes: 1, lanes: 1)
        for hash in Self.hashes { #expect(PasswordHash.needsRehash(phc: hash, cost: cost)) }
    }

    /// The vectors of crypt_blowfish, the usual reference for bcrypt.
    @Test func `bcrypt agrees with published vectors`() throws {
        #expect(try isRight("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"))
        #expect(
            try isRight("pässwörd", "$2a$04$PHznaDOVH2bwChOrb66TdO/7GZ.Twd8UW/8gtN26ANsBAxNMfKWYC"))
    }

    /// Anyone can cause the work with a wrong password.
    @Test(arguments: [
        ("m=65536,t=4,p=1", true), ("m=65536,t=3,p=4", true), ("m=102400,t=2,p=8", true),
        ("m=16384,t=16,p=1", true), ("m=131072,t=2,p=1", true), ("m=65536,t=5,p=1", false),
        ("m=131073,t=1,p=1", false), ("m=262144,t=1,p=1", false), ("m=262144,t=16,p=4", false),
    ])
    func `an Argon2id hash of another system has a bound for memory and passes`(
        cost: String, isGood: Bool
    ) {
        let hash =
            "$argon2id$v=19$\(cost)$c29tZXNhbHRzb21lc2FsdA$" + String(repeating: "A", count: 43)
        expectEqual(PasswordHash.isImportable(hash), isGood)
        // A stored hash of this cost still signs in.
        #expect(PasswordHash.isValid(phc: hash))
    }

    /// For each hash, its own work and the remaining work add up to the total of its algorithm.
    @Test func `verification takes equally long for every imported hash`() throws {
        let salt = "$c29tZXNhbHRzb21lc2FsdA$" + String(repeating: "A", count: 43)
        let texts = [
            "$argon2id$v=19$m=19456,t=2,p=1" + salt, "$argon2id$v=19$m=65536,t=3,p=4" + salt,
            "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
            "$2b$12$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
            "$scrypt$ln=16,r=8,p=1" + salt, "$scrypt$ln=14,r=8,p=5" + salt,
            "$pbkdf2-sha256$i=29000" + salt, "$pbkdf2-sha256$i=600000" + salt,
        ]
        let works = try texts.map { try PasswordWork(comparing: $0) }
        expectEqual(
            works.map(\.amount),
            [38_912, 196_608, 32, 4096, 524_288, 655_360, 29_000, 600_000])
        let totals = PasswordWork.greatest(of: works)
        expectEqual(totals.map(\.amount), [196_608, 4096, 655_360, 600_000])
        for done in works {
            for total in totals where total.algorithm == done.algorithm {
                expectEqual(done.amount + (total.rest(after: done)?.amount ?? 0), total.amount)
            }
        }
        // About 0.3, 0.2, 0.3 and 0.2 seconds.
        expectEqual(PasswordWork.costliest(of: totals)?.amount, 655_360)
        expectEqual(PasswordWork.costliest(of: [totals[0], totals[1]])?.amount, 4096)
        expectEqual(PasswordWork.costliest(of: []), nil)
    }

    @Test(arguments: PasswordWork.Algorithm.allCases)
    func `any amount of hashing work can be done`(algorithm: PasswordWork.Algorithm) throws {
        for amount in [1, 8, 16, 17, 3000, 4064] {
            try PasswordWork(algorithm, amount).spend(on: SecretBytes(utf8: Self.password))
        }
    }

    /// Otherwise every password with the same beginning would match.
    @Test func `bcrypt does not end a password at a zero byte`() throws {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(try !isRight("U*U\0rest", hash))
    }

    @Test(arguments: [
        // Costs beyond the limits.
        "$2b$15$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
        "$2b$31$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa",
        "$scrypt$ln=20,r=64,p=1$MyZk7H1Pybn33tvbuxfi/A$BFsYnKi7UpmAuXh2gvIsZzpvb8YTq1DUwchdas1EaMA",
        "scrypt:4095:8:1$salt$441cf7875278cef0da9a996b3128fffb",
        "pbkdf2:sha256:2000001$salt$441cf7875278cef0da9a996b3128fffb",
        "pbkdf2:sha256:999999999999$salt$441cf7875278cef0da9a996b3128fffb",
        "pbkdf2:sha256:0$salt$441cf7875278cef0da9a996b3128fffb",
        // Unknown forms.
        "", "$", "$$$$", "plain", "md5$salt$0123456789abcdef0123456789abcdef",
        "$1$salt$qJH7.N4xYta3aEG/dfqo/0", "$6$salt$tag", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.",
        "pbkdf2:md5:1000$salt$441cf7875278cef0da9a996b3128fffb",
        // A short tag, which many passwords would share.
        "pbkdf2:sha256:1000$salt$44", "pbkdf2:sha256:1000$salt$",
        // No salt.
        "pbkdf2:sha256:1000$$d5e16341830bfe8563a3de8f18ae1a7bc647a34d425d3a240626bdabd6036cb0",
    ])
    func `any other text is refused as a hash`(_ text: String) {
        #expect(!PasswordHash.isImportable(text))
        #expect(throws: CryptoFailure.self) { try isRight(Self.password, text) }
    }
}
