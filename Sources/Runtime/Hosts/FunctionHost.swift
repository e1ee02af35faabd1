internal import Bytes
package import HTTP
internal import HTTPServer
internal import JSON
package import Time

/// The implementation of `FunctionMain` with its inputs and outputs as arguments, for tests.
package struct FunctionHost: Sendable {
    private let name: String
    private let summary: String
    private let version: String
    private let environment: Environment
    private let streams: StandardStreams
    private let newRequestID: @Sendable () -> String
    private let sleep: @Sendable (Span) -> Void
    private let setTraceID: @Sendable (String?) -> Void
    private let migrate: Migrate?
    private let describe: Describe?
    private let help: FunctionHelp
    private let log: Log

    /// Prepares the store and returns what was done.
    package typealias Migrate = @Sendable (Environment) throws(StartFailure) -> String
    /// Reads settings, opens the store and makes the handler.
    package typealias Start = (Environment, StartPurpose) throws(StartFailure) -> Handler
    /// Reads the settings without opening anything.
    package typealias Describe = @Sendable (Environment) -> SettingsFindings

    /// EX_USAGE of sysexits.h.
    private static let usageStatus: Int32 = 64

    package init(
        name: String, summary: String, version: String, environment: Environment,
        streams: StandardStreams, newRequestID: @escaping @Sendable () -> String,
        sleep: @escaping @Sendable (Span) -> Void,
        setTraceID: @escaping @Sendable (String?) -> Void, migrate: Migrate? = nil,
        describe: Describe? = nil, commands: CommandHelp? = nil
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.environment = environment
        self.streams = streams
        self.newRequestID = newRequestID
        self.sleep = sleep
        self.setTraceID = setTraceID
        self.migrate = migrate
        self.describe = describe
        help = FunctionHelp(
            name: name, summary: summary, canMigrate: migrate != nil, commands: commands)
        log = .standard(environment, streams)
    }

    /// Returns the exit status. `--listen` and `--event` are checked first, then the Runtime API,
    /// then the forking watchdog: these two set variables that no other host sets. Then come
    /// systemd's sockets and `PORT`. Otherwise one event is read from stdin.
    package func run(
        _ arguments: [String], transport: () -> HTTPTransport, start: Start
    ) -> Int32 {
        let event = Self.event(in: arguments)
        let listening: [ListenAddress]?
        do {
            listening =
                event == nil ? try ListenChoice.addresses(arguments, environment) : nil
        } catch {
            switch error {
            case .arguments: return answer(arguments)
            case .address(let text): return refuse(address: text)
            case .environment(let problem):
                return report(StartFailure(problems: [problem]), isServer: true)
            }
        }
        if let listening { return serve(listening, arguments, start) }
        let isOneEvent = event != nil
        let authority = isOneEvent ? nil : environment["AWS_LAMBDA_RUNTIME_API"]
        if authority == nil, !isOneEvent, help.commands != nil, hasNoInput {
            say(help.firstSteps)
            return Self.usageStatus
        }
        let api = authority.map { RuntimeAPI(transport: transport(), authority: $0) }
        let started: (settings: RuntimeSettings, handler: Handler)
        do {
            started = try settingsAndHandler(start, isOneEvent ? .schedule : .function)
        } catch {
            return report(error, to: api)
        }
        let invoker = Invoker(
            handler: started.handler, decoder: EventDecoder(basePath: started.settings.basePath),
            log: log)
        if let api {
            return LambdaLoop(
                api: api, invoker: invoker, log: log, sleep: sleep, setTraceID: setTraceID
            ).run()
        }
        if !isOneEvent, environment["Http_Method"] != nil,
            case .request(let respond) = started.handler.kind
        {
            return finish(serveWatchdog(respond, started.settings), started.handler)
        }
        return finish(serveOneEvent(event, invoker), started.handler)
    }

    /// Whether standard input cannot have an event.
    private var hasNoInput: Bool {
        environment["Http_Method"] == nil && (streams.inputIsTerminal() || streams.inputIsNull())
    }

    /// The event for schedulers that start a program without input, such as a CronJob of
    /// Kubernetes.
    private static func event(in arguments: [String]) -> [UInt8]? {
        guard arguments.count == 2, arguments[0].utf8.elementsEqual("--event".utf8) else {
            return nil
        }
        return Array(arguments[1].utf8)
    }

    /// Closes the output, so that a reader has the answer at once, and then does the work after the
    /// reply. A caller that waits for the end of the process waits for that work too
    /// (docs/configuration.md, "Mail").
    private func finish(_ status: Int32, _ handler: Handler) -> Int32 {
        streams.closeOutput()
        handler.afterReply(nil)
        RequestScope.current.end()
        return status
    }

    /// Reports all configuration errors at once, of the runtime's own variables and of the
    /// function's variables.
    private func settingsAndHandler(
        _ start: Start, _ purpose: StartPurpose
    ) throws(StartFailure) -> (RuntimeSettings, Handler) {
        var problems: [String] = []
        var settings: RuntimeSettings?
        do throws(StartFailure) {
            settings = try RuntimeSettings(environment)
        } catch {
            problems += error.problems
        }
        var handler: Handler?
        do throws(StartFailure) {
            handler = try start(environment, purpose)
        } catch {
            problems += error.problems
        }
        guard let settings, let handler else { throw StartFailure(problems: problems) }
        return (settings, handler)
    }

    /// A server's errors are only for its operator. Other errors are also the answer to an event.
    private func report(
        _ failure: StartFailure, to api: RuntimeAPI? = nil, isServer: Bool = false
    ) -> Int32 {
        for problem in failure.problems {
            if log.form == .text {
                say("\(name): \(problem)\n")
            } else {
                log.error(.startFailed, ["problem": .startProblem(problem)])
            }
        }
        guard !isServer else { return 1 }
        let error = FunctionError(failure)
        guard let api else { return writeFailure(error) }
        do {
            try api.failInit(error)
        } catch {
            log.error(.postFailed, ["detail": .failureDetail(error.detail)])
        }
        return 1
    }
}

