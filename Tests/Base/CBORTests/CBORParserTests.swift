import BaseTestSupport
import CBOR
import CBORTestSupport

private let limits = CBORLimits(bytesMax: 1 << 16, depthMax: 4, itemsMax: 64)

private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

private func failure(_ hex: String, _ limits: CBORLimits = limits) throws -> CBORFailure? {
    let input = try bytes(hex)
    do throws(CBORFailure) {
        _ = try CBOR.parse(input, limits: limits)
        return nil
    } catch {
        return error
    }
}

@Suite("CBOR parser")
struct CBORParserTests {
    /// The examples of RFC 8949 appendix A that the supported subset has.
    @Test(
        arguments: [
            ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100),
            ("1903e8", 1000), ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
            ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])), ("60", ""), ("6161", "a"), ("6449455446", "IETF"),
            ("62225c", "\"\\"), ("62c3bc", "\u{fc}"), ("63e6b0b4", "\u{6c34}"),
            ("64f0908591", "\u{10151}"), ("f4", false), ("f5", true), ("f6", .null), ("80", []),
            ("83010203", [1, 2, 3]), ("8301820203820405", [1, [2, 3], [4, 5]]), ("a0", [:]),
            ("a201020304", [1: 2, 3: 4]), ("a26161016162820203", ["a": 1, "b": [2, 3]]),
            ("826161a161626163", ["a", ["b": "c"]]),
            ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)),
        ] as [(String, CBOR)])
    func `the parser reads what the writer writes`(hex: String, expected: CBOR) throws {
        try expectEqual(CBOR.parse(bytes(hex), limits: limits), expected)
        expectEqual(expected.encoded, try bytes(hex))
    }

    @Test(arguments: [
        ("1800", 0), ("1817", 0), ("190017", 0), ("1900ff", 0), ("1a0000ffff", 0),
        ("1b00000000ffffffff", 0), ("3800", 0), ("3900ff", 0), ("5800", 0), ("580141", 0),
        ("7801 61", 0), ("9800", 0), ("b800", 0), ("59000101", 0), ("82011817", 2),
    ])
    func `an integer or length that is not in its shortest form is refused`(
        hex: String, offset: Int
    ) throws {
        try expectEqual(failure(hex.replacing(" ", with: "")), .notShortest(offset: offset))
    }

    @Test(arguments: ["5f41ff", "5fff", "7f6161ff", "9fff", "9f01ff", "bfff", "bf616101ff"])
    func `an indefinite length is refused`(hex: String) throws {
        try expectEqual(failure(hex), .indefiniteLength(offset: 0))
    }

    @Test(arguments: [
        "c0", "c11a514b67b0", "d818456449455446", "f90000", "fa47c35000", "fb3ff199999999999a",
        "f7", "f8ff", "f820", "e0", "f0", "f3", "ff", "fc", "f97e00", "1c", "1d", "1e", "3c",
        "5c", "7d", "9e", "bc",
    ])
    func `tags, floats, other simple values and reserved heads are refused`(hex: String) throws {
        try expectEqual(failure(hex), .unsupported(offset: 0))
    }

    @Test(arguments: [("1f", 0), ("3f", 0)])
    func `an integer without a length is refused`(hex: String, offset: Int) throws {
        try expectEqual(failure(hex), .indefiniteLength(offset: offset))
    }

    @Test(arguments: [
        "", "18", "19", "1901", "1a010203", "1b01020304050607", "41", "4401", "61", "5819",
        "81", "8201", "a1", "a101", "a20102", "9bffffffffffffffff", "bbffffffffffffffff",
        "5bffffffffffffffff", "7bffffffffffffffff", "9affffffff", "5affffffff", "99ffff",
    ])
    func `an input that ends inside an item is refused`(hex: String) throws {
        let failure = try failure(hex)
        guard case .truncated = failure else {
            Issue.record("\(hex): \(String(describing: failure))")
            return
        }
    }

    @Test func `every prefix of an item is refused`() throws {
        let item: CBOR = [1: -7, "fmt": "none", "attStmt": [:], "authData": .bytes([1, 2, 3])]
        let encoded = item.encoded
        try expectEqual(CBOR.parse(encoded, limits: limits), item)
        for count in 0..<encoded.count {
            #expect(throws: CBORFailure.self) {
                try CBOR.parse(Array(encoded.prefix(count)), limits: limits)
            }
        }
    }

    @Test(arguments: ["61ff", "62c328", "61c3", "63eda080", "64f4908080", "62c080", "63e28228"])
    func `text that is not UTF-8 is refused`(hex: String) throws {
        try expectEqual(failure(hex), .notUTF8(offset: 0))
    }

    @Test func `bytes after the item are an error`() throws {
        try expectEqual(failure("0000"), .trailingBytes(offset: 1))
        try expectEqual(failure("a000"), .trailingBytes(offset: 1))
        try expectEqual(failure("f6f6"), .trailingBytes(offset: 1))
    }

    @Test func `a prefix is parsed as one item, with its end`() throws {
        let input = try bytes("ffa10102f5aa")
        let (item, end) = try CBOR.parsePrefix(of: input, from: 1, limits: limits)
        expectEqual(item, [1: 2])
        expectEqual(end, 4)
        let next = try CBOR.parsePrefix(of: input, from: end, limits: limits)
        expectEqual(next.item, true)
        expectEqual(next.end, 5)
        #expect(throws: CBORFailure.truncated(offset: 6)) {
            try CBOR.parsePrefix(of: input, from: 6, limits: limits)
        }
    }
}

