package import JSON

/// A condition expression outside a request.
package struct ConditionText {
    package static let bytesMax = ExpressionParser.bytesMax

    private let condition: DynamoDBCondition

    package init(
        parsing text: String, names: JSONObject?, values: JSONObject?
    ) throws(DynamoDBError) {
        var placeholders = try Placeholders(names: names, values: values)
        condition = try .parse(text, .condition, &placeholders)
    }

    /// Whether the condition holds for an item in DynamoDB's JSON.
    package func holds(for item: JSON) throws(DynamoDBError) -> Bool {
        condition.holds(for: try WireReader.map(item))
    }

    package var written: ExpressionText {
        var text = ExpressionText()
        text.add(condition)
        return text
    }
}

extension ExpressionText {
    fileprivate mutating func add(_ condition: DynamoDBCondition) {
        switch condition {
        case .all(let conditions):
            addList(conditions, separator: " AND ") { $0.add(part: $1) }
        case .any(let conditions):
            addList(conditions, separator: " OR ") { $0.add(part: $1) }
        // Two negations in a row are parsed as one part.
        case .not(.not(let condition)):
            add("NOT NOT ")
            add(part: condition)
        case .not(let condition):
            add("NOT ")
            add(part: condition)
        case .compare(let left, let comparator, let right):
            add(left)
            add(" \(comparator.rawValue) ")
            add(right)
        case .between(let subject, let low, let high):
            add(subject)
            add(" BETWEEN ")
            add(low)
            add(" AND ")
            add(high)
        case .within(let subject, let candidates):
            add(subject)
            add(function: " IN ", candidates) { $0.add($1) }
        case .exists(let path): add(function: "attribute_exists", [path]) { $0.add($1) }
        case .notExists(let path): add(function: "attribute_not_exists", [path]) { $0.add($1) }
        case .hasType(let subject, let kind):
            add(function: "attribute_type", [subject, .value(.string(kind.rawValue))]) {
                $0.add($1)
            }
        case .beginsWith(let subject, let prefix):
            add(function: "begins_with", [subject, prefix]) { $0.add($1) }
        case .contains(let container, let element):
            add(function: "contains", [container, element]) { $0.add($1) }
        }
    }

    /// Parentheses are only written if they change the meaning, because redundant ones are an
    /// error.
    private mutating func add(part condition: DynamoDBCondition) {
        switch condition {
        case .all, .any, .not:
            add("(")
            add(condition)
            add(")")
        case .compare, .between, .within, .exists, .notExists, .hasType, .beginsWith, .contains:
            add(condition)
        }
    }

    private mutating func add(_ operand: Operand) {
        switch operand {
        case .path(let path): add(path)
        case .value(let value): add(value: value)
        case .size(let operand): add(function: "size", [operand]) { $0.add($1) }
        }
    }
}
