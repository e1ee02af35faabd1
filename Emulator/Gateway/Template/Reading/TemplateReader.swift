internal import Bytes
internal import EmulatorBase
internal import JSON

extension Template {
    /// Reads a SAM template in JSON or YAML.
    package init(
        parsing bytes: [UInt8], settings: TemplateSettings = TemplateSettings()
    ) throws(TemplateFailure) {
        try self.init(try TemplateDocument(bytes), settings: settings)
    }

    /// Warnings and errors have their positions in the text.
    package init(
        _ document: TemplateDocument, settings: TemplateSettings
    ) throws(TemplateFailure) {
        do throws(TemplateFailure) {
            self = try TemplateReader(document.object, settings: settings).read()
        } catch {
            throw TemplateFailure(error.path, error.problem, place: document.places[error.path])
        }
        if !warnings.isEmpty {
            let places = document.places
            for index in warnings.indices { warnings[index].place = places[warnings[index].path] }
        }
        warnings = document.warnings + warnings
        // Warnings about `Globals` are reported once, and not again for each function.
        var said: Set<String> = []
        warnings.removeAll { warning in
            guard let place = warning.place else { return false }
            // The message does not contain the resource, because several properties may have the
            // position of their enclosing part.
            let property = warning.path.pieces(at: ".").dropFirst(2).joined(separator: ".")
            return !said.insert("\(place) \(property) \(warning.reason)").inserted
        }
    }
}

/// Reads the resources; each kind has its own file.
final class TemplateReader {
    let document: JSONObject
    let log = WarningLog()
    let evaluator: TemplateEvaluator
    let globals: JSONObject
    var template = Template()
    /// The defaults by the API's logical ID.
    var defaults: [String: RouteDefaults] = [:]
    /// The integrations by the value of `Ref`.
    var integrations: [String: PlainIntegration] = [:]

    private static let sections = [
        "AWSTemplateFormatVersion", "Transform", "Description", "Metadata", "Parameters",
        "Mappings", "Conditions", "Globals", "Resources", "Outputs", "Rules",
    ]

    init(_ document: JSONObject, settings: TemplateSettings) throws(TemplateFailure) {
        // This is checked before references are resolved, because without resources all of them
        // would be wrong.
        guard document["Resources"] != nil else {
            let names = document.members.map(\.name).filter { !Self.sections.containsText($0) }
            guard let name = NearestName.find("Resources", among: names) else {
                throw TemplateFailure("Resources", .missing)
            }
            throw TemplateFailure(
                name, .invalid("a template has no such section; did you mean Resources?"))
        }
        self.document = document
        evaluator = try TemplateEvaluator(template: document, settings: settings, log: log)
        globals =
            try evaluator.resolve(document["Globals"] ?? [:], at: "Globals")?.objectValue ?? [:]
    }

    var settings: TemplateSettings { evaluator.settings }

    func read() throws(TemplateFailure) -> Template {
        guard let declared = document["Resources"]?.objectValue, !declared.isEmpty else {
            throw TemplateFailure("Resources", .missing)
        }
        let top = TemplateSection(document, at: "", log: log)
        for name in Self.sections { top.ignore(name) }
        top.finish()
        warnOfGlobals()
        let resources = try present(declared)
        // APIs before functions, which add routes to them; roles before the policies attached to
        // them.
        for phase in ResourceType.phases {
            for resource in resources {
                guard let type = ResourceType(name: resource.type), type.phase == phase else {
                    continue
                }
                try read(resource, as: type)
            }
        }
        for resource in resources { warnIfUnknown(resource) }
        try readOutputs()
        try checkAuthorizers()
        template.warnings = log.warnings
        return template
    }

    /// Types that do not affect any request.
    private static let inertTypes = [
        "AWS::Logs::LogGroup", "AWS::Lambda::Permission", "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard", "AWS::ApiGatewayV2::DomainName",
        "AWS::ApiGatewayV2::ApiMapping",
        "AWS::CloudFormation::WaitConditionHandle", "AWS::CDK::Metadata",
    ]

    private func warnIfUnknown(_ resource: TemplateResource) {
        guard ResourceType(name: resource.type) == nil, !Self.inertTypes.containsText(resource.type)
        else { return }
        let hint = NearestName.hint(resource.type, among: ResourceType.allCases.map(\.rawValue))
        log.warn(resource.path, "\(resource.type) is not supported by the emulator\(hint)")
    }

    private func warnOfGlobals() {
        for member in globals.members
        where !["Function", "HttpApi", "Api", "SimpleTable"].containsText(member.name) {
            log.warn("Globals.\(member.name)", "this section is not supported")
        }
    }

    private func readOutputs() throws(TemplateFailure) {
        for member in document["Outputs"]?.objectValue?.members ?? [] {
            let path = "Outputs.\(member.name)"
            if let name = member.value["Condition"]?.stringValue,
                try !evaluator.condition(name, at: "\(path).Condition")
            {
                continue
            }
            guard let value = member.value["Value"] else {
                throw TemplateFailure("\(path).Value", .missing)
            }
            let warningCount = log.warnings.count
            guard let resolved = try evaluator.resolve(value, at: "\(path).Value"),
                let text = resolved.scalarText
            else {
                // The route needs an unsupported feature, which was already reported.
                guard log.warnings.count == warningCount else { continue }
                throw TemplateFailure("\(path).Value", .wrongType(expected: "a string"))
            }
            template.outputs.append((member.name, text))
            guard let export = member.value["Export"]?["Name"] else { continue }
            let name = try evaluator.text(export, at: "\(path).Export.Name")
            template.exports.append(
                ExportedOutput(name: name, value: text, output: member.name))
        }
    }
}
