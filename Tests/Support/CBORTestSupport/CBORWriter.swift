package import CBOR

extension CBOR {
    /// The canonical encoding, with the keys of maps sorted.
    package var encoded: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let value): Self.head(1, value)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let elements):
            Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
        case .map(let map):
            Self.head(5, UInt64(map.count))
                + map.entries.map { (key: $0.key.encoded, value: $0.value.encoded) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .flatMap { $0.key + $0.value }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    /// The encoding of a map with its keys in the order given, which may be wrong.
    package static func unsortedMap(_ entries: [(CBOR, CBOR)]) -> [UInt8] {
        head(5, UInt64(entries.count)) + entries.flatMap { $0.encoded + $1.encoded }
    }

    /// The shortest head of an item (RFC 8949 section 3).
    package static func head(_ majorType: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = majorType << 5
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: argument >> ($0 * 8)) }
        return switch argument {
        case ..<24: [type | UInt8(argument)]
        case ...0xFF: [type | 24] + bytes.suffix(1)
        case ...0xFFFF: [type | 25] + bytes.suffix(2)
        case ...0xFFFF_FFFF: [type | 26] + bytes.suffix(4)
        default: [type | 27] + bytes
        }
    }
}

// Literals, so that a test shows the structure of what it encodes.

extension CBOR: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension CBOR: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
}

extension CBOR: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension CBOR: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: CBOR...) { self = .array(elements) }
}

extension CBOR: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (CBOR, CBOR)...) {
        self = .map(CBORMap(unique: elements.map { .init(key: $0, value: $1) }))
    }
}
