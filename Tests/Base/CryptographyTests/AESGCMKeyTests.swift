import BaseTestSupport

@Suite("AESGCMKey")
struct AESGCMKeyTests {
    private let random = RandomSource.seeded(7)

    private func key(_ byte: UInt8 = 1) throws -> AESGCMKey {
        try AESGCMKey(SecretBytes([UInt8](repeating: byte, count: 32)))
    }

    @Test(arguments: [0, 1, 16, 1000])
    func `sealed data can be opened`(count: Int) throws {
        let text = [UInt8](repeating: 0xA5, count: count)
        let sealed = try key().seal(text, additional: [1], random: random)
        expectEqual(sealed.count, 12 + count + 16)
        try expectEqual(key().open(sealed, additional: [1]).reveal(), text)
    }

    @Test func `any changed byte is detected`() throws {
        let sealed = try key().seal([1, 2, 3], additional: [9], random: random)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoFailure.notAuthentic) { try key().open(changed, additional: [9]) }
        }
    }

    @Test func `every truncation is detected`() throws {
        let sealed = try key().seal([1, 2, 3], additional: [], random: random)
        for count in 0..<sealed.count {
            #expect(throws: CryptoFailure.notAuthentic) {
                try key().open(Array(sealed.prefix(count)), additional: [])
            }
        }
    }

    @Test func `a sealed value cannot be opened with another key or for another row`() throws {
        let sealed = try key().seal([1], additional: Array("row 1".utf8), random: random)
        #expect(throws: CryptoFailure.notAuthentic) {
            try key(2).open(sealed, additional: Array("row 1".utf8))
        }
        #expect(throws: CryptoFailure.notAuthentic) {
            try key().open(sealed, additional: Array("row 2".utf8))
        }
        #expect(throws: CryptoFailure.notAuthentic) { try key().open(sealed, additional: []) }
    }

    @Test func `sealing the same text twice gives different ciphertexts`() throws {
        #expect(
            try key().seal([1], additional: [], random: random)
                != key().seal([1], additional: [], random: random))
    }

    @Test(arguments: [0, 16, 24, 31, 33, 64])
    func `a key has 32 bytes`(count: Int) {
        #expect(throws: CryptoFailure.invalidKey) {
            try AESGCMKey(SecretBytes([UInt8](repeating: 1, count: count)))
        }
    }

    @Test func `a random source that returns too few bytes is refused`() {
        #expect(throws: CryptoFailure.limitExceeded) {
            try key().seal([1], additional: [], random: RandomSource { _ in [] })
        }
    }
}
