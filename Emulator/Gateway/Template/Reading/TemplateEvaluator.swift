internal import Bytes
internal import EmulatorBase
internal import JSON

/// Evaluates references and intrinsic functions.
final class TemplateEvaluator {
    static let nestingMax = 64

    let settings: TemplateSettings
    let parameters: TemplateParameters
    let resources: JSONObject
    /// The alias of all functions that have none of their own.
    let globalAlias: JSON?
    let log: WarningLog
    private let mappings: JSONObject
    private let conditions: JSONObject
    private var decided: [TextKey: Bool] = [:]
    private var depth = 0

    init(
        template: JSONObject, settings: TemplateSettings, log: WarningLog
    ) throws(TemplateFailure) {
        func object(_ name: String) throws(TemplateFailure) -> JSONObject {
            guard let value = template[name], !value.isNull else { return [:] }
            guard let object = value.objectValue else {
                throw TemplateFailure(name, .wrongType(expected: "an object"))
            }
            return object
        }
        self.settings = settings
        self.log = log
        mappings = try object("Mappings")
        conditions = try object("Conditions")
        resources = try object("Resources")
        globalAlias = try object("Globals")["Function"]?["AutoPublishAlias"]
        parameters = try TemplateParameters(
            try object("Parameters"), given: settings.parameters, log: log)
    }

    /// nil for `AWS::NoValue`: the member is removed.
    func resolve(_ value: JSON, at path: String) throws(TemplateFailure) -> JSON? {
        guard depth < Self.nestingMax else { throw TemplateFailure(path, .tooDeep) }
        depth += 1
        defer { depth -= 1 }
        switch value {
        case .null, .bool, .number, .string: return value
        case .array(let elements):
            var resolved: [JSON] = []
            for (index, element) in elements.enumerated() {
                guard let element = try resolve(element, at: "\(path)[\(index)]") else { continue }
                resolved.append(element)
            }
            return .array(resolved)
        case .object(let object):
            if object.count == 1, let only = object.members.first,
                only.name.isSame(as: "Ref") || only.name.has(prefix: "Fn::")
            {
                return try call(only.name, only.value, at: "\(path).\(only.name)")
            }
            var resolved: [(String, JSON)] = []
            for member in object.members {
                let value = try resolve(member.value, at: "\(path).\(member.name)")
                guard let value else { continue }
                resolved.append((member.name, value))
            }
            return .object(JSONObject(resolved))
        }
    }

    func text(_ value: JSON, at path: String) throws(TemplateFailure) -> String {
        let warningCount = log.warnings.count
        guard let text = try resolve(value, at: path)?.scalarText else {
            // The reason of a missing value was already reported, such as an import without an
            // export.
            if log.warnings.count > warningCount, let reason = log.warnings.last?.reason {
                throw TemplateFailure(path, .invalid(reason))
            }
            throw TemplateFailure(path, .wrongType(expected: "a string"))
        }
        return text
    }
}

// Conditions.
extension TemplateEvaluator {
    func condition(_ name: String, at path: String) throws(TemplateFailure) -> Bool {
        if let known = decided[TextKey(name)] { return known }
        guard let definition = conditions[name] else {
            throw TemplateFailure(path, .unknownCondition(name))
        }
        guard depth < Self.nestingMax else { throw TemplateFailure(path, .tooDeep) }
        depth += 1
        defer { depth -= 1 }
        let holds = try evaluate(definition, at: "Conditions.\(name)")
        decided[TextKey(name)] = holds
        return holds
    }

    private func evaluate(_ value: JSON, at path: String) throws(TemplateFailure) -> Bool {
        guard depth < Self.nestingMax else { throw TemplateFailure(path, .tooDeep) }
        depth += 1
        defer { depth -= 1 }
        guard let object = value.objectValue, object.count == 1, let only = object.members.first
        else { throw TemplateFailure(path, .wrongType(expected: "a condition")) }
        let path = "\(path).\(only.name)"
        if only.name.isSame(as: "Condition"), let name = only.value.stringValue {
            return try condition(name, at: path)
        }
        guard let operands = only.value.arrayValue else {
            throw TemplateFailure(path, .malformedIntrinsic(only.name))
        }
        switch only.name {
        case "Fn::Equals":
            guard operands.count == 2 else { break }
            return try text(operands[0], at: "\(path)[0]")
                .isSame(as: try text(operands[1], at: "\(path)[1]"))
        case "Fn::Not":
            guard operands.count == 1 else { break }
            return try !evaluate(operands[0], at: "\(path)[0]")
        case "Fn::And", "Fn::Or":
            guard (2...10).contains(operands.count) else { break }
            let isAnd = only.name.isSame(as: "Fn::And")
            var result = isAnd
            for (index, operand) in operands.enumerated() {
                let holds = try evaluate(operand, at: "\(path)[\(index)]")
                result = isAnd ? result && holds : result || holds
            }
            return result
        default: break
        }
        throw TemplateFailure(path, .malformedIntrinsic(only.name))
    }
}

// Functions that look up mappings.
extension TemplateEvaluator {
    func findInMap(_ keys: [String], at path: String) throws(TemplateFailure) -> JSON {
        guard keys.count == 3, let value = mappings[keys[0]]?[keys[1]]?[keys[2]] else {
            throw TemplateFailure(path, .unknownReference(keys.joined(separator: ".")))
        }
        return value
    }
}
