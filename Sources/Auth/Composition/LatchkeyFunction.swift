internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import Cryptography
package import FunctionRuntime
internal import Glibc
internal import HTTP
internal import HTTPClient
internal import IdentityProviders
internal import JSON
internal import KeyValueStore
internal import Threads
internal import Time

/// The entry point of each function.
package enum LatchkeyFunction {
    package static let version = "0.2.0"

    /// Serves the endpoints of the configured contract that belong to the function `name`, on any
    /// host.
    package static func run(_ name: String, _ summary: String) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try handler(of: name, assembly, log)
        }
    }

    /// Serves Lambda authorizer requests of API Gateway.
    package static func runAuthorizer(_ name: String, _ summary: String) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try authorizerHandler(assembly, log)
        }
    }

    /// The handler of `run`, for callers with their own host, clock and network.
    package static func handler(
        of name: String, _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        serve(
            try assembly.build(
                serving: { contract, reader in
                    let endpoints = contract.endpoints(of: name)
                    if endpoints.isEmpty {
                        reader.refuse("CONTRACT: \(contract.name) has no function \(name)")
                    }
                    return endpoints
                },
                reporting: AssemblyReports(log)), log,
            routing: { request, built, auth in
                // A payload that names this function, as for an executable with all functions,
                // works here too.
                if request.payload?["function"]?.stringValue?.isSame(as: name) == true {
                    request.payload?["function"] = nil
                }
                return wholeRouter(&request, built, auth)
            })
    }

    /// Routes requests to the endpoints of `built`.
    ///
    /// - Parameter router: selects endpoints for requests that are not HTTP, and may modify the
    ///   request.
    static func serve(
        _ built: Assembly.Built, _ log: Log, routing router: @escaping Routing = wholeRouter
    ) -> Handler {
        for warning in built.warnings { log.error(warning) }
        return handler(built, built.auth, log, router)
    }

    typealias Routing = @Sendable (inout Request, Assembly.Built, AuthServices) -> Router

    private static let wholeRouter: Routing = { _, built, auth in
        Router(built.contract, serving: built.endpoints, auth)
    }

    private static func handler(
        _ built: Assembly.Built, _ auth: AuthServices, _ log: Log, _ router: @escaping Routing
    ) -> Handler {
        return .request(
            afterReply: { auth.afterReply.run(until: $0) }, isReady: { isReady(built, auth) },
            answersSchedule: built.endpoints.contains { $0.operation == .housekeeping },
            slow: slowTurns(built),
            another: { role in
                handler(
                    built, auth.forAnotherThread(answersRequests: role == .worker), log, router)
            },
            metrics: built.metrics?.instruments ?? []
        ) { request in
            var request = request
            request.sourceAddress = built.address.of(request)
            let start = auth.clock.now()
            let stopwatch = built.metrics.map { _ in Stopwatch() }
            let outcome = router(&request, built, auth).outcome(of: request)
            if let stopwatch { built.metrics?.count(outcome, seconds: stopwatch.seconds) }
            let log = log.with(requestID: request.requestID)
            noteRefusal(request, outcome, auth, log)
            // An idle server logs nothing. Elsewhere the line shows that a schedule runs.
            if !outcome.facts.isIdle || built.announcement == nil || log.embedsMetrics {
                log.report(
                    request, outcome, RefusedRequest(request, outcome, built.endpoints),
                    after: max(.zero, auth.clock.now() - start), store: built.storeName)
            }
            return outcome.answer.reply
        }
    }

    /// Notes a refusal for the administrator's page. Logs if browsers drop the response's cookie.
    private static func noteRefusal(
        _ request: Request, _ outcome: Router.Outcome, _ auth: AuthServices, _ log: Log
    ) {
        // Without this line, the log would show a sign-in and then a request without the cookie,
        // but not the reason.
        if outcome.answer.cookies.contains(where: { $0.isSecure && $0.maxAgeSeconds != 0 }),
            PlainConnection(request) != nil
        {
            log.error(
                .secureCookieOverHTTP, ["operation": .identifier(outcome.loggedOperation)])
        }
        guard let (_, code) = outcome.failure, outcome.isRefusal else { return }
        auth.activity?.noteRefusal(
            operation: outcome.loggedOperation, status: outcome.answer.status, code: code.text,
            at: auth.clock.now())
    }

    /// Requests that hash a password, such as sign-ins, take turns. Clients are told apart as in
    /// rate limits.
    private static func slowTurns(_ built: Assembly.Built) -> SlowTurns? {
        let endpoints = built.endpoints.filter(\.operation.hashesPasswords)
        guard !endpoints.isEmpty else { return nil }
        return SlowTurns(
            atOnceMax: { built.auth.hashingAtOnceMax },
            includes: { Router.isSlow($0, serving: endpoints) },
            client: { NetworkPrefix(of: built.address.of($0) ?? "").text })
    }

    private static func isReady(_ built: Assembly.Built, _ auth: AuthServices) -> Bool {
        do {
            try auth.store.probe(StoreLayout.readinessProbe, at: auth.clock.now())
            return built.announcement == nil || built.masterKey.isRight(auth)
        } catch {
            return false
        }
    }

    /// The handler of `runAuthorizer`.
    package static func authorizerHandler(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        var settings = AuthorizerSettings()
        let built = try assembly.build(
            serving: { _, _ in [] }, needing: AuthorizerSettings.needs,
            reading: { settings.read(&$0) }, reporting: AssemblyReports(log))
        return .event(settings.authorizer(built.auth, log))
    }

    /// - Parameter tool: handles command-line arguments that are not the host's; its closure
    ///   returns the exit status.
    static func start(
        _ name: String, _ summary: String, commands: CommandHelp? = nil,
        tool: ([String]) -> ((Assembly) -> Int32)? = { _ in nil },
        _ make: @escaping @Sendable (Assembly, Log) throws(StartFailure) -> Handler
    ) -> Never {
        let arguments: [String]
        do throws(StartFailure) {
            arguments = try StartSettings.load(
                Array(CommandLine.arguments.dropFirst()),
                standardFileFor: commands == nil ? [] : ["serve"] + OperatorCommand.readingSettings)
        } catch {
            Descriptor.reserveStandardStreams()
            let text = error.problems.map { "\(name): \($0)\n" }.joined()
            StandardStreams.system.writeError(Array(text.utf8))
            exit(1)
        }
        // The helper for hook programs is started before the process loses the right to start
        // programs, and before it has a second thread.
        let programs = getenv("HOOKS").flatMap { _ in
            HookSettings.startPrograms(Environment.current())
        }
        // OpenSSL is initialised before libcurl, which would make OpenSSL read its configuration
        // file.
        CryptographyLibrary.start()
        // libcurl itself is initialised at the first request.
        let curl = CurlTransport(
            trust: CertificateTrust(variable: { name in getenv(name).map { String(cString: $0) } }))
        let transport = LocalHTTPRoutes(otherwise: curl.transport).transport
        let assemble = { @Sendable (environment: Environment, purpose: StartPurpose) in
            systemAssembly(environment, purpose, transport, programs)
        }
        if let tool = tool(arguments) {
            Descriptor.reserveStandardStreams()
            exit(tool(assemble(Environment.current(), .function)))
        }
        FunctionMain.run(
            name: name, summary: summary, version: version, arguments: arguments,
            transport: transport,
            migrate: { environment throws(StartFailure) in
                try assemble(environment, .function).migrate()
            },
            describe: { environment in
                // The settings of a function and of a server are both described, because a function
                // reads more variables. The server comes last: it reports fewer problems, and only
                // the problems of the last description are kept.
                let description = SettingsDescription()
                for purpose in [StartPurpose.function, .server(port: nil)] {
                    var assembly = assemble(environment, purpose)
                    assembly.description = description
                    _ = try? make(assembly, Log.standard(environment))
                }
                return description.findings
            },
            commands: commands,
            start: { environment, purpose throws(StartFailure) in
                try make(assemble(environment, purpose), Log.standard(environment))
            })
    }

    /// An assembly with the clock, the randomness and the waits of the system.
    private static func systemAssembly(
        _ environment: Environment, _ purpose: StartPurpose, _ transport: HTTPTransport,
        _ programs: ProgramHelper?
    ) -> Assembly {
        var assembly = Assembly(
            environment: environment, clock: .system, random: .system, transport: transport,
            sleep: { time in
                Waiting.during { _ = usleep(UInt32(clamping: time.milliseconds * 1000)) }
            },
            sharedFolder: "/tmp")
        assembly.purpose = purpose
        assembly.programs = programs
        return assembly
    }
}
