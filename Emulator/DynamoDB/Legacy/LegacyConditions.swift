internal import JSON

/// Conditions by attribute: `KeyConditions`, `QueryFilter`, `ScanFilter`. The members have the
/// right JSON types; `conditions` checks the rest.
struct LegacyConditions {
    struct Part {
        let attribute: String
        let comparator: LegacyComparator?
        let values: [JSON]?
        /// Only `Expected` has `value` and `exists`.
        let value: JSON?
        let exists: Bool?
    }

    let parts: [Part]

    /// Nil if the request does not have the parameter.
    init?(_ reader: inout RequestReader, _ name: String) throws(DynamoDBError) {
        guard let object = try reader.object(name) else { return nil }
        var parts: [Part] = []
        let place = RequestReader.memberPath(name)
        for member in object.members {
            var part = reader.part(
                try WireReader.object(member.value), "\(place).\(member.name).member")
            let word = try part.word(
                "ComparisonOperator", LegacyComparator.allCases.map(\.rawValue))
            if word == nil, name != "Expected" {
                part.violate(nil, "ComparisonOperator", "Member must not be null")
            }
            parts.append(
                Part(
                    attribute: member.name, comparator: word.flatMap(LegacyComparator.init),
                    values: try part.array("AttributeValueList"), value: part.json("Value"),
                    exists: try part.bool("Exists")))
            reader.include(part)
        }
        self.parts = parts
    }

    var attributes: [String] { parts.map(\.attribute) }

    func conditions() throws(DynamoDBError) -> [DynamoDBCondition] {
        var conditions: [DynamoDBCondition] = []
        for part in parts {
            guard let comparator = part.comparator else { continue }
            var values: [AttributeValue] = []
            for json in part.values ?? [] { values.append(try WireReader.value(json)) }
            try comparator.check(values)
            conditions.append(
                comparator.condition(on: DocumentPath(root: part.attribute, rest: []), values))
        }
        return conditions
    }

    /// One condition; nil if there is none to combine.
    static func combine(
        _ conditions: [DynamoDBCondition], _ combination: ConditionalOperator?
    ) throws(DynamoDBError) -> DynamoDBCondition? {
        if combination != nil {
            guard !conditions.isEmpty else {
                throw .validation("ConditionalOperator cannot be used without Filter or Expected")
            }
            guard conditions.count > 1 else {
                throw .validation(
                    "ConditionalOperator can only be used when Filter or Expected has two or "
                        + "more elements")
            }
        }
        guard !conditions.isEmpty else { return nil }
        return combination == .or ? .any(conditions) : .all(conditions)
    }

    /// The conditions on keys, joined to one condition.
    func keyCondition() throws(DynamoDBError) -> DynamoDBCondition {
        let conditions = try conditions()
        guard 1...2 ~= conditions.count else {
            throw .validation("Conditions can be of length 1 or 2 only")
        }
        for part in parts where part.comparator?.isIndexable == false {
            throw .validation("Attempted conditional constraint is not an indexable operation")
        }
        return .all(conditions)
    }
}
