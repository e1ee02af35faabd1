internal import EmulatorBase
internal import EmulatorFunctions
internal import EmulatorReplay
internal import Synchronization
internal import Time

/// `--record DIR`: records each invocation as a fixture.
final class InvocationRecorder: Sendable {
    private let path: String
    private let addresses: EmulatorAddresses
    private let folder: RecordingFolder
    private let log: LogBuffer
    private let functions = Mutex(RecordedFunctions([]))

    /// nil without `--record`.
    init?(_ options: ServeOptions, _ addresses: EmulatorAddresses, _ log: LogBuffer) throws {
        guard let path = options.recordings else { return nil }
        try Files.makeDirectory(path, mode: 0o755)
        self.path = path
        self.addresses = addresses
        let settings = try FixtureSettings(folder: path)
        let recorder = Recorder(
            settings: settings, ownHosts: addresses.ownHosts, clock: .system)
        folder = RecordingFolder(path, recorder, settings)
        self.log = log
    }

    /// Writes the settings that the fixtures need into the folder.
    func prepare(_ definitions: [FunctionConfiguration]) throws {
        try RecordingSettings(definitions, addresses).write(to: path)
        functions.withLock { $0 = RecordedFunctions(definitions) }
    }

    func observe(_ function: String, _ payload: [UInt8], _ result: InvocationResult) {
        guard case .answered(let answer) = result.outcome else { return }
        let name = functions.withLock { $0.folder(of: function) }
        log.note(folder.record(function: name, event: payload, response: answer))
    }
}
