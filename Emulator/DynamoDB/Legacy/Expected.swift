internal import JSON

/// `Expected`: conditions on the attributes of an item that is to be written.
struct Expected {
    private let conditions: LegacyConditions

    init?(_ reader: inout RequestReader) throws(DynamoDBError) {
        guard let conditions = try LegacyConditions(&reader, "Expected") else { return nil }
        self.conditions = conditions
    }

    func condition(_ combination: ConditionalOperator?) throws(DynamoDBError)
        -> DynamoDBCondition?
    {
        var parts: [DynamoDBCondition] = []
        for part in conditions.parts { parts.append(try Self.condition(part)) }
        return try LegacyConditions.combine(parts, combination)
    }

    private static func condition(_ part: LegacyConditions.Part) throws(DynamoDBError)
        -> DynamoDBCondition
    {
        guard part.value == nil || part.values == nil else {
            throw refusal("Value and AttributeValueList cannot be used together", part)
        }
        guard let comparator = part.comparator else { return try existence(part) }
        guard part.exists == nil else {
            throw refusal("Exists and ComparisonOperator cannot be used together", part)
        }
        var values: [AttributeValue] = []
        for json in part.values ?? part.value.map({ [$0] }) ?? [] {
            values.append(try WireReader.value(json))
        }
        if part.value == nil, part.values == nil, comparator != .isAbsent, comparator != .isPresent
        {
            throw refusal(
                "Value or AttributeValueList must be used with ComparisonOperator: "
                    + comparator.rawValue, part)
        }
        try comparator.check(values)
        return comparator.condition(on: DocumentPath(root: part.attribute, rest: []), values)
    }

    /// The oldest form: the attribute has a value, or it does not exist.
    private static func existence(_ part: LegacyConditions.Part) throws(DynamoDBError)
        -> DynamoDBCondition
    {
        guard part.values == nil else {
            throw refusal("AttributeValueList can only be used with a ComparisonOperator", part)
        }
        let path = DocumentPath(root: part.attribute, rest: [])
        guard part.exists ?? true else {
            guard part.value == nil else {
                throw refusal("Value cannot be used when Exists is false", part)
            }
            return .notExists(path)
        }
        guard let value = part.value else {
            throw refusal(
                "Value must be provided when Exists is \(part.exists == nil ? "null" : "true")",
                part)
        }
        return .compare(.path(path), .equal, .value(try WireReader.value(value)))
    }

    private static func refusal(_ reason: String, _ part: LegacyConditions.Part) -> DynamoDBError {
        .invalidParameters("\(reason) for Attribute: \(part.attribute)")
    }
}
