internal import Bytes

/// The value of an attribute.
package enum AttributeValue: Sendable {
    case string(String)
    case number(DecimalNumber)
    case binary([UInt8])
    case bool(Bool)
    case null
    case list([AttributeValue])
    case map(AttributeMap)
    // Sets are sorted, so that equality ignores the client's order.
    case stringSet([String])
    case numberSet([DecimalNumber])
    case binarySet([[UInt8]])
}

extension AttributeValue {
    /// The type's name in JSON.
    package enum Kind: String, Sendable, CaseIterable {
        case string = "S"
        case number = "N"
        case binary = "B"
        case bool = "BOOL"
        case null = "NULL"
        case list = "L"
        case map = "M"
        case stringSet = "SS"
        case numberSet = "NS"
        case binarySet = "BS"

        /// The type's name in the messages of ADD and DELETE.
        var longName: String {
            switch self {
            case .string: "STRING"
            case .number: "NUMBER"
            case .binary: "BINARY"
            case .bool: "BOOLEAN"
            case .null: "NULL"
            case .list: "LIST"
            case .map: "MAP"
            case .stringSet: "STRING_SET"
            case .numberSet: "NUMBER_SET"
            case .binarySet: "BINARY_SET"
            }
        }

        var isSet: Bool { self == .stringSet || self == .numberSet || self == .binarySet }
        /// Whether `<` is defined: strings, numbers and binary.
        var isOrdered: Bool { self == .string || self == .number || self == .binary }
    }

    var kind: Kind {
        switch self {
        case .string: .string
        case .number: .number
        case .binary: .binary
        case .bool: .bool
        case .null: .null
        case .list: .list
        case .map: .map
        case .stringSet: .stringSet
        case .numberSet: .numberSet
        case .binarySet: .binarySet
        }
    }
}

extension AttributeValue: Equatable {
    /// Values are equal if type and value are the same; strings are compared as UTF-8 bytes.
    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.isSame(as: right)
        case (.number(let left), .number(let right)): left == right
        case (.binary(let left), .binary(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        case (.stringSet(let left), .stringSet(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.numberSet(let left), .numberSet(let right)): left == right
        case (.binarySet(let left), .binarySet(let right)): left == right
        case (.string, _), (.number, _), (.binary, _), (.bool, _), (.null, _), (.list, _),
            (.map, _), (.stringSet, _), (.numberSet, _), (.binarySet, _):
            false
        }
    }

    /// Whether the value sorts before `other`; nil if the types differ or are not ordered.
    func precedes(_ other: AttributeValue) -> Bool? {
        switch (self, other) {
        case (.string(let left), .string(let right)): left.precedes(right)
        case (.number(let left), .number(let right)): left < right
        case (.binary(let left), .binary(let right)): left.lexicographicallyPrecedes(right)
        case (.string, _), (.number, _), (.binary, _), (.bool, _), (.null, _), (.list, _),
            (.map, _), (.stringSet, _), (.numberSet, _), (.binarySet, _):
            nil
        }
    }
}

extension String {
    /// DynamoDB's order of strings: by UTF-8 bytes.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
