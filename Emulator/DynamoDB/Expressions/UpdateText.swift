package import JSON

/// An update expression outside a request.
package struct UpdateText {
    private let update: UpdateExpression

    package init(
        parsing text: String, names: JSONObject?, values: JSONObject?
    ) throws(DynamoDBError) {
        var placeholders = try Placeholders(names: names, values: values)
        update = try .parse(text, &placeholders)
    }

    /// The item after the update, both in DynamoDB's JSON.
    package func applied(to item: JSON) throws(DynamoDBError) -> JSON {
        let item = try WireReader.map(item)
        return AttributeValue.map(try update.applied(to: item, base: item)).json
    }

    package var written: ExpressionText {
        var text = ExpressionText()
        var clause = ""
        for (path, action) in update.actions {
            text.add(action.clause == clause ? ", " : clause.isEmpty ? "" : " ")
            if action.clause != clause { text.add("\(action.clause) ") }
            clause = action.clause
            text.add(path)
            switch action {
            case .set(let value):
                text.add(" = ")
                text.add(value)
            case .remove: break
            case .add(let value), .delete(let value):
                text.add(" ")
                text.add(value: value)
            }
        }
        return text
    }
}

extension UpdateExpression.Action {
    fileprivate var clause: String {
        switch self {
        case .set: "SET"
        case .remove: "REMOVE"
        case .add: "ADD"
        case .delete: "DELETE"
        }
    }
}

extension ExpressionText {
    fileprivate mutating func add(_ value: UpdateValue) {
        switch value {
        case .path(let path): add(path)
        case .value(let value): add(value: value)
        case .ifNotExists(let path, let fallback):
            add(function: "if_not_exists", [.path(path), fallback]) { $0.add(term: $1) }
        case .listAppend(let first, let second):
            add(function: "list_append", [first, second]) { $0.add(term: $1) }
        case .plus(let left, let right): addSum(left, "+", right)
        case .minus(let left, let right): addSum(left, "-", right)
        }
    }

    private mutating func addSum(_ left: UpdateValue, _ sign: String, _ right: UpdateValue) {
        add(term: left)
        add(" \(sign) ")
        add(term: right)
    }

    private mutating func add(term value: UpdateValue) {
        switch value {
        case .plus, .minus:
            add("(")
            add(value)
            add(")")
        case .path, .value, .ifNotExists, .listAppend: add(value)
        }
    }
}
