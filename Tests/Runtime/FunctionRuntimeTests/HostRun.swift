/// One run of a `FunctionHost` with its streams in memory.
final class HostRun: Sendable {
    private let input: [UInt8]
    private let environment: Environment
    private let readFailure: StandardStreams.ReadFailure?
    private let isTerminal: Bool
    private let commands: CommandHelp?
    private let state = Mutex(State())

    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var requests: [Request] = []
        var pauses: [Int64] = []
        var traceIDs: [String?] = []
        var steps: [String] = []
    }

    init(
        input: [UInt8] = [], variables: [(String, String)] = [],
        readFailure: StandardStreams.ReadFailure? = nil, isTerminal: Bool = false,
        commands: CommandHelp? = nil
    ) {
        self.input = input
        environment = Environment(variables.map { (name: $0.0, value: $0.1) })
        self.readFailure = readFailure
        self.isTerminal = isTerminal
        self.commands = commands
    }

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }
    var requests: [Request] { state.withLock { $0.requests } }
    var pauses: [Int64] { state.withLock { $0.pauses } }
    var traceIDs: [String?] { state.withLock { $0.traceIDs } }
    /// The operations on the output and those after it, in order.
    var steps: [String] { state.withLock { $0.steps } }
    func note(_ step: String) { state.withLock { $0.steps.append(step) } }
    var outputDocument: JSON? { try? JSON.parse(output, limits: .event) }

    /// Returns the request; a request with a defect is a 400.
    var echo: Handler {
        .request { [self] request in
            state.withLock { $0.requests.append(request) }
            let body: JSON = ["method": .string(request.method), "path": .string(request.path)]
            return Reply(status: request.defect == nil ? 200 : 400, body: body)
        }
    }

    func host(
        arguments: [String] = [], handler: Handler? = nil, transport: HTTPTransport? = nil
    ) -> Int32 {
        host(arguments: arguments, transport: transport) { _, _ throws(StartFailure) in
            handler ?? echo
        }
    }

    func host(
        arguments: [String] = [], transport: HTTPTransport? = nil,
        start: FunctionHost.Start
    ) -> Int32 {
        let streams = StandardStreams(
            readInput: { [self] _ throws(StandardStreams.ReadFailure) in
                if let readFailure { throw readFailure }
                return input
            },
            writeOutput: { [self] bytes in
                state.withLock { $0.output += bytes }
                note("output")
                return true
            },
            closeOutput: { [self] in note("close") },
            writeError: { [self] bytes in state.withLock { $0.errors += bytes } },
            inputIsTerminal: { [self] in isTerminal },
            errorIsTerminal: { [self] in isTerminal })
        let host = FunctionHost(
            name: "signin", summary: "Signs in.", version: "1.2.3", environment: environment,
            streams: streams, newRequestID: { "new-id" },
            sleep: { [self] span in state.withLock { $0.pauses.append(span.milliseconds) } },
            setTraceID: { [self] trace in state.withLock { $0.traceIDs.append(trace) } },
            commands: commands)
        let unused = HTTPTransport { _ throws(HTTPFailure) in throw .invalidURL }
        return host.run(arguments, transport: { transport ?? unused }, start: start)
    }
}
