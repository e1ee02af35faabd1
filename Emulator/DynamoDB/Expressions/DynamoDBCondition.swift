/// A parsed condition, filter or key condition.
indirect enum DynamoDBCondition {
    case all([DynamoDBCondition])
    case any([DynamoDBCondition])
    case not(DynamoDBCondition)
    case compare(Operand, Comparator, Operand)
    case between(Operand, Operand, Operand)
    case within(Operand, [Operand])
    case exists(DocumentPath)
    case notExists(DocumentPath)
    case hasType(Operand, AttributeValue.Kind)
    case beginsWith(Operand, Operand)
    case contains(Operand, Operand)
}

indirect enum Operand {
    case path(DocumentPath)
    case value(AttributeValue)
    case size(Operand)
}

enum Comparator: String, CaseIterable {
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// The comparator with swapped operands.
    var mirrored: Comparator {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    var isOrdering: Bool { self != .equal && self != .notEqual }
}
