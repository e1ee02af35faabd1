extension DynamoDBCondition {
    /// Parses a condition, a filter or a key condition.
    static func parse(
        _ text: String, _ kind: ExpressionKind, _ placeholders: inout Placeholders
    ) throws(DynamoDBError) -> DynamoDBCondition {
        var parser = try ExpressionParser(text, kind, placeholders)
        let node = try parser.disjunction()
        let condition = try parser.condition(node)
        try parser.finish()
        placeholders = parser.placeholders
        return condition
    }
}

/// A parsed part of a condition: a parenthesis can contain a condition or an operand, and only the
/// following tokens show which.
enum ConditionNode {
    case condition(DynamoDBCondition)
    case operand(Operand)
    /// A function with a boolean result.
    case test(DynamoDBCondition, name: String)
}

// `OR` has the lowest precedence, then `AND`, `NOT`, comparisons.
extension ExpressionParser {
    static let candidatesMax = 100

    mutating func disjunction() throws(DynamoDBError) -> ConditionNode {
        let first = try conjunction()
        guard current.isKeyword("OR") else { return first }
        var conditions = [try condition(first)]
        while acceptKeyword("OR") {
            try countOperator()
            let node = try conjunction()
            conditions.append(try condition(node))
        }
        return .condition(.any(conditions))
    }

    /// Converts a node to a condition: a bare operand is a syntax error.
    mutating func condition(_ node: ConditionNode) throws(DynamoDBError) -> DynamoDBCondition {
        switch node {
        case .condition(let condition), .test(let condition, _): return condition
        case .operand(.size):
            noteMisuse("size")
            return .all([])
        case .operand: throw syntaxError()
        }
    }

    private mutating func operand(_ node: ConditionNode) throws(DynamoDBError) -> Operand {
        switch node {
        case .operand(let operand): return operand
        case .test(_, let name):
            noteMisuse(name)
            return .value(.null)
        case .condition: throw syntaxError()
        }
    }

    private mutating func conjunction() throws(DynamoDBError) -> ConditionNode {
        let first = try negation()
        guard current.isKeyword("AND") else { return first }
        var conditions = [try condition(first)]
        while acceptKeyword("AND") {
            try countOperator()
            let node = try negation()
            conditions.append(try condition(node))
        }
        return .condition(.all(conditions))
    }

    private mutating func negation() throws(DynamoDBError) -> ConditionNode {
        var count = 0
        while acceptKeyword("NOT") {
            try countOperator()
            count += 1
        }
        let node = try comparison()
        guard count > 0 else { return node }
        let condition = try condition(node)
        // Two negations cancel each other out, but they are kept, because a key condition may not
        // contain any.
        return .condition(count.isMultiple(of: 2) ? .not(.not(condition)) : .not(condition))
    }

    private mutating func comparison() throws(DynamoDBError) -> ConditionNode {
        let node = try primary()
        if current.kind == .symbol, let comparator = Comparator(rawValue: current.text) {
            let left = try operand(node)
            try countOperator()
            advance()
            let right = try nextOperand()
            if comparator.isOrdering { checkOrdered([left, right], comparator.rawValue) }
            checkDistinct(left, [right], comparator.rawValue)
            return .condition(.compare(left, comparator, right))
        }
        guard current.isKeyword("BETWEEN") || current.isKeyword("IN") else { return node }
        try countOperator()
        let subject = try operand(node)
        return current.isKeyword("IN") ? try within(subject) : try between(subject)
    }

    private mutating func nextOperand() throws(DynamoDBError) -> Operand {
        let node = try primary()
        return try operand(node)
    }

    private mutating func between(_ subject: Operand) throws(DynamoDBError) -> ConditionNode {
        advance()
        let low = try nextOperand()
        guard acceptKeyword("AND") else { throw syntaxError() }
        let high = try nextOperand()
        checkOrdered([subject, low, high], "BETWEEN")
        checkDistinct(subject, [low, high], "BETWEEN")
        checkBounds(low, high)
        return .condition(.between(subject, low, high))
    }

    private mutating func within(_ subject: Operand) throws(DynamoDBError) -> ConditionNode {
        advance()
        let candidates = try arguments { parser throws(DynamoDBError) in try parser.nextOperand() }
        if candidates.count >= Self.candidatesMax {
            note(
                .operandCount,
                "The IN operator is provided with too many operands; "
                    + "number of operands: \(candidates.count + 1)")
        }
        checkDistinct(subject, candidates, "IN")
        return .condition(.within(subject, candidates))
    }

    private mutating func primary() throws(DynamoDBError) -> ConditionNode {
        switch current.kind {
        case .symbol where current.isSymbol("("): return try group()
        case .word where next.isSymbol("("): return try function()
        case .valueReference: return .operand(.value(try valueReference()))
        case .word, .nameReference, .digits, .symbol, .stray, .end:
            // A keyword is not a name: `a = AND` is a syntax error here, not a reserved word error.
            guard !["AND", "OR", "NOT", "BETWEEN", "IN"].contains(where: current.isKeyword) else {
                throw syntaxError()
            }
            return .operand(.path(try path()))
        }
    }

    private mutating func group() throws(DynamoDBError) -> ConditionNode {
        try enter()
        let start = position
        advance()
        let node = try disjunction()
        if lastGroup == start + 1..<position {
            note(.parentheses, "The expression has redundant parentheses;")
        }
        try expect(")")
        lastGroup = start..<position
        leave()
        return node
    }

    private mutating func function() throws(DynamoDBError) -> ConditionNode {
        let name = current.text
        try countOperator()
        advance()
        let operands = try arguments { parser throws(DynamoDBError) in try parser.nextOperand() }
        guard let function = ConditionFunction(rawValue: name) else {
            noteUnknownFunction(name, isKnownElsewhere: Self.updateFunctions.contains(name))
            return .test(.all([]), name: name)
        }
        guard operands.count == function.operandCount else {
            noteOperandCount(name, operands.count)
            return .test(.all([]), name: name)
        }
        return call(function, operands)
    }
}
