internal import Bytes
internal import EmulatorBase
internal import JSON

/// The values of a template's parameters: given or default.
struct TemplateParameters {
    private var values: [TextKey: JSON] = [:]

    private static let allowedShownMax = 30

    init(
        _ declared: JSONObject, given: [(name: String, value: String)], log: WarningLog
    ) throws(TemplateFailure) {
        for member in declared.members {
            guard let object = member.value.objectValue else {
                throw TemplateFailure(
                    "Parameters.\(member.name)", .wrongType(expected: "an object"))
            }
            let section = TemplateSection(object, at: "Parameters.\(member.name)", log: log)
            section.ignore("Description", "NoEcho", "ConstraintDescription")
            let type = try section.text("Type") ?? "String"
            let value = given.last { $0.name.isSame(as: member.name) }?.value
            let defaultText = try section.text("Default")
            guard let text = value ?? defaultText else {
                throw TemplateFailure(section.path, .noValue)
            }
            try Self.check(text, against: section)
            values[TextKey(member.name)] = Self.typed(text, type: type, section: section)
            section.finish()
        }
        for (name, _) in given where values[TextKey(name)] == nil {
            log.warn(
                "Parameters.\(name)", "a value was given, but the template has no such parameter")
        }
    }

    subscript(name: String) -> JSON? { values[TextKey(name)] }

    private static func typed(_ text: String, type: String, section: TemplateSection) -> JSON {
        if type.isSame(as: "CommaDelimitedList") || type.has(prefix: "List<") {
            return .array(text.pieces(at: ",").map { .string($0.trimmingBlanks) })
        }
        if type.has(prefix: "AWS::SSM::Parameter::Value") {
            section.log.warn(
                section.path("Type"), "the value is used literally, not as a parameter's name")
        }
        return .string(text)
    }

    private static func check(_ text: String, against section: TemplateSection)
        throws(TemplateFailure)
    {
        func refuse(_ why: String) -> TemplateFailure {
            TemplateFailure(section.path, .valueNotAllowed(why))
        }
        if let allowed = try section.texts("AllowedValues"), !allowed.containsText(text) {
            let shown = allowed.prefix(allowedShownMax).joined(separator: ", ")
            let more = allowed.count > allowedShownMax ? ", …" : ""
            throw refuse("it is not one of AllowedValues, \(shown)\(more)")
        }
        let lengths = 0...Int(Int32.max)
        if let least = try section.integer("MinLength", in: lengths), text.count < least {
            throw refuse("it is shorter than MinLength")
        }
        if let most = try section.integer("MaxLength", in: lengths), text.count > most {
            throw refuse("it is longer than MaxLength")
        }
        if let least = try section.number("MinValue"), Double(text).map({ $0 < least }) ?? true {
            throw refuse("it is less than MinValue")
        }
        if let most = try section.number("MaxValue"), Double(text).map({ $0 > most }) ?? true {
            throw refuse("it is more than MaxValue")
        }
        guard let pattern = try section.text("AllowedPattern") else { return }
        guard let regex = try? Regex(pattern) else {
            section.unsupported("AllowedPattern", "the emulator cannot read this pattern")
            return
        }
        let match = try? regex.wholeMatch(in: text)
        guard match != nil else { throw refuse("it does not match AllowedPattern") }
    }
}
