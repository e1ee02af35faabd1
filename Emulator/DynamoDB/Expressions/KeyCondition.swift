internal import Bytes

/// The sort key part of a key condition.
enum SortCondition {
    case compare(Comparator, AttributeValue)
    case between(AttributeValue, AttributeValue)
    case beginsWith(AttributeValue)
}

/// A key condition, validated against the schema of the queried table or index.
struct KeyCondition {
    let hash: AttributeValue
    let sort: SortCondition?

    private typealias Part = (name: String, condition: SortCondition)

    init(_ condition: DynamoDBCondition, schema: KeySchema) throws(DynamoDBError) {
        let conditions =
            switch condition {
            case .all(let conditions): conditions
            default: [condition]
            }
        var parts: [Part] = []
        for condition in conditions { parts += try Self.parts(condition) }
        guard parts.count <= 2 else {
            throw .validation("Conditions can be of length 1 or 2 only")
        }
        if parts.count == 2, parts[0].name.isSame(as: parts[1].name) {
            throw .validation("KeyConditionExpressions must only contain one condition per key")
        }
        guard let hash = parts.first(where: { $0.name.isSame(as: schema.hash.name) }) else {
            throw Self.missing(schema.hash)
        }
        guard case .compare(.equal, let value) = hash.condition else {
            throw .validation("Query key condition not supported")
        }
        try Self.check(value, schema.hash)
        self.hash = value
        let other = parts.first { !$0.name.isSame(as: schema.hash.name) }
        guard let other else {
            sort = nil
            return
        }
        guard let range = schema.range else {
            throw .validation("Query key condition not supported")
        }
        guard other.name.isSame(as: range.name) else { throw Self.missing(range) }
        switch other.condition {
        case .compare(_, let value), .beginsWith(let value): try Self.check(value, range)
        case .between(let low, let high):
            try Self.check(low, range)
            try Self.check(high, range)
        }
        sort = other.condition
    }

    private static func missing(_ key: KeyAttribute) -> DynamoDBError {
        .validation("Query condition missed key schema element: \(key.name)")
    }

    private static func check(_ value: AttributeValue, _ key: KeyAttribute) throws(DynamoDBError) {
        guard value.kind == key.kind else {
            throw .invalidParameters("Condition parameter type does not match schema type")
        }
        try value.checkNotEmpty(asKey: key.name)
    }

    private static func parts(_ condition: DynamoDBCondition) throws(DynamoDBError) -> [Part] {
        switch condition {
        case .all(let conditions):
            var parts: [Part] = []
            for condition in conditions { parts += try Self.parts(condition) }
            return parts
        case .any: throw unsupported("OR")
        case .not: throw unsupported("NOT")
        case .within: throw unsupported("IN")
        case .exists: throw unsupported("attribute_exists")
        case .notExists: throw unsupported("attribute_not_exists")
        case .hasType: throw unsupported("attribute_type")
        case .contains: throw unsupported("contains")
        case .compare(let left, let comparator, let right):
            guard comparator != .notEqual else { throw unsupported("<>") }
            // The operands may be in either order.
            if case .value(let value) = left {
                return [(try name(right), .compare(comparator.mirrored, value))]
            }
            return [(try name(left), .compare(comparator, try value(right)))]
        case .between(let subject, let low, let high):
            return [(try name(subject), .between(try value(low), try value(high)))]
        case .beginsWith(let subject, let prefix):
            return [(try name(subject), .beginsWith(try value(prefix)))]
        }
    }

    private static func name(_ operand: Operand) throws(DynamoDBError) -> String {
        switch operand {
        case .path(let path):
            guard path.rest.isEmpty else { throw nested }
            return path.root
        case .size: throw nested
        case .value:
            throw .validation(
                "Invalid condition in KeyConditionExpression: No key attribute specified")
        }
    }

    private static func value(_ operand: Operand) throws(DynamoDBError) -> AttributeValue {
        switch operand {
        case .value(let value): return value
        case .size: throw nested
        case .path:
            throw .validation(
                "Invalid condition in KeyConditionExpression: Multiple attribute names used in one "
                    + "condition")
        }
    }

    private static let nested = DynamoDBError.validation(
        "KeyConditionExpressions cannot contain nested operations")

    private static func unsupported(_ operation: String) -> DynamoDBError {
        ExpressionKind.keyCondition.refusal(
            "Invalid operator used in KeyConditionExpression: \(operation)")
    }
}

extension KeyCondition {
    /// The range of rows that can match.
    func range(in space: Keyspace, _ schema: KeySchema) -> KeyRange {
        let partition = space.key(schema.partition(hash))
        var range = KeyRange(prefix: partition)
        func row(_ value: AttributeValue) -> [UInt8] {
            partition + (KeyEncoding.encode(value) ?? [])
        }
        switch sort {
        case nil: break
        case .compare(.less, let value): range.upper = row(value)
        case .compare(.lessOrEqual, let value): range.upper = KeyRange(prefix: row(value)).upper
        case .compare(.greater, let value): range.lower = KeyRange(prefix: row(value)).upper
        case .compare(.greaterOrEqual, let value): range.lower = row(value)
        case .compare(.equal, let value), .compare(.notEqual, let value):
            range = KeyRange(prefix: row(value))
        case .between(let low, let high):
            range.lower = row(low)
            range.upper = KeyRange(prefix: row(high)).upper
        case .beginsWith(let prefix):
            range = KeyRange(prefix: partition + (KeyEncoding.prefix(prefix) ?? []))
        }
        return range
    }
}
