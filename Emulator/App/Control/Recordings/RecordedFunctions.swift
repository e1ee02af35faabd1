internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda
internal import EmulatorReplay
internal import EmulatorThirdParties

/// The functions of a template by the names of their executables, as in fixtures.
struct RecordedFunctions: Sendable {
    private let definitions: [[UInt8]: FunctionConfiguration]

    init(_ definitions: [FunctionConfiguration]) {
        self.definitions = Dictionary(
            definitions.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The folder of the fixtures of a function.
    func folder(of function: String) -> String {
        // A function keeps its own name if its program is an interpreter, or is shared with another
        // function.
        guard let definition = definitions[Array(function.utf8)],
            LanguageRuntime(definition.runtime) == nil,
            definitions.values.count(where: { $0.command == definition.command }) == 1
        else { return function }
        let parts = Self.parts(definition)
        return (Self.isPackage(parts) ? parts.dropLast().last : parts.last).map(String.init)
            ?? function
    }

    private static func parts(_ definition: FunctionConfiguration) -> [Substring] {
        (definition.command.first ?? definition.name).split(separator: "/")
    }

    /// `signin/bootstrap`, as in a package for Lambda.
    private static func isPackage(_ parts: [Substring]) -> Bool {
        parts.last?.isSame(as: "bootstrap") == true && parts.count > 1
    }
}

extension ServeOptions {
    /// The arguments with which `emulator replay` runs these functions, in any folder.
    var replayArguments: [String] {
        templates.flatMap { ["--template", Files.absolute($0)] }
            + parameters.flatMap { ["--parameter", "\($0.name)=\($0.value)"] }
            + (executables.map { ["--executables", Files.absolute($0)] } ?? [])
    }
}

extension RecordingSettings {
    init(_ stack: DeployedStack?, _ addresses: EmulatorAddresses) {
        let definitions = stack?.definitions ?? []
        let functions = stack?.loaded.template.functions ?? []
        self.init(
            environment: definitions.flatMap { definition in
                Self.environment(
                    of: definition,
                    in: functions.first { $0.name.text.isSame(as: definition.name) })
            },
            identityURL: addresses.issuerURL + IdentityService.prefix,
            breachesURL: addresses.appURL + BreachedPasswordRanges.prefix,
            hasExecutables: definitions.contains { LanguageRuntime($0.runtime) == nil })
    }

    /// An interpreted function is replayed with its template only, so only variables with other
    /// values than the template's are recorded. Of several with the same name the last counts.
    private static func environment(
        of definition: FunctionConfiguration, in function: FunctionResource?
    ) -> [(name: String, value: String)] {
        let all = definition.environment
        let last = all.indices.filter { index in
            !all[(index + 1)...].contains { $0.name.isSame(as: all[index].name) }
        }.map { all[$0] }
        guard LanguageRuntime(definition.runtime) != nil, let function else { return last }
        return last.filter { own in
            !function.environment.contains { declared in
                declared.name.isSame(as: own.name) && declared.value.isSame(as: own.value)
            }
        }
    }
}
