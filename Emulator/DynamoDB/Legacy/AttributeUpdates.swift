internal import JSON

/// `AttributeUpdates`: changes of top-level attributes.
struct AttributeUpdates {
    private enum Action: String {
        case put = "PUT"
        case add = "ADD"
        case delete = "DELETE"
    }

    private let parts: [(attribute: String, action: Action, value: JSON?)]

    init?(_ reader: inout RequestReader) throws(DynamoDBError) {
        guard let object = try reader.object("AttributeUpdates") else { return nil }
        var parts: [(attribute: String, action: Action, value: JSON?)] = []
        for member in object.members {
            var part = reader.part(
                try WireReader.object(member.value), "attributeUpdates.\(member.name).member")
            let word = try part.word("Action", ["ADD", "DELETE", "PUT"])
            parts.append((member.name, word.flatMap(Action.init) ?? .put, part.json("Value")))
            reader.include(part)
        }
        self.parts = parts
    }

    func update() throws(DynamoDBError) -> UpdateExpression {
        var actions: [(path: DocumentPath, action: UpdateExpression.Action)] = []
        for part in parts {
            try WireReader.checkName(part.attribute)
            let path = DocumentPath(root: part.attribute, rest: [])
            actions.append((path, try Self.action(part.action, part.value)))
        }
        return UpdateExpression(actions: actions, isLegacy: true)
    }

    private static func action(_ action: Action, _ json: JSON?) throws(DynamoDBError)
        -> UpdateExpression.Action
    {
        guard let json else {
            guard action == .delete else {
                throw .invalidParameters(
                    "Only DELETE action is allowed when no attribute value is specified")
            }
            return .remove
        }
        let value = try WireReader.value(json)
        switch action {
        case .put: return .set(.value(value))
        case .delete:
            guard value.kind.isSet else {
                throw .invalidParameters(
                    "DELETE action with value is not supported for the type "
                        + value.kind.rawValue)
            }
            return .delete(value)
        case .add:
            guard value.kind == .number || value.kind == .list || value.kind.isSet else {
                throw .invalidParameters(
                    "ADD action is not supported for the type \(value.kind.rawValue)")
            }
            return .add(value)
        }
    }
}
