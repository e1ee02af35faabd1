internal import Bytes
internal import EmulatorBase
internal import JSON

/// The policy that a Lambda authorizer returns, evaluated for `execute-api:Invoke`.
struct InvokePolicy: Sendable {
    enum Decision: Sendable, Equatable { case allowed, denied, explicitlyDenied }

    private struct Statement: Sendable {
        let allows: Bool
        let actions: [String]
        let hasNotAction: Bool
        let resources: [String]
        let hasNotResource: Bool
        /// Conditions are not supported: an Allow statement with a condition allows nothing.
        let isConditional: Bool
    }

    private static let statementsMax = 1000
    private let statements: [Statement]

    /// nil if the document is not a policy.
    init?(_ document: JSON) {
        guard let value = document["Statement"] else { return nil }
        let list = value.arrayValue ?? [value]
        guard list.count <= Self.statementsMax else { return nil }
        var statements: [Statement] = []
        for value in list {
            guard let object = value.objectValue, let effect = object["Effect"]?.stringValue,
                effect.isSame(as: "Allow") || effect.isSame(as: "Deny"),
                let actions = Self.texts(object["Action"] ?? object["NotAction"]),
                let resources = Self.texts(object["Resource"] ?? object["NotResource"])
            else { return nil }
            statements.append(
                Statement(
                    allows: effect.isSame(as: "Allow"), actions: actions,
                    hasNotAction: object["Action"] == nil, resources: resources,
                    hasNotResource: object["Resource"] == nil,
                    isConditional: !(object["Condition"]?.objectValue?.isEmpty ?? true)))
        }
        self.statements = statements
    }

    private static func texts(_ value: JSON?) -> [String]? {
        guard let value else { return nil }
        if let text = value.stringValue { return [text] }
        guard let list = value.arrayValue else { return nil }
        let texts = list.compactMap(\.stringValue)
        return texts.count == list.count ? texts : nil
    }

    func decision(on resource: String) -> Decision {
        var decision = Decision.denied
        for statement in statements where Self.concerns(statement, resource) {
            guard statement.allows else { return .explicitlyDenied }
            if !statement.isConditional { decision = .allowed }
        }
        return decision
    }

    private static func concerns(_ statement: Statement, _ resource: String) -> Bool {
        // Actions are case-insensitive (IAM JSON policy reference, "Action").
        let isAction = statement.actions.contains {
            Wildcard.matches($0.asciiLowercased, "execute-api:invoke", hasAnyOne: true)
        }
        let isResource = statement.resources.contains {
            Wildcard.matches($0, resource, hasAnyOne: true)
        }
        return isAction != statement.hasNotAction && isResource != statement.hasNotResource
    }
}
