/// `ComparisonOperator`, in the order in which the service lists them.
enum LegacyComparator: String, CaseIterable {
    case isOneOf = "IN"
    case isAbsent = "NULL"
    case isBetween = "BETWEEN"
    case less = "LT"
    case containsNot = "NOT_CONTAINS"
    case equal = "EQ"
    case greater = "GT"
    case isPresent = "NOT_NULL"
    case notEqual = "NE"
    case lessOrEqual = "LE"
    case beginsWith = "BEGINS_WITH"
    case greaterOrEqual = "GE"
    case contains = "CONTAINS"

    /// Whether a key condition can have it. On the partition key only `EQ` is possible.
    var isIndexable: Bool {
        switch self {
        case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .isBetween, .beginsWith: true
        case .isOneOf, .isAbsent, .isPresent, .containsNot, .contains, .notEqual: false
        }
    }

    private func admits(count: Int) -> Bool {
        switch self {
        case .isAbsent, .isPresent: count == 0
        case .isOneOf: count > 0
        case .isBetween: count == 2
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains,
            .containsNot, .beginsWith:
            count == 1
        }
    }

    private func admits(_ kind: AttributeValue.Kind) -> Bool {
        switch self {
        case .equal, .notEqual, .isAbsent, .isPresent: true
        case .beginsWith: kind == .string || kind == .binary
        case .isOneOf, .isBetween, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains,
            .containsNot:
            kind.isOrdered
        }
    }

    func check(_ values: [AttributeValue]) throws(DynamoDBError) {
        guard admits(count: values.count) else {
            throw .invalidParameters(
                "Invalid number of argument(s) for the \(rawValue) ComparisonOperator")
        }
        guard let first = values.first else { return }
        guard values.allSatisfy({ $0.kind == first.kind }) else {
            throw .invalidParameters(
                "AttributeValues inside AttributeValueList must be of same type")
        }
        guard admits(first.kind) else {
            throw .invalidParameters(
                "ComparisonOperator \(rawValue) is not valid for \(first.kind.rawValue) "
                    + "AttributeValue type")
        }
        if self == .isBetween, values[1].precedes(first) == true {
            throw .validation(
                "The BETWEEN condition was provided a range where the lower bound is greater "
                    + "than the upper bound")
        }
    }

    /// - Parameter values: checked.
    func condition(on path: DocumentPath, _ values: [AttributeValue]) -> DynamoDBCondition {
        let subject = Operand.path(path)
        let operands = values.map(Operand.value)
        return switch self {
        case .isAbsent: .notExists(path)
        case .isPresent: .exists(path)
        case .equal: .compare(subject, .equal, operands[0])
        case .notEqual: .compare(subject, .notEqual, operands[0])
        case .less: .compare(subject, .less, operands[0])
        case .lessOrEqual: .compare(subject, .lessOrEqual, operands[0])
        case .greater: .compare(subject, .greater, operands[0])
        case .greaterOrEqual: .compare(subject, .greaterOrEqual, operands[0])
        case .isBetween: .between(subject, operands[0], operands[1])
        case .isOneOf: .within(subject, operands)
        case .beginsWith: .beginsWith(subject, operands[0])
        case .contains: .contains(subject, operands[0])
        // An absent attribute satisfies neither this nor `CONTAINS`.
        case .containsNot: .all([.exists(path), .not(.contains(subject, operands[0]))])
        }
    }
}
