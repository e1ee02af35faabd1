internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import EmulatorReplay
internal import Synchronization
internal import Time

/// `--record DIR`: records each invocation as a fixture.
final class InvocationRecorder: Sendable {
    private let path: String
    private let addresses: EmulatorAddresses
    private let folder: RecordingFolder
    private let log: LogBuffer
    private let traces: TraceRecorder
    private let functions = Mutex(RecordedFunctions([]))
    private let seen = Mutex(Seen())

    /// The invocations so far.
    private struct Seen {
        struct Writer {
            let number: Int
            let name: String
            let places: UsedPlaces
        }

        var count = 0
        var writers: [Writer] = []
        /// The limit is larger than the number of invocations that a recorder keeps.
        static let writersMax = 5000
    }

    /// nil without `--record`.
    init?(
        _ options: ServeOptions, _ addresses: EmulatorAddresses, _ log: LogBuffer,
        _ traces: TraceRecorder
    ) throws {
        guard let path = options.recordings else { return nil }
        try Files.makeDirectory(path, mode: 0o755)
        self.path = path
        self.addresses = addresses
        let settings = try FixtureSettings(folder: path)
        let recorder = Recorder(
            settings: settings, ownHosts: addresses.ownHosts, clock: .system)
        folder = RecordingFolder(path, recorder, settings)
        self.log = log
        self.traces = traces
    }

    /// Writes the settings that the fixtures need into the folder.
    func prepare(_ stack: DeployedStack) throws {
        try RecordingSettings(stack, addresses).write(to: path)
        functions.withLock { $0 = RecordedFunctions(stack.definitions) }
    }

    /// Forgets the invocations so far, because all state was deleted.
    func restart() {
        seen.withLock { $0.writers = [] }
        folder.restart()
    }

    func observe(
        _ function: String, traceID: String, _ payload: [UInt8], _ result: InvocationResult
    ) {
        let trace = TraceID(amazonHeader: traceID)
        let places = UsedPlaces(traces.calls.filter { $0.trace == trace })
        let folderName = functions.withLock { $0.folder(of: function) }
        let line: String? = seen.withLock { seen in
            seen.count += 1
            let (number, writers) = (seen.count, seen.writers)
            if places.hasWrites, writers.count < Seen.writersMax {
                let name = EarlierWrites.name(function: function, payload: payload)
                seen.writers.append(Seen.Writer(number: number, name: name, places: places))
            }
            guard case .answered(let answer) = result.outcome else { return nil }
            return folder.record(
                function: folderName, event: payload, response: answer, number: number
            ) { fixture in
                let others = writers.filter { writer in
                    !fixture.steps.contains(writer.number)
                        && places.areWritten(by: writer.places)
                }
                return EarlierWrites.note(
                    on: fixture, naming: others.map(\.name),
                    steps: folder.steps(of: fixture, repeating: others.map(\.number)))
            }
        }
        if let line { log.note(line) }
    }
}
