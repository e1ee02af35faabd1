import BaseTestSupport

@Suite("SecretBytes and equality")
struct SecretBytesTests {
    @Test func `printing a secret never reveals it`() {
        struct Holder { let name = "holder"; let secret = SecretBytes(utf8: "hunter2") }
        let secret = SecretBytes(utf8: "hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), dumped,
            "\(Holder())", String(reflecting: Holder()), "\([secret])",
            "\(Optional(secret) as Any)",
        ]
        for text in printed {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104, 117"))
        }
        expectEqual("\(secret)", "<secret>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `reveal returns the bytes of a secret`() {
        expectEqual(SecretBytes([1, 2, 3]).reveal(), [1, 2, 3])
        expectEqual(SecretBytes([]).reveal(), [])
        #expect(SecretBytes([]).isEmpty)
        expectEqual(SecretBytes(utf8: "é").count, 2)
    }

    @Test func `creating a secret does not wipe a shared array`() {
        let shared: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(shared)
        expectEqual(shared, [1, 2, 3])
        expectEqual(secret.reveal(), shared)
    }

    @Test(arguments: [
        ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "", false), ("ab", "abc", false),
        ("abc", "abd", false), ("abc", "bbc", false), ("K", "\u{212A}", false),
    ])
    func `equality compares bytes`(left: String, right: String, isEqual: Bool) {
        expectEqual(SecretBytes(utf8: left) == SecretBytes(utf8: right), isEqual)
        expectEqual(constantTimeEquals(Array(left.utf8), Array(right.utf8)), isEqual)
        expectEqual(left.isSame(as: right), isEqual)
    }

    @Test func `canonically equivalent text is not the same`() {
        expectEqual("caf\u{E9}", "cafe\u{301}")
        #expect(!"caf\u{E9}".isSame(as: "cafe\u{301}"))
        #expect("a.b.c".dropFirst(2).isSame(as: "b.c"))
    }
}
