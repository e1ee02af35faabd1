internal import Bytes
internal import EmulatorBase
internal import JSON

// The intrinsic functions of CloudFormation.
extension TemplateEvaluator {
    func call(
        _ name: String, _ argument: JSON, at path: String
    ) throws(TemplateFailure) -> JSON? {
        let malformed = TemplateFailure(path, .malformedIntrinsic(name))
        switch name {
        case "Ref":
            guard let target = argument.stringValue else { throw malformed }
            return try reference(target, at: path)
        case "Fn::GetAtt": return try .string(getAttribute(argument, at: path))
        case "Fn::Sub": return try .string(substitute(argument, at: path))
        case "Fn::If":
            guard let parts = argument.arrayValue, parts.count == 3,
                let condition = parts[0].stringValue
            else { throw malformed }
            let index = try self.condition(condition, at: path) ? 1 : 2
            return try resolve(parts[index], at: "\(path)[\(index)]")
        case "Fn::Join":
            guard let parts = argument.arrayValue, parts.count == 2,
                let separator = parts[0].stringValue,
                let list = try resolve(parts[1], at: "\(path)[1]")?.arrayValue
            else { throw malformed }
            let texts = list.compactMap(\.scalarText)
            guard texts.count == list.count else { throw malformed }
            return .string(texts.joined(separator: separator))
        case "Fn::Split":
            guard let parts = argument.arrayValue, parts.count == 2,
                let separator = parts[0].stringValue, !separator.isEmpty
            else { throw malformed }
            let text = try text(parts[1], at: "\(path)[1]")
            return .array(text.pieces(between: separator).map { .string($0) })
        case "Fn::Select":
            guard let parts = argument.arrayValue, parts.count == 2,
                let index = Int(try text(parts[0], at: "\(path)[0]")),
                let list = try resolve(parts[1], at: "\(path)[1]")?.arrayValue,
                list.indices.contains(index)
            else { throw malformed }
            return list[index]
        case "Fn::FindInMap":
            guard let parts = argument.arrayValue, parts.count == 3 else { throw malformed }
            var keys: [String] = []
            for (index, part) in parts.enumerated() {
                keys.append(try text(part, at: "\(path)[\(index)]"))
            }
            return try findInMap(keys, at: path)
        case "Fn::Base64":
            return .string(Base64.encode(Array(try text(argument, at: path).utf8)))
        case "Fn::GetAZs":
            return .array(["a", "b", "c"].map { .string(settings.region + $0) })
        case "Fn::Length":
            guard let list = try resolve(argument, at: path)?.arrayValue else { throw malformed }
            return .number(list.count)
        case "Fn::ImportValue": return try imported(argument, at: path)
        case "Fn::ToJsonString":
            return .string((try resolve(argument, at: path) ?? .null).text)
        default:
            log.warn(path, "this intrinsic function is not supported; the value is omitted")
            return nil
        }
    }

    /// nil if no earlier stack exports the name.
    private func imported(_ argument: JSON, at path: String) throws(TemplateFailure) -> JSON? {
        let name = try text(argument, at: path)
        guard let export = settings.earlier.exports.first(where: { $0.name.isSame(as: name) })
        else {
            log.warn(path, "no template before this one exports \(name)")
            return nil
        }
        return .string(export.value)
    }

    /// nil for `AWS::NoValue`.
    private func reference(_ name: String, at path: String) throws(TemplateFailure) -> JSON? {
        if name.isSame(as: "AWS::NoValue") { return nil }
        if let value = pseudoParameter(name) ?? parameters[name] { return value }
        if resources[name] == nil, let generated = try generated(name, at: path) {
            return .string(generated)
        }
        return .string(try physicalID(of: name, at: path))
    }

    private func pseudoParameter(_ name: String) -> JSON? {
        switch name {
        case "AWS::AccountId": .string(settings.accountID)
        case "AWS::Region": .string(settings.region)
        case "AWS::StackName": .string(settings.stackName)
        case "AWS::StackId":
            .string(
                arn("cloudformation", "stack/\(settings.stackName)/00000000-0000-0000-0000-0"))
        case "AWS::Partition": "aws"
        case "AWS::URLSuffix": "amazonaws.com"
        case "AWS::NotificationARNs": []
        default: nil
        }
    }

    private func getAttribute(_ argument: JSON, at path: String) throws(TemplateFailure) -> String {
        if let text = argument.stringValue {
            let (resource, attribute) = text.halves(at: ".")
            guard let attribute else { throw TemplateFailure(path, .malformedIntrinsic("GetAtt")) }
            return try self.attribute(attribute, of: resource, at: path)
        }
        guard let parts = argument.arrayValue, parts.count == 2,
            let resource = parts[0].stringValue
        else { throw TemplateFailure(path, .malformedIntrinsic("Fn::GetAtt")) }
        return try attribute(try text(parts[1], at: "\(path)[1]"), of: resource, at: path)
    }

    private func substitute(_ argument: JSON, at path: String) throws(TemplateFailure) -> String {
        if let text = argument.stringValue { return try substitute(text, [:], at: path) }
        guard let parts = argument.arrayValue, parts.count == 2, let text = parts[0].stringValue,
            let variables = parts[1].objectValue
        else { throw TemplateFailure(path, .malformedIntrinsic("Fn::Sub")) }
        return try substitute(text, variables, at: path)
    }

    /// `${Name}`, `${Resource.Attribute}`, and `${!Literal}` for `${Literal}`.
    private func substitute(
        _ text: String, _ variables: JSONObject, at path: String
    ) throws(TemplateFailure) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{") else {
                result.append(byte)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                throw TemplateFailure(path, .malformedIntrinsic("Fn::Sub"))
            }
            let name = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            if name.has(prefix: "!") {
                result += "${\(name.dropping(prefix: "!"))}".utf8
            } else {
                result += try value(ofVariable: name, variables, at: path).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func value(
        ofVariable name: String, _ variables: JSONObject, at path: String
    ) throws(TemplateFailure) -> String {
        let name = name.trimmingBlanks
        if let value = variables[name] { return try text(value, at: path) }
        if name.halves(at: ".").second != nil {
            if let generated = try generated(name, at: path) { return generated }
            return try getAttribute(.string(name), at: path)
        }
        guard let text = try reference(name, at: path)?.scalarText else {
            throw TemplateFailure(path, .wrongType(expected: "a string, in ${\(name)}"))
        }
        return text
    }
}

extension String {
    /// Splits at a separator of any length.
    fileprivate func pieces(between separator: String) -> [String] {
        let mark = Array(separator.utf8)
        var pieces: [[UInt8]] = [[]]
        var rest = Array(utf8)[...]
        while !rest.isEmpty {
            if rest.starts(with: mark) {
                rest = rest.dropFirst(mark.count)
                pieces.append([])
            } else if let byte = rest.popFirst() {
                pieces[pieces.count - 1].append(byte)
            }
        }
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }
}
