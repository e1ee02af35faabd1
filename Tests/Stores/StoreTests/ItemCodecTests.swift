import KeyValueStore

@Suite("ItemCodec")
struct ItemCodecTests {
    static let spellings: [(Attributes, [UInt8])] = [
        ([:], [1]), (["a": .text("")], [1, 1, 0x61, 1, 0]),
        (["a": .text("é")], [1, 1, 0x61, 1, 2, 0xC3, 0xA9]),
        (["a": .integer(-2)], [1, 1, 0x61, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
        (["a": .integer(258)], [1, 1, 0x61, 2, 0, 0, 0, 0, 0, 0, 1, 2]),
        (["a": .bytes([9])], [1, 1, 0x61, 3, 1, 9]), (["a": .flag(false)], [1, 1, 0x61, 4]),
        (["a": .flag(true)], [1, 1, 0x61, 5]),
        (
            ["b": .flag(true), "a": .flag(false), "B": .flag(true)],
            [1, 1, 0x42, 5, 1, 0x61, 4, 1, 0x62, 5]
        ),
        (
            ["a": .bytes([UInt8](repeating: 7, count: 200))],
            [1, 1, 0x61, 3, 0xC8, 1] + [UInt8](repeating: 7, count: 200)
        ),
    ]

    // The stored format must be readable by every later version.
    @Test(arguments: spellings)
    func `attributes have one encoding`(attributes: Attributes, bytes: [UInt8]) {
        expectEqual(ItemCodec.encode(attributes), bytes)
        expectEqual(ItemCodec.decode(bytes), attributes)
    }

    @Test(arguments: spellings)
    func `a truncated encoding is refused unless an attribute ends there`(
        attributes: Attributes, bytes: [UInt8]
    ) {
        for count in 0..<bytes.count {
            let decoded = ItemCodec.decode(Array(bytes.prefix(count)))
            expectEqual(
                decoded.map { ItemCodec.encode($0) } ?? Array(bytes.prefix(count)),
                Array(bytes.prefix(count)))
        }
    }

    @Test func `changed attributes are encoded like new ones`() throws {
        let before: Attributes = ["b": .integer(7), "c": .text("é"), "d": .bytes([9])]
        var attributes = try #require(ItemCodec.decode(ItemCodec.encode(before)))
        expectEqual(attributes, before)
        attributes["c"] = .text("a longer text")
        attributes["b"] = nil
        attributes["a"] = .flag(true)
        attributes["e"] = .integer(-1)
        attributes["absent"] = nil
        let after: Attributes = [
            "e": .integer(-1), "d": .bytes([9]), "c": .text("a longer text"), "a": .flag(true),
        ]
        expectEqual(ItemCodec.encode(attributes), ItemCodec.encode(after))
        expectEqual(Set([attributes, after]).count, 1)
        expectEqual(attributes.keys, ["a", "c", "d", "e"])
        expectEqual(
            attributes.values, [.flag(true), .text("a longer text"), .bytes([9]), .integer(-1)])
        expectEqual(attributes["b"], nil)
    }

    static let refused: [(String, [UInt8])] = [
        ("nothing", []), ("version 0", [0]), ("version 2", [2]),
        ("a name without a value", [1, 1, 0x61]), ("a name that ends early", [1, 2, 0x61]),
        ("an empty name", [1, 0, 5]), ("a name of other characters", [1, 1, 0x5F, 5]),
        ("a name that begins with a digit", [1, 1, 0x31, 5]),
        ("a name that is no text", [1, 1, 0xFF, 5]), ("a name twice", [1, 1, 0x61, 5, 1, 0x61, 4]),
        ("names in another order", [1, 1, 0x62, 5, 1, 0x61, 4]), ("kind 0", [1, 1, 0x61, 0]),
        ("kind 6", [1, 1, 0x61, 6]), ("kind 255", [1, 1, 0x61, 255]),
        ("an integer of seven bytes", [1, 1, 0x61, 2, 0, 0, 0, 0, 0, 0, 1]),
        ("text that is none", [1, 1, 0x61, 1, 1, 0x80]),
        ("text with half of a surrogate pair", [1, 1, 0x61, 1, 3, 0xED, 0xA0, 0x80]),
        ("text that ends early", [1, 1, 0x61, 1, 2, 0x61]),
        ("bytes that end early", [1, 1, 0x61, 3, 0xC8, 1, 7]),
        ("a length in two bytes for one", [1, 1, 0x61, 3, 0x81, 0, 7]),
        ("a length that does not end", [1, 1, 0x61, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ("a byte too many", [1, 1, 0x61, 5, 0]),
    ]

    @Test(arguments: refused)
    func `invalid encodings are refused`(name: String, bytes: [UInt8]) {
        expectEqual(ItemCodec.decode(bytes), nil)
    }
}
