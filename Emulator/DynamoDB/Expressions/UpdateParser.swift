internal import Bytes

extension UpdateExpression {
    static func parse(_ text: String, _ placeholders: inout Placeholders) throws(DynamoDBError)
        -> UpdateExpression
    {
        var parser = try ExpressionParser(text, .update, placeholders)
        let update = UpdateExpression(actions: try parser.sections())
        if let clash = DocumentPath.clash(update.actions.map(\.path)) {
            parser.note(.overlap, clash)
        }
        try parser.finish()
        placeholders = parser.placeholders
        return update
    }
}

private enum UpdateClause: String, CaseIterable {
    case set = "SET"
    case remove = "REMOVE"
    case add = "ADD"
    case delete = "DELETE"

    static func of(_ token: Token) -> UpdateClause? {
        guard token.kind == .word else { return nil }
        return UpdateClause(rawValue: token.text.uppercased())
    }
}

extension ExpressionParser {
    fileprivate typealias Actions = [(path: DocumentPath, action: UpdateExpression.Action)]

    fileprivate mutating func sections() throws(DynamoDBError) -> Actions {
        var actions: Actions = []
        var seen: Set<UpdateClause> = []
        while current.kind != .end {
            guard let section = UpdateClause.of(current) else { throw syntaxError() }
            if !seen.insert(section).inserted {
                note(
                    .section,
                    "The \"\(section.rawValue)\" section can only be used once in an update "
                        + "expression;")
            }
            advance()
            repeat { actions.append(try action(section)) } while accept(",")
        }
        return actions
    }

    private mutating func action(_ section: UpdateClause) throws(DynamoDBError)
        -> (path: DocumentPath, action: UpdateExpression.Action)
    {
        // A clause keyword is not a name: `SET REMOVE a` is a syntax error, not a reserved word
        // error.
        guard UpdateClause.of(current) == nil else { throw syntaxError() }
        let path = try path()
        switch section {
        case .set:
            try expect("=")
            return (path, .set(try sum(inside: nil)))
        case .remove: return (path, .remove)
        case .add:
            let value = try valueReference()
            checkSetOperand(value, section, value.kind == .number || value.kind.isSet)
            return (path, .add(value))
        case .delete:
            let value = try valueReference()
            checkSetOperand(value, section, value.kind.isSet)
            return (path, .delete(value))
        }
    }

    private mutating func checkSetOperand(
        _ value: AttributeValue, _ section: UpdateClause, _ isAllowed: Bool
    ) {
        if isAllowed { return }
        note(
            .operandType,
            "Incorrect operand type for operator or function; operator: \(section.rawValue), "
                + "operand type: \(value.kind.longName)")
    }

    /// - Parameter function: the function of which this is an operand.
    private mutating func sum(inside function: String?) throws(DynamoDBError) -> UpdateValue {
        let left = try term(inside: function)
        // `f(a + b)` is a syntax error, `f(a) + b` is not.
        guard function == nil, current.isSymbol("+") || current.isSymbol("-") else { return left }
        let operation = current.text
        advance()
        let right = try term(inside: nil)
        for operand in [left, right] {
            check(operand, operation) { $0.kind == .number }
        }
        return operation.isSame(as: "+") ? .plus(left, right) : .minus(left, right)
    }

    private mutating func term(inside function: String?) throws(DynamoDBError) -> UpdateValue {
        switch current.kind {
        case .valueReference: return .value(try valueReference())
        case .symbol where current.isSymbol("("):
            try enter()
            let start = position
            advance()
            let value = try sum(inside: nil)
            if lastGroup == start + 1..<position {
                note(.parentheses, "The expression has redundant parentheses;")
            }
            try expect(")")
            lastGroup = start..<position
            leave()
            return value
        case .word where next.isSymbol("("): return try functionCall(inside: function)
        case .word, .nameReference, .digits, .symbol, .stray, .end:
            guard UpdateClause.of(current) == nil else { throw syntaxError() }
            return .path(try path())
        }
    }

    private mutating func functionCall(inside outer: String?) throws(DynamoDBError) -> UpdateValue {
        let name = current.text
        advance()
        let operands = try arguments { parser throws(DynamoDBError) in try parser.sum(inside: name)
        }
        guard Self.updateFunctions.contains(name) else {
            noteUnknownFunction(name, isKnownElsewhere: ConditionFunction(rawValue: name) != nil)
            return .value(.null)
        }
        guard operands.count == 2 else {
            noteOperandCount(name, operands.count)
            return .value(.null)
        }
        if name.isSame(as: "list_append") {
            if outer?.isSame(as: name) == true { noteMisuse(name) }
            for operand in operands { check(operand, name) { $0.kind == .list } }
            return .listAppend(operands[0], operands[1])
        }
        guard case .path(let path) = operands[0] else {
            noteDocumentPath(name)
            return .value(.null)
        }
        return .ifNotExists(path, operands[1])
    }

    private mutating func check(
        _ operand: UpdateValue, _ operation: String, _ isAllowed: (AttributeValue) -> Bool
    ) {
        guard case .value(let value) = operand, !isAllowed(value) else { return }
        noteOperandType(operation, value.kind.rawValue)
    }
}