@Suite("CBOR maps")
struct CBORMapTests {
    @Test func `keys are sorted by type, then length, then bytes`() throws {
        let item: CBOR = [
            -257: 0, -1: 0, 1: 0, 3: 0, 24: 0, 256: 0, "": 0, "b": 0, "aa": 0, "ab": 0,
            .bytes([]): 0, .bytes([0xFF]): 0, .bytes([0, 0]): 0,
        ]
        let parsed = try CBOR.parse(item.encoded, limits: limits)
        let keys = try #require(parsed.mapValue).entries.map(\.key)
        expectEqual(
            keys,
            [
                1, 3, 24, 256, -1, -257, .bytes([]), .bytes([0xFF]), .bytes([0, 0]), "", "b",
                "aa", "ab",
            ])
    }

    @Test(
        arguments: [
            [(3, 0), (1, 0)], [(-1, 0), (1, 0)], [("aa", 0), ("b", 0)], [("b", 0), ("a", 0)],
            [("a", 0), (1, 0)], [(256, 0), (24, 0)], [(-2, 0), (-1, 0)],
            [("a", 0), (.bytes([1]), 0)], [("authData", 0), ("fmt", 0)],
        ] as [[(CBOR, CBOR)]])
    func `unsorted keys are refused`(entries: [(CBOR, CBOR)]) throws {
        let second = 1 + entries[0].0.encoded.count + 1
        try expectEqual(
            failure(Hex.encode(CBOR.unsortedMap(entries))), .unsortedKeys(offset: second))
    }

    @Test(arguments: [1, -1, "a", "", .bytes([]), .bytes([7]), 1000] as [CBOR])
    func `a duplicate key is refused`(key: CBOR) throws {
        let input = CBOR.unsortedMap([(key, 0), (key, 0)])
        try expectEqual(failure(Hex.encode(input)), .duplicateKey(offset: 2 + key.encoded.count))
    }

    @Test func `an empty text is a key like any other`() throws {
        try expectEqual(failure("a16000"), nil)
        try expectEqual(failure("a14000"), nil)
    }

    @Test(arguments: ["a1f500", "a1f600", "a18000", "a1a000"])
    func `a key that is neither integer nor string is refused`(hex: String) throws {
        try expectEqual(failure(hex), .invalidKey(offset: 1))
    }

    @Test func `texts that are only canonically equivalent are different keys`() throws {
        let item: CBOR = ["\u{E9}": 1, "e\u{301}": 2]
        let map = try #require(try CBOR.parse(item.encoded, limits: limits).mapValue)
        expectEqual(map["\u{E9}"], 1)
        expectEqual(map["e\u{301}"], 2)
    }
}

@Suite("CBOR limits")
struct CBORLimitTests {
    @Test func `nesting is limited`() throws {
        try expectEqual(failure("8181818100"), nil)
        try expectEqual(failure("818181818100"), .tooDeep(offset: 4))
        try expectEqual(failure("a100a100a100a100a0"), .tooDeep(offset: 8))
        let deep = [UInt8](repeating: 0x81, count: 60_000)
        #expect(throws: CBORFailure.tooDeep(offset: 4)) { try CBOR.parse(deep, limits: limits) }
    }

    @Test func `the size of the input is limited`() throws {
        let small = CBORLimits(bytesMax: 3, depthMax: 1, itemsMax: 8)
        try expectEqual(failure("420000", small), nil)
        try expectEqual(failure("43000000", small), .tooLarge)
        // The limit is for what follows the start.
        try expectEqual(CBOR.parsePrefix(of: [0, 0, 0, 0, 0], from: 2, limits: small).end, 3)
    }

    @Test func `the number of items is limited`() throws {
        let few = CBORLimits(bytesMax: 100, depthMax: 4, itemsMax: 5)
        try expectEqual(failure("8400000000", few), nil)
        try expectEqual(failure("850000000000", few), .tooManyItems(offset: 0))
        try expectEqual(failure("a201020304", few), nil)
        try expectEqual(failure("a3010203040506", few), .tooManyItems(offset: 0))
        try expectEqual(failure("8281008100", few), nil)
        try expectEqual(failure("828100820000", few), .tooManyItems(offset: 3))
    }
}
