@Suite("MasterKey") struct MasterKeyTests {
    func made(_ byte: UInt8, count: Int = 32) -> MasterKey? {
        MasterKey(SecretBytes([UInt8](repeating: byte, count: count)))
    }

    @Test func `each purpose has its own key, and each secret gives different keys`() throws {
        let keys = try [#require(made(1)), #require(made(2)), #require(made(1, count: 33))]
        let derived = keys.flatMap {
            [$0.refreshTokens, $0.refreshTokenChecks, $0.signingKeys, $0.grants]
        }.map { $0.reveal() }
        expectEqual(Set(derived).count, 12)
        #expect(derived.allSatisfy { $0.count == 32 })
    }

    /// A change here would end every session and make every encrypted row unreadable.
    @Test func `the derived keys never change`() throws {
        let key = try #require(made(7))
        #expect(Hex.encode(key.refreshTokens.reveal()).hasPrefix(Self.pinned[0]))
        #expect(Hex.encode(key.signingKeys.reveal()).hasPrefix(Self.pinned[1]))
        #expect(Hex.encode(key.grants.reveal()).hasPrefix(Self.pinned[2]))
        #expect(Hex.encode(key.refreshTokenChecks.reveal()).hasPrefix(Self.pinned[3]))
    }

    static let pinned = [
        "2213863ca9612d246a3d54e88f334248", "9419b683a7358918eee91174a4d9e720",
        "ca044896f4a0e3767708fbabf328b7c1", "12a6b9742cbca54f2bdeb2b0666dbe3b",
    ]

    @Test(arguments: [0, 1, 16, 31]) func `a short master key is refused`(count: Int) {
        #expect(made(1, count: count) == nil)
    }
}
