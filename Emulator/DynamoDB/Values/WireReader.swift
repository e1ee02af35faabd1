internal import Bytes
internal import JSON

/// Parses values in DynamoDB's JSON, with the service's error messages.
enum WireReader {
    /// The nesting of lists and maps; the item counts as the first level.
    static let nestingMax = 32
    private static let nameBytesMax = 65535

    static func map(_ json: JSON, depth: Int = 1) throws(DynamoDBError) -> AttributeMap {
        guard case .object(let object) = json else { throw unexpected(json) }
        var members: [(name: String, value: AttributeValue)] = []
        members.reserveCapacity(object.count)
        for member in object.members {
            try checkName(member.name)
            members.append((member.name, try value(member.value, depth: depth)))
        }
        return AttributeMap(unique: members)
    }

    static func checkName(_ name: String) throws(DynamoDBError) {
        guard !name.utf8.isEmpty else { throw .invalidParameters("Empty attribute name") }
        guard name.utf8.count <= nameBytesMax else {
            throw .invalidParameters(
                "Attribute name is too large, must be less than \(nameBytesMax + 1) bytes")
        }
    }

    static func value(_ json: JSON, depth: Int = 1) throws(DynamoDBError) -> AttributeValue {
        guard case .object(let object) = json else { throw unexpected(json) }
        // A null member is treated as absent.
        let members = object.members.filter { !$0.value.isNull }
        guard members.count <= 1 else {
            throw .validation(
                "Supplied AttributeValue has more than one datatypes set, "
                    + "must contain exactly one of the supported datatypes")
        }
        guard let member = members.first, let kind = AttributeValue.Kind(rawValue: member.name)
        else {
            throw .validation(
                "Supplied AttributeValue is empty, must contain exactly one of the supported "
                    + "datatypes")
        }
        return try value(member.value, kind, depth: depth)
    }

    private static func value(
        _ json: JSON, _ kind: AttributeValue.Kind, depth: Int
    ) throws(DynamoDBError) -> AttributeValue {
        switch kind {
        case .string: return .string(try text(json))
        case .number: return .number(try DecimalNumber(parsing: try text(json)))
        case .binary: return .binary(try binary(json))
        case .bool: return .bool(try bool(json))
        case .null:
            guard try bool(json) else {
                throw .invalidParameters("Null attribute value types must have the value of true")
            }
            return .null
        case .list:
            try check(depth: depth)
            var elements: [AttributeValue] = []
            for element in try array(json) {
                elements.append(try value(element, depth: depth + 1))
            }
            return .list(elements)
        case .map:
            try check(depth: depth)
            return .map(try map(json, depth: depth + 1))
        case .stringSet, .numberSet, .binarySet: return try set(json, kind)
        }
    }

    private static func check(depth: Int) throws(DynamoDBError) {
        guard depth < nestingMax else {
            throw .validation(
                "Nesting Levels have exceeded supported limits: Attributes in the item have "
                    + "nested levels beyond supported limit")
        }
    }

    private static func set(_ json: JSON, _ kind: AttributeValue.Kind) throws(DynamoDBError)
        -> AttributeValue
    {
        let elements = try array(json)
        guard !elements.isEmpty else {
            switch kind {
            case .stringSet: throw .invalidParameters("An string set  may not be empty")
            case .numberSet: throw .invalidParameters("An number set  may not be empty")
            default: throw .invalidParameters("Binary sets should not be empty")
            }
        }
        switch kind {
        case .stringSet:
            var texts: [String] = []
            for element in elements { texts.append(try text(element)) }
            let sorted = texts.sorted { $0.precedes($1) }
            guard !hasNeighbours(sorted, where: { $0.isSame(as: $1) }) else {
                throw duplicates(texts)
            }
            return .stringSet(sorted)
        case .numberSet:
            var numbers: [DecimalNumber] = []
            for element in elements { numbers.append(try DecimalNumber(parsing: text(element))) }
            let sorted = numbers.sorted()
            guard !hasNeighbours(sorted, where: ==) else {
                throw .validation("Input collection contains duplicates")
            }
            return .numberSet(sorted)
        default:
            var values: [[UInt8]] = []
            for element in elements { values.append(try binary(element)) }
            let sorted = values.sorted { $0.lexicographicallyPrecedes($1) }
            guard !hasNeighbours(sorted, where: ==) else {
                throw duplicates(elements.map { $0.stringValue ?? "" }, suffix: "of type BS")
            }
            return .binarySet(sorted)
        }
    }

    private static func hasNeighbours<Element>(
        _ sorted: [Element], where areEqual: (Element, Element) -> Bool
    ) -> Bool {
        zip(sorted, sorted.dropFirst()).contains(where: areEqual)
    }

    private static func duplicates(_ texts: [String], suffix: String? = nil) -> DynamoDBError {
        let list = "Input collection [\(texts.joined(separator: ", "))]"
        return .invalidParameters(
            list + (suffix.map { "\($0) contains duplicates." } ?? " contains duplicates."))
    }
}

extension WireReader {
    static func text(_ json: JSON) throws(DynamoDBError) -> String {
        guard case .string(let text) = json else { throw unexpected(json, for: "String") }
        return text
    }

    static func bool(_ json: JSON) throws(DynamoDBError) -> Bool {
        guard case .bool(let flag) = json else { throw unexpected(json, for: "Boolean") }
        return flag
    }

    static func array(_ json: JSON) throws(DynamoDBError) -> [JSON] {
        guard case .array(let elements) = json else { throw unexpected(json) }
        return elements
    }

    static func object(_ json: JSON) throws(DynamoDBError) -> JSONObject {
        guard case .object(let object) = json else { throw unexpected(json) }
        return object
    }

    private static func binary(_ json: JSON) throws(DynamoDBError) -> [UInt8] {
        guard case .string(let text) = json else {
            throw .serialization("only base-64-encoded strings are convertible to bytes")
        }
        guard let bytes = Base64.decode(text) else {
            guard text.utf8.count.isMultiple(of: 4) else {
                throw .serialization(
                    "Base64 encoded length is expected a multiple of 4 bytes but found: "
                        + "\(text.utf8.count)")
            }
            throw .serialization("Invalid Base64")
        }
        return bytes
    }

    /// The error of the service's parser for a JSON value of the wrong type.
    static func unexpected(_ json: JSON, for type: String? = nil) -> DynamoDBError {
        guard let type else {
            switch json {
            case .object:
                return .serialization("Start of structure or map found where not expected")
            case .array:
                return .serialization("Unrecognized collection type class java.util.List")
            case .null, .bool, .number, .string: return .serialization("Unexpected field type")
            }
        }
        switch json {
        case .null: return .serialization("NULL_VALUE cannot be converted to \(type)")
        case .bool(true): return .serialization("TRUE_VALUE cannot be converted to \(type)")
        case .bool(false): return .serialization("FALSE_VALUE cannot be converted to \(type)")
        case .number(let number):
            let kind = number.int64 == nil ? "DECIMAL_VALUE" : "NUMBER_VALUE"
            return .serialization("\(kind) cannot be converted to \(type)")
        case .string: return .serialization("STRING_VALUE cannot be converted to \(type)")
        case .array:
            return .serialization("Unrecognized collection type class java.lang.\(type)")
        case .object:
            return .serialization("Start of structure or map found where not expected")
        }
    }
}