extension FunctionHost {
    /// The order is: settings, then sockets, then everything that the function opens or creates.
    private func serve(
        _ addresses: [ListenAddress], _ arguments: [String], _ start: Start
    ) -> Int32 {
        do throws(StartFailure) {
            let settings = try serverSettings()
            let sockets = try sockets(addresses, settings, arguments)
            let (runtime, handler) = try settingsAndHandler(
                start,
                .server(port: sockets.port, networkHosts: sockets.networkHosts))
            return try HTTPHost(
                handler: handler, basePath: runtime.basePath, settings: settings,
                newRequestID: newRequestID, log: log
            ).run(at: sockets)
        } catch {
            return report(error, isServer: true)
        }
    }

    /// The error also contains the problems of the settings, so that all are reported at once.
    private func sockets(
        _ addresses: [ListenAddress], _ settings: ServerSettings, _ arguments: [String]
    ) throws(StartFailure) -> ServerSockets {
        do throws(StartFailure) {
            return try ServerSockets(addresses, metrics: settings.metricsAddress, arguments)
        } catch {
            let others = describe?(environment).problems ?? []
            throw StartFailure(problems: error.problems + others)
        }
    }

    private func serverSettings() throws(StartFailure) -> ServerSettings {
        var problems: [String] = []
        do throws(StartFailure) {
            _ = try RuntimeSettings(environment)
        } catch {
            problems += error.problems
        }
        do throws(StartFailure) {
            let settings = try ServerSettings(environment)
            if problems.isEmpty { return settings }
        } catch {
            problems += error.problems
        }
        // The settings are only read here, because nothing may be created if one of them is wrong.
        problems += describe?(environment).problems ?? []
        throw StartFailure(problems: problems)
    }

