internal import Bytes
internal import EmulatorBreaches
internal import EmulatorFunctions
internal import EmulatorOpenID
internal import EmulatorReplay

/// The functions of a template by the names of their executables, as in fixtures, so that a fixture
/// can be replayed without the template.
struct RecordedFunctions: Sendable {
    private let definitions: [[UInt8]: FunctionConfiguration]

    init(_ definitions: [FunctionConfiguration]) {
        self.definitions = Dictionary(
            definitions.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The folder of the fixtures of a function.
    func folder(of function: String) -> String {
        // A function whose program is a shared interpreter keeps its own name.
        guard let definition = definitions[Array(function.utf8)],
            LanguageRuntime(definition.runtime) == nil
        else { return function }
        let parts = Self.parts(definition)
        return (Self.isPackage(parts) ? parts.dropLast().last : parts.last).map(String.init)
            ?? function
    }

    /// How `emulator replay` runs a function.
    enum Replay {
        /// The executables of this directory.
        case executables(String)
        /// Not possible, because an interpreter runs it.
        case interpreter(String)
    }

    /// nil if the template no longer has the function.
    func replay(of function: String) -> Replay? {
        guard let definition = definitions[Array(function.utf8)] else { return nil }
        guard LanguageRuntime(definition.runtime) == nil else {
            return .interpreter(definition.runtime)
        }
        let parts = Self.parts(definition)
        let directory = parts.dropLast(Self.isPackage(parts) ? 2 : 1).joined(separator: "/")
        let root = definition.command.first?.hasPrefix("/") == true ? "/" : ""
        return .executables(root.isEmpty && directory.isEmpty ? "." : root + directory)
    }

    private static func parts(_ definition: FunctionConfiguration) -> [Substring] {
        (definition.command.first ?? definition.name).split(separator: "/")
    }

    /// `signin/bootstrap`, as in a package for Lambda.
    private static func isPackage(_ parts: [Substring]) -> Bool {
        parts.last?.isSame(as: "bootstrap") == true && parts.count > 1
    }
}

extension RecordingSettings {
    init(_ definitions: [FunctionConfiguration], _ addresses: EmulatorAddresses) {
        self.init(
            environment: definitions.flatMap(\.environment),
            identityURL: addresses.appURL + IdentityService.prefix,
            breachesURL: addresses.appURL + BreachedPasswordRanges.prefix)
    }
}
