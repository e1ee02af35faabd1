/// The parameter that contains an expression.
enum ExpressionKind: String {
    case condition = "ConditionExpression"
    case filter = "FilterExpression"
    case keyCondition = "KeyConditionExpression"
    case update = "UpdateExpression"
    case projection = "ProjectionExpression"

    func refusal(_ reason: String) -> DynamoDBError {
        .validation("Invalid \(rawValue): \(reason)")
    }
}

/// The common parts of all expression parsers: tokens, paths, references, and errors.
///
/// A syntax error ends parsing. Other errors are collected. When the whole text was parsed, the
/// first one with the lowest rank is reported, like the service's.
struct ExpressionParser {
    static let bytesMax = 4096
    /// The nesting limit for parentheses and functions, which bounds the recursion.
    static let depthMax = 300
    /// Comparisons, `AND`, `OR`, `NOT`, `BETWEEN`, `IN` and functions.
    private static let operatorsMax = 300
    private static let nestingMax = 32

    enum Rank: Int {
        case section, parentheses, nesting, reserved, functionName, name, value, operandCount,
            misuse
        case documentPath, operandType, distinct, bounds, overlap
    }

    let kind: ExpressionKind
    var placeholders: Placeholders
    private let text: [UInt8]
    private let tokens: [Token]
    private(set) var position = 0
    private var depth = 0
    private var operators = 0
    private var finding: (rank: Rank, reason: String)?
    /// The tokens of the last closed parenthesis.
    var lastGroup = 0..<0

    init(_ text: String, _ kind: ExpressionKind, _ placeholders: Placeholders) throws(DynamoDBError)
    {
        self.kind = kind
        self.placeholders = placeholders
        self.text = Array(text.utf8)
        guard self.text.count <= Self.bytesMax else {
            throw kind.refusal(
                "Expression size has exceeded the maximum allowed size; "
                    + "expression size: \(self.text.count)")
        }
        tokens = Lexer.tokens(self.text)
        guard tokens.count > 1 else { throw kind.refusal("The expression can not be empty;") }
    }

    var current: Token { tokens[position] }
    var next: Token { tokens[min(position + 1, tokens.count - 1)] }

    mutating func advance() { position = min(position + 1, tokens.count - 1) }

    mutating func accept(_ symbol: StaticString) -> Bool {
        guard current.isSymbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func acceptKeyword(_ keyword: StaticString) -> Bool {
        guard current.isKeyword(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: StaticString) throws(DynamoDBError) {
        guard accept(symbol) else { throw syntaxError() }
    }

    /// A syntax error at the current token, with the tokens before and after it.
    func syntaxError() -> DynamoDBError {
        let first = tokens[max(position - 1, 0)].range.lowerBound
        let last = next.range.upperBound
        let near = String(decoding: text[first..<last], as: UTF8.self)
        return kind.refusal("Syntax error; token: \"\(current.text)\", near: \"\(near)\"")
    }

    mutating func note(_ rank: Rank, _ reason: String) {
        if let finding, finding.rank.rawValue <= rank.rawValue { return }
        finding = (rank, reason)
    }

    /// Throws if tokens are left over or an error was collected.
    func finish() throws(DynamoDBError) {
        guard current.kind == .end else { throw syntaxError() }
        if let finding { throw kind.refusal(finding.reason) }
    }

    mutating func enter() throws(DynamoDBError) {
        depth += 1
        guard depth <= Self.depthMax else {
            throw kind.refusal("The expression is nested too deeply; levels: \(depth)")
        }
    }

    mutating func leave() { depth -= 1 }

    mutating func countOperator() throws(DynamoDBError) {
        operators += 1
        guard operators <= Self.operatorsMax else {
            throw kind.refusal(
                "The expression contains too many operators; operator count: \(operators)")
        }
    }
}

extension ExpressionParser {
    /// Parses a path; a reserved word or an undefined reference is collected as an error.
    mutating func path() throws(DynamoDBError) -> DocumentPath {
        let root = try pathName()
        var rest: [DocumentPath.Element] = []
        while true {
            if accept(".") {
                rest.append(.name(try pathName()))
            } else if accept("[") {
                guard current.kind == .digits else { throw syntaxError() }
                let index = Int32(current.text)
                if index == nil {
                    note(
                        .nesting,
                        "List index is not within the allowable range; "
                            + "index: [\(current.text)]")
                }
                advance()
                try expect("]")
                rest.append(.index(Int(index ?? 0)))
            } else {
                break
            }
        }
        if rest.count >= Self.nestingMax {
            note(
                .nesting,
                "The document path has too many nesting levels; nesting levels: "
                    + "\(rest.count + 1)")
        }
        return DocumentPath(root: root, rest: rest)
    }

    private mutating func pathName() throws(DynamoDBError) -> String {
        let token = current
        switch token.kind {
        case .word:
            advance()
            if ReservedWords.contains(token.text) {
                note(
                    .reserved,
                    "Attribute name is a reserved keyword; reserved keyword: \(token.text)")
            }
            return token.text
        case .nameReference:
            advance()
            if let name = placeholders.name(token.text) { return name }
            note(
                .name,
                "An expression attribute name used in the document path is not defined; "
                    + "attribute name: \(token.text)")
            return token.text
        case .valueReference, .digits, .symbol, .stray, .end: throw syntaxError()
        }
    }

    /// The value of `:x`; an undefined one is collected as an error.
    mutating func valueReference() throws(DynamoDBError) -> AttributeValue {
        let token = current
        guard token.kind == .valueReference else { throw syntaxError() }
        advance()
        if let value = placeholders.value(token.text) { return value }
        note(
            .value,
            "An expression attribute value used in expression is not defined; "
                + "attribute value: \(token.text)")
        return .null
    }

    /// Parses the arguments of a function.
    mutating func arguments<Argument>(
        _ argument: (inout ExpressionParser) throws(DynamoDBError) -> Argument
    ) throws(DynamoDBError) -> [Argument] {
        try enter()
        try expect("(")
        var arguments = [try argument(&self)]
        while accept(",") { arguments.append(try argument(&self)) }
        try expect(")")
        leave()
        return arguments
    }

    mutating func noteOperandCount(_ function: String, _ count: Int) {
        note(
            .operandCount,
            "Incorrect number of operands for operator or function; operator or function: "
                + "\(function), number of operands: \(count)")
    }

    mutating func noteOperandType(_ function: String, _ type: String) {
        note(
            .operandType,
            "Incorrect operand type for operator or function; operator or function: "
                + "\(function), operand type: \(type)")
    }

    mutating func noteMisuse(_ function: String) {
        note(
            .misuse,
            "The function is not allowed to be used this way in an expression; "
                + "function: \(function)")
    }

    mutating func noteDocumentPath(_ function: String) {
        note(
            .documentPath,
            "Operator or function requires a document path; operator or function: \(function)")
    }

    static let updateFunctions: Set = ["if_not_exists", "list_append"]

    /// - Parameter isKnownElsewhere: whether the function exists in the other kind of expression.
    mutating func noteUnknownFunction(_ name: String, isKnownElsewhere: Bool) {
        guard isKnownElsewhere else {
            return note(.functionName, "Invalid function name; function: \(name)")
        }
        let place = kind == .update ? "an update expression" : "a condition expression"
        note(.functionName, "The function is not allowed in \(place); function: \(name)")
    }
}
