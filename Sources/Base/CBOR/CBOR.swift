/// One CBOR item (RFC 8949), as far as WebAuthn needs it: no tags, no floating-point numbers, no
/// `undefined`.
package enum CBOR: Sendable, Equatable {
    case unsigned(UInt64)
    /// `-1 - value` (RFC 8949 section 3.1).
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map(CBORMap)
    case bool(Bool)
    case null

    package static func == (left: CBOR, right: CBOR) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        // `==` is not used, because it means canonical equivalence.
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        case (.unsigned, _), (.negative, _), (.bytes, _), (.text, _), (.array, _), (.map, _),
            (.bool, _), (.null, _):
            false
        }
    }
}

extension CBOR {
    /// The integer, if it fits.
    package var int64Value: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        case .bytes, .text, .array, .map, .bool, .null: nil
        }
    }

    package var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    package var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    package var arrayValue: [CBOR]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var mapValue: CBORMap? {
        if case .map(let value) = self { value } else { nil }
    }

    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package static func integer(_ value: Int64) -> CBOR {
        value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value))
    }
}
