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
    private let log: Log

    /// Prepares the store and returns what was done.
    package typealias Migrate = @Sendable (Environment) throws(StartFailure) -> String
    /// Reads the settings without opening anything.
    package typealias Describe = @Sendable (Environment) -> SettingsFindings

    /// EX_USAGE of sysexits.h.
    private static let usageStatus: Int32 = 64

    package init(
        name: String, summary: String, version: String, environment: Environment,
        streams: StandardStreams, newRequestID: @escaping @Sendable () -> String,
        sleep: @escaping @Sendable (Span) -> Void,
        setTraceID: @escaping @Sendable (String?) -> Void, migrate: Migrate? = nil,
        describe: Describe? = nil
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
        log = Log(level: Log.level(environment) ?? .info, write: streams.writeError)
    }

    /// Returns the exit status. `--listen` and `--event` are checked first, then the Runtime API,
    /// then the forking watchdog: these two set variables that no other host sets. Then come
    /// systemd's sockets and `PORT`. Otherwise one event is read from stdin.
    package func run(
        _ arguments: [String], transport: () -> HTTPTransport,
        start: (Environment) throws(StartFailure) -> Handler
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
                return report(StartFailure(problems: [problem]), to: nil)
            }
        }
        let isOneEvent = event != nil
        let authority =
            listening == nil && !isOneEvent ? environment["AWS_LAMBDA_RUNTIME_API"] : nil
        let api = authority.map { RuntimeAPI(transport: transport(), authority: $0) }
        let started: (settings: RuntimeSettings, handler: Handler)
        do {
            started = try settingsAndHandler(start)
        } catch {
            return report(error, to: api)
        }
        if let listening { return serve(listening, started.settings, started.handler) }
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

    /// For schedulers that start a program without input, such as a CronJob of Kubernetes.
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

    /// Reports all configuration errors at once: those of the runtime's own variables and those of
    /// the function's.
    private func settingsAndHandler(
        _ start: (Environment) throws(StartFailure) -> Handler
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
            handler = try start(environment)
        } catch {
            problems += error.problems
        }
        guard let settings, let handler else { throw StartFailure(problems: problems) }
        return (settings, handler)
    }

    private func report(_ failure: StartFailure, to api: RuntimeAPI?) -> Int32 {
        for problem in failure.problems {
            log.error(.startFailed, ["problem": .failureDetail(problem)])
        }
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
    private func serve(
        _ addresses: [ListenAddress], _ settings: RuntimeSettings, _ handler: Handler
    ) -> Int32 {
        do {
            return try HTTPHost(
                handler: handler, basePath: settings.basePath,
                settings: try ServerSettings(environment), newRequestID: newRequestID, log: log
            ).run(at: addresses)
        } catch {
            return report(error, to: nil)
        }
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
        let migration = migrate == nil ? "" : " | --migrate"
        let usage =
            "Usage: \(name) [--help | --version | --listen ADDRESS | --event JSON\(migration)]\n"
        switch arguments {
        case ["--help"]:
            let text =
                "\(summary)\n\n\(usage)\n"
                + "Reads one JSON event from standard input and writes one JSON response to\n"
                + "standard output. Settings are environment variables; the log goes to\n"
                + "standard error.\n\n"
                + "  --listen ADDRESS  Serve HTTP at 127.0.0.1:8080, [::1]:8080, :8080 (every\n"
                + "                    address), unix:PATH or fd:3, until SIGTERM.\n"
                + "  --event JSON      Answer this event in place of standard input.\n"
                + (migrate == nil
                    ? "" : "  --migrate         Create or upgrade the table of the store.\n")
                + "  --env-file FILE   Read settings from lines of NAME=VALUE; variables that are\n"
                + "                    set already win. Can be combined with any other option.\n"
                + "  --help            Show this help.\n"
                + "  --version         Show the version.\n"
                + (describe.map { "\n" + SettingsListing(environment, $0).text } ?? "")
            return write(Array(text.utf8), status: 0)
        case ["--version"]:
            return write(Array("\(name) \(version)\n".utf8), status: 0)
        case ["--migrate"] where migrate != nil:
            return runMigration()
        default:
            say(usage)
            return Self.usageStatus
        }
    }

    private func refuse(address: String) -> Int32 {
        let isPort = UInt16(address).map { $0 > 0 && address.utf8.first != UInt8(ascii: "+") }
        say(
            "\(name): --listen: not an address: "
                + (isPort == true
                    ? "did you mean :\(address) or 127.0.0.1:\(address)?\n"
                    : "it must be one such as 127.0.0.1:8080 or unix:PATH (see --help)\n"))
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
