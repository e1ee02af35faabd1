internal import JSON

extension PolicyDocument {
    package static let bytesMax = 20 << 10
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 16, membersMax: 512)

    package init(parsing text: String, as kind: Kind) throws(PolicyFailure) {
        let json: JSON
        do throws(JSONFailure) {
            json = try JSON.parse(text, limits: Self.limits)
        } catch {
            throw .notJSON
        }
        guard let document = json.objectValue else { throw .syntax }
        for member in document.members {
            guard ["Version", "Id", "Statement"].contains(member.name) else { throw .syntax }
        }
        let reader = StatementReader(kind: kind, hasVariables: try Self.hasVariables(document))
        var statements: [PolicyStatement] = []
        for value in document["Statement"].map(listed) ?? [] {
            guard let object = value.objectValue else { throw .syntax }
            let statement = try reader.statement(object)
            if let id = statement.id, statements.contains(where: { $0.id == id }) {
                throw .duplicateStatementID(id)
            }
            statements.append(statement)
        }
        guard !statements.isEmpty else { throw .noStatement }
        self.init(statements: statements)
    }

    // Version 2008-10-17, which is also the default, has no variables.
    private static func hasVariables(_ document: JSONObject) throws(PolicyFailure) -> Bool {
        guard let version = document["Version"] else { return false }
        switch version.stringValue {
        case "2012-10-17": return true
        case "2008-10-17": return false
        default: throw .version
        }
    }
}

/// A single value is allowed wherever a policy has a list.
private func listed(_ value: JSON) -> [JSON] { value.arrayValue ?? [value] }

private struct StatementReader {
    let kind: PolicyDocument.Kind
    let hasVariables: Bool

    private static let fields = [
        "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource",
        "NotResource", "Condition",
    ]

    func statement(_ object: JSONObject) throws(PolicyFailure) -> PolicyStatement {
        for member in object.members {
            guard Self.fields.contains(member.name) else { throw .syntax }
        }
        let id = object["Sid"]
        guard id == nil || id?.stringValue != nil else { throw .syntax }
        let effect: PolicyStatement.Effect
        switch object["Effect"]?.stringValue {
        case "Allow": effect = .allow
        case "Deny": effect = .deny
        default: throw object["Effect"] == nil ? .missingField("Effect") : .syntax
        }
        return PolicyStatement(
            id: id?.stringValue, effect: effect, principals: try principals(object),
            actions: try actions(object), resources: try resources(object),
            conditions: try conditions(object["Condition"]))
    }

    private func principals(_ object: JSONObject) throws(PolicyFailure) -> PrincipalChoice? {
        for name in ["Principal", "NotPrincipal"] where kind == .identity && object[name] != nil {
            throw .prohibitedField(name)
        }
        switch (object["Principal"], object["NotPrincipal"]) {
        case (let value?, nil): return .among(try principals(value))
        case (nil, let value?): return .except(try principals(value))
        case (nil, nil):
            guard kind == .identity else { throw .missingField("Principal") }
            return nil
        case (.some, .some): throw .syntax
        }
    }

    private func principals(_ value: JSON) throws(PolicyFailure) -> [PolicyPrincipal] {
        if let text = value.stringValue {
            guard text == "*" else { throw .invalidPrincipal }
            return [.everyone]
        }
        guard let object = value.objectValue, !object.isEmpty else { throw .invalidPrincipal }
        var principals: [PolicyPrincipal] = []
        for member in object.members {
            for name in listed(member.value) {
                guard let name = name.stringValue,
                    let principal = PolicyPrincipal(kind: member.name, name: name)
                else { throw .invalidPrincipal }
                principals.append(principal)
            }
        }
        return principals
    }

    private func actions(_ object: JSONObject) throws(PolicyFailure) -> PolicyStatement.Choice {
        let choice = try choice(object, "Action") { text throws(PolicyFailure) in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard text == "*" || (parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty) else {
                throw .unprefixedAction
            }
            // Actions have no variables and are case-insensitive.
            return PolicyPattern(text.lowercased(), hasVariables: false)
        }
        guard let choice else { throw .noAction }
        return choice
    }

    private func resources(_ object: JSONObject) throws(PolicyFailure) -> PolicyStatement.Choice? {
        for name in ["Resource", "NotResource"] where kind == .trust && object[name] != nil {
            throw .prohibitedField(name)
        }
        let choice = try choice(object, "Resource") { text throws(PolicyFailure) in
            guard text == "*" || text.hasPrefix("arn:") else { throw .resourceNotARN(text) }
            return PolicyPattern(text, hasVariables: hasVariables)
        }
        guard choice != nil || kind == .trust else { throw .noResource }
        return choice
    }

    private func choice(
        _ object: JSONObject, _ name: String,
        _ read: (String) throws(PolicyFailure) -> PolicyPattern
    ) throws(PolicyFailure) -> PolicyStatement.Choice? {
        func patterns(_ value: JSON) throws(PolicyFailure) -> [PolicyPattern] {
            var patterns: [PolicyPattern] = []
            for entry in listed(value) {
                guard let text = entry.stringValue else { throw .syntax }
                patterns.append(try read(text))
            }
            return patterns
        }
        switch (object[name], object["Not\(name)"]) {
        case (let value?, nil):
            let read = try patterns(value)
            return read.isEmpty ? nil : .among(read)
        case (nil, let value?):
            let read = try patterns(value)
            return read.isEmpty ? nil : .except(read)
        case (nil, nil): return nil
        case (.some, .some): throw .syntax
        }
    }

    private func conditions(_ value: JSON?) throws(PolicyFailure) -> [PolicyCondition] {
        guard let value else { return [] }
        guard let operators = value.objectValue else { throw .syntax }
        var conditions: [PolicyCondition] = []
        for (name, keys) in operators.members {
            guard let operation = ConditionOperator(name), let keys = keys.objectValue else {
                throw .syntax
            }
            for (key, values) in keys.members {
                guard key.utf8.contains(UInt8(ascii: ":")) else { throw .unprefixedAction }
                var wanted: [PolicyPattern] = []
                for value in listed(values) {
                    guard let text = Self.scalar(value) else { throw .syntax }
                    wanted.append(PolicyPattern(text, hasVariables: hasVariables))
                }
                conditions.append(
                    PolicyCondition(operation: operation, key: ContextKey(key), wanted: wanted))
            }
        }
        return conditions
    }

    /// Numbers and booleans may be written without quotes.
    private static func scalar(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let bool): bool ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
