internal import Bytes
internal import EmulatorBreaches
internal import EmulatorOpenID
internal import EmulatorReplay
internal import EmulatorFiles
internal import EmulatorFunctions
internal import Synchronization
internal import Time

/// `--record DIR`: records each invocation as a fixture.
final class InvocationRecorder: Sendable {
    private let path: String
    private let addresses: EmulatorAddresses
    private let folder: RecordingFolder
    private let log: LogBuffer
    /// The fixture directory names, by the functions' names in the template.
    private let names: Mutex<[[UInt8]: String]> = Mutex([:])

    /// nil without `--record`.
    init?(_ options: ServeOptions, _ addresses: EmulatorAddresses, _ log: LogBuffer) throws {
        guard let path = options.recordings else { return nil }
        try Files.makeDirectory(path, mode: 0o755)
        self.path = path
        self.addresses = addresses
        folder = RecordingFolder(
            path,
            Recorder(world: try FixtureSettings(folder: path), clock: .system))
        self.log = log
    }

    /// The folder gets the settings that its fixtures need. Fixtures are named by executables, so
    /// that they can be replayed without the template.
    func prepare(_ definitions: [FunctionConfiguration]) throws {
        try RecordingSettings(
            environment: definitions.flatMap(\.environment),
            identityURL: addresses.appURL + IdentityService.prefix,
            breachesURL: addresses.appURL + BreachedPasswordRanges.prefix
        ).write(to: path)
        let pairs = definitions.map { definition in
            // One whose interpreter is the same for many has its own name.
            guard LanguageRuntime(definition.runtime) == nil else {
                return (Array(definition.name.utf8), definition.name)
            }
            let parts = (definition.command.first ?? definition.name).split(separator: "/")
            let file = parts.last.map(String.init) ?? definition.name
            let name = file == "bootstrap" ? parts.dropLast().last.map(String.init) : file
            return (Array(definition.name.utf8), name ?? definition.name)
        }
        names.withLock { $0 = Dictionary(pairs, uniquingKeysWith: { first, _ in first }) }
    }

    func observe(_ function: String, _ payload: [UInt8], _ result: InvocationResult) {
        guard case .answered(let answer) = result.outcome else { return }
        let name = names.withLock { $0[Array(function.utf8)] } ?? function
        log.note(folder.record(function: name, event: payload, response: answer))
    }
}
