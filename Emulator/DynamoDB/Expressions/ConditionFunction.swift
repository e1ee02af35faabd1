internal import Bytes
internal import JSON

enum ConditionFunction: String {
    case exists = "attribute_exists"
    case notExists = "attribute_not_exists"
    case type = "attribute_type"
    case beginsWith = "begins_with"
    case contains
    case size

    var operandCount: Int {
        switch self {
        case .exists, .notExists, .size: 1
        case .type, .beginsWith, .contains: 2
        }
    }
}

// Checks that are possible without an item: the types of literals.
extension ExpressionParser {
    /// - Parameter operands: already the right number for the function.
    mutating func call(_ function: ConditionFunction, _ operands: [Operand]) -> ConditionNode {
        let name = function.rawValue
        let first = operands[0]
        switch function {
        case .exists, .notExists:
            guard case .path(let path) = first else {
                noteDocumentPath(name)
                return .test(.all([]), name: name)
            }
            return .test(function == .exists ? .exists(path) : .notExists(path), name: name)
        case .size:
            if case .size = first { noteMisuse(name) }
            checkLiteral(first, name) { $0.elementCount != nil }
            return .operand(.size(first))
        case .type: return .test(typeTest(first, operands[1]), name: name)
        case .beginsWith:
            for operand in operands {
                checkLiteral(operand, name) { $0.kind == .string || $0.kind == .binary }
            }
            checkDistinct(first, [operands[1]], name)
            return .test(.beginsWith(first, operands[1]), name: name)
        case .contains:
            checkLiteral(first, name) {
                $0.kind == .string || $0.kind == .binary || $0.kind == .list || $0.kind.isSet
            }
            checkDistinct(first, [operands[1]], name)
            return .test(.contains(first, operands[1]), name: name)
        }
    }

    private mutating func typeTest(_ subject: Operand, _ type: Operand) -> DynamoDBCondition {
        guard case .value(.string(let text)) = type else {
            if case .value(let other) = type {
                noteOperandType("attribute_type", other.kind.rawValue)
            } else {
                noteOperandType("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
            }
            return .all([])
        }
        guard let kind = AttributeValue.Kind(rawValue: text) else {
            note(
                .operandType,
                "Invalid attribute type name found; type: \(text), "
                    + "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}")
            return .all([])
        }
        return .hasType(subject, kind)
    }

    private mutating func checkLiteral(
        _ operand: Operand, _ function: String, _ isAllowed: (AttributeValue) -> Bool
    ) {
        guard case .value(let value) = operand, !isAllowed(value) else { return }
        noteOperandType(function, value.kind.rawValue)
    }

    /// A literal of an unordered type is an error; an attribute of such a type only makes the
    /// comparison false.
    mutating func checkOrdered(_ operands: [Operand], _ operation: String) {
        for operand in operands { checkLiteral(operand, operation) { $0.kind.isOrdered } }
    }

    mutating func checkDistinct(_ first: Operand, _ others: [Operand], _ operation: String) {
        guard case .path(let path) = first else { return }
        for case .path(path) in others {
            note(
                .distinct,
                "The first operand must be distinct from the remaining operands for this operator "
                    + "or function; operator: \(operation), first operand: \(path.description)")
        }
    }

    mutating func checkBounds(_ low: Operand, _ high: Operand) {
        guard case .value(let low) = low, case .value(let high) = high else { return }
        let bounds =
            "lower bound operand: AttributeValue: \(low.shown), "
            + "upper bound operand: AttributeValue: \(high.shown)"
        if low.kind != high.kind {
            note(
                .bounds,
                "The BETWEEN operator requires same data type for lower and upper bounds; "
                    + bounds)
        } else if high.precedes(low) == true {
            note(
                .bounds,
                "The BETWEEN operator requires upper bound to be greater than or equal to lower "
                    + "bound; " + bounds)
        }
    }
}

extension AttributeValue {
    /// `{N:3}`: a literal in messages.
    var shown: String {
        switch self {
        case .string(let text): "{S:\(text)}"
        case .number(let number): "{N:\(number.description)}"
        case .binary(let bytes): "{B:\(Base64.encode(bytes))}"
        case .bool, .null, .list, .map, .stringSet, .numberSet, .binarySet:
            "{\(kind.rawValue):\(json.text)}"
        }
    }
}