    /// Reads the event from standard input if none is given.
    private func serveOneEvent(_ given: [UInt8]?, _ invoker: Invoker) -> Int32 {
        if given == nil, streams.inputIsTerminal() {
            say("\(name): reading one JSON event from the terminal, up to Ctrl-D (try --help)\n")
        }
        let event: [UInt8]
        if let given {
            event = given
        } else {
            do {
                event = try streams.readInput(RequestLimits.eventBytesMax)
            } catch {
                return writeFailure(Self.unreadable(error))
            }
        }
        let context = InvocationContext(requestID: newRequestID())
        RequestScope.current.begin(
            context.requestID,
            environment[TraceVariable.name].flatMap { TraceContext(amazonHeader: $0) })
        do {
            return write(try invoker.answer(event, in: context) + [0x0A], status: 0)
        } catch {
            return writeFailure(error)
        }
    }

    /// The watchdog sets the status to 200 whenever this process exits with 0, so clients must read
    /// an error from the body. With `OPENFAAS_REPLY=document` the output includes the status.
    private func serveWatchdog(
        _ respond: @Sendable (Request) -> Reply, _ settings: RuntimeSettings
    ) -> Int32 {
        let body: [UInt8]?
        do throws(StandardStreams.ReadFailure) {
            body = try streams.readInput(RequestLimits.bodyBytesMax)
        } catch .tooLarge {
            body = nil
        } catch {
            return writeFailure(Self.unreadable(error))
        }
        let request = WatchdogRequest.decode(
            environment, body: body, basePath: settings.basePath, requestID: newRequestID())
        RequestScope.current.begin(request.requestID)
        let reply = respond(request)
        return write(ReplyEncoder.encode(reply, as: settings.watchdogReply), status: 0)
    }

    private static func unreadable(_ failure: StandardStreams.ReadFailure) -> FunctionError {
        let message =
            switch failure {
            case .tooLarge: EventFailure.tooLarge.message
            case .failed(let code): "The event cannot be read: errno \(code)."
            }
        return FunctionError(type: "Function.MalformedEvent", message: message)
    }

    private func writeFailure(_ error: FunctionError) -> Int32 {
        log.error(.invocationFailed, ["type": .failureDetail(error.platformType)])
        // A proxy that expects documents must get one here too.
        let isDocument =
            environment["Http_Method"] != nil
            && environment["OPENFAAS_REPLY"]?.isSame(as: RuntimeSettings.document) == true
        guard isDocument, let body = try? JSON.parse(error.oneShotBody, limits: .request) else {
            return write(error.oneShotBody + [0x0A], status: 1)
        }
        let reply = Reply(status: 500, content: .json(body))
        return write(ReplyEncoder.encode(reply, as: .gatewayV2), status: 1)
    }

    private func write(_ bytes: [UInt8], status: Int32) -> Int32 {
        guard streams.writeOutput(bytes) else {
            log.error(.outputFailed)
            return 1
        }
        return status
    }

    private func answer(_ arguments: [String]) -> Int32 {
        if FunctionHelp.isWanted(by: arguments) {
            return write(Array(help.text.utf8), status: 0)
        }
        switch arguments {
        case ["--settings"] where describe != nil:
            let listing = describe.map { SettingsListing(environment, $0).text } ?? ""
            return write(Array(listing.utf8), status: 0)
        case ["--version"]:
            return write(Array("\(name) \(version)\n".utf8), status: 0)
        case ["--migrate"] where migrate != nil:
            return runMigration()
        default:
            say(help.refusal(of: arguments))
            return Self.usageStatus
        }
    }

    private func refuse(address: String) -> Int32 {
        say("\(name): \(address) is not an address: \(FunctionHelp.problem(of: address))\n")
        return Self.usageStatus
    }

    private func runMigration() -> Int32 {
        do throws(StartFailure) {
            let text = try migrate?(environment) ?? ""
            return write(Array("\(text)\n".utf8), status: 0)
        } catch {
            for problem in error.problems { say("\(name): \(problem)\n") }
            return 1
        }
    }

    /// Plain text for a user at a terminal, not a log line.
    private func say(_ text: String) { streams.writeError(Array(text.utf8)) }
}
