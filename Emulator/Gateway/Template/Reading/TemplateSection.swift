internal import Bytes
internal import EmulatorBase
internal import JSON

/// Collects the warnings of one template.
final class WarningLog {
    private(set) var warnings: [TemplateWarning] = []

    func warn(_ path: String, _ reason: String) { warnings.append(TemplateWarning(path, reason)) }

    /// AWS refuses the template, but the emulator does not.
    func refuse(_ path: String, _ reason: String) {
        warnings.append(TemplateWarning(path, reason, isRefused: true))
    }
}

/// An object of a resolved template. It records which members were read, so that unsupported ones
/// are reported.
final class TemplateSection {
    let path: String
    let object: JSONObject
    let log: WarningLog
    private var read: Set<TextKey> = []

    init(_ object: JSONObject, at path: String, log: WarningLog) {
        self.object = object
        self.path = path
        self.log = log
    }

    func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The member; nil if absent or null.
    func json(_ name: String) -> JSON? {
        read.insert(TextKey(name))
        return object[name].flatMap { $0.isNull ? nil : $0 }
    }

    func text(_ name: String) throws(TemplateFailure) -> String? {
        guard let value = json(name) else { return nil }
        guard let text = value.scalarText else { throw wrong(name, "a string") }
        return text
    }

    func requiredText(_ name: String) throws(TemplateFailure) -> String {
        guard let text = try text(name) else { throw TemplateFailure(path(name), .missing) }
        return text
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(TemplateFailure) -> Int? {
        guard let value = json(name) else { return nil }
        guard let integer = value.scalarText.flatMap({ Int($0) }), range.contains(integer) else {
            throw wrong(name, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A number, possibly with a fraction: a rate per second.
    func number(_ name: String) throws(TemplateFailure) -> Double? {
        guard let value = json(name) else { return nil }
        guard let number = value.scalarText.flatMap({ Double($0) }), number.isFinite, number >= 0
        else { throw wrong(name, "a number") }
        return number
    }

    func flag(_ name: String) throws(TemplateFailure) -> Bool? {
        guard let value = json(name) else { return nil }
        switch value.scalarText {
        case "true": return true
        case "false": return false
        default: throw wrong(name, "true or false")
        }
    }

    func list(_ name: String) throws(TemplateFailure) -> [JSON]? {
        guard let value = json(name) else { return nil }
        guard let list = value.arrayValue else { throw wrong(name, "a list") }
        return list
    }

    /// A list of strings; a single string counts as a list of one.
    func texts(_ name: String) throws(TemplateFailure) -> [String]? {
        guard let value = json(name) else { return nil }
        if let text = value.scalarText { return [text] }
        let texts = value.arrayValue?.map(\.scalarText)
        guard let texts, !texts.contains(nil) else { throw wrong(name, "a list of strings") }
        return texts.compactMap { $0 }
    }

    func section(_ name: String) throws(TemplateFailure) -> TemplateSection? {
        guard let value = json(name) else { return nil }
        guard let object = value.objectValue else { throw wrong(name, "an object") }
        return TemplateSection(object, at: path(name), log: log)
    }

    /// The members of an object with user-defined names.
    func sections(_ name: String) throws(TemplateFailure) -> [(
        name: String, section: TemplateSection
    )] {
        guard let parent = try section(name) else { return [] }
        var children: [(name: String, section: TemplateSection)] = []
        for member in parent.object.members {
            guard let child = try parent.section(member.name) else { continue }
            children.append((member.name, child))
        }
        return children
    }

    /// A map of strings, such as environment or stage variables.
    func textMap(_ name: String) throws(TemplateFailure) -> [(name: String, value: String)] {
        guard let parent = try section(name) else { return [] }
        var map: [(name: String, value: String)] = []
        for member in parent.object.members {
            guard let text = try parent.text(member.name) else { continue }
            map.append((member.name, text))
        }
        return map
    }

    /// Marks properties that do not affect any request as read.
    func ignore(_ names: String...) { for name in names { read.insert(TextKey(name)) } }

    func ignoreAll() { for member in object.members { read.insert(TextKey(member.name)) } }

    /// Warns about a property that the emulator does not support.
    func unsupported(_ name: String, _ reason: String) {
        guard json(name) != nil else { return }
        log.warn(path(name), reason)
    }

    /// Warns about a property with this value; other values have no effect.
    func unsupported(_ name: String, is value: JSON, _ reason: String) {
        guard json(name) == value else { return }
        log.warn(path(name), reason)
    }

    /// Warns about every member that was not read.
    func finish() {
        let absent = read.filter { object[$0.text] == nil }.map(\.text).sorted()
        for member in object.members where !read.contains(TextKey(member.name)) {
            let hint = NearestName.hint(member.name, among: absent)
            log.warn(path(member.name), "the emulator does not know this property\(hint)")
        }
    }

    func wrong(_ name: String, _ expected: String) -> TemplateFailure {
        TemplateFailure(path(name), .wrongType(expected: expected))
    }
}

extension JSON {
    /// CloudFormation accepts `"10"`, `10` and `true` as text.
    package var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
