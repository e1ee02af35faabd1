internal import AWSSignature
internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import EmulatorLambda
package import HTTP
internal import JSON
internal import Time

/// `emulator invoke FUNCTION`: runs a function once.
package enum InvokeCommand {
    package struct Options: Sendable {
        package var function: String
        /// The executable that serves the function too, for use where it is missing.
        var replacement: String?
        /// A file, or `-` for standard input.
        package var event: String
        /// The directory of the executables, for a run without an emulator.
        package var executables: String?
        /// The address of a running emulator. If neither this nor `executables` is set, the default
        /// addresses are tried, and a process is started if no emulator answers.
        package var url: String?
        package var secondsMax: Int
        /// Starts a process even if an emulator is running.
        package var isLocal = false
        /// The functions of a template, one of which runs, even if an emulator is running.
        package var template: (any TemplateFunctions)?
        /// The functions of the template in the current folder, one of which runs if there is no
        /// executable of its name; nil without such a template.
        package var templateOfFolder:
            @Sendable () throws(FixtureFailure) -> (any TemplateFunctions)? = { () in nil }
        /// Additional environment variables for a separate process.
        package var variables: [(name: String, value: String)] = []

        fileprivate var environment: [(name: String, value: String)] {
            let names = Set(variables.map(\.name))
            return Variables.all.filter { !names.contains($0.name) } + variables
        }

        package init(
            function: String, event: String, executables: String? = nil, url: String? = nil,
            secondsMax: Int = 900
        ) {
            self.function = function
            self.event = event
            self.executables = executables
            self.url = url
            self.secondsMax = secondsMax
        }

        /// The default addresses of `emulator serve`, the second one also with `--port`.
        package static let urlsDefault = ["http://127.0.0.1:8000", "http://127.0.0.1:8001"]
    }

    /// Writes the response to `response` and the log to `log`. Returns the exit status: 0 if the
    /// function answered, 1 if it failed, 2 if it could not be invoked.
    package static func run(
        _ options: Options, to output: ToolOutput, transport: HTTPTransport,
        response: @Sendable ([UInt8]) -> Void, log: @Sendable ([UInt8]) -> Void
    ) -> Int32 {
        do throws(FixtureFailure) {
            let result = try invoke(options, output, transport)
            log(result.errors)
            response(result.output)
            if result.output.last != 0x0A { response([0x0A]) }
            return result.exit == 0 ? ExitStatus.success : ExitStatus.failure
        } catch {
            output.note("invoke: \(error)")
            return ExitStatus.usage
        }
    }

    private static func invoke(
        _ options: Options, _ output: ToolOutput, _ transport: HTTPTransport
    ) throws(FixtureFailure) -> RunResult {
        guard Fixture.isLegalFunction(options.function) else {
            throw FixtureFailure("\(options.function) is not a valid function name")
        }
        let event = try FixtureFiles.read(argument: options.event)
        return try invoke(options, event, output, transport)
    }

    static func invoke(
        _ options: Options, _ event: [UInt8], _ output: ToolOutput, _ transport: HTTPTransport
    ) throws(FixtureFailure) -> RunResult {
        if let template = options.template { return try run(template, options, event, output) }
        if let url = options.url {
            let endpoint = EmulatorEndpoint(at: url, transport)
            guard let result = try ask(url, endpoint, options, event, transport) else {
                throw FixtureFailure(
                    "no emulator answers at \(url); start one with 'emulator serve', "
                        + "or run the executable by itself with --local")
            }
            return result
        }
        if options.executables == nil, options.variables.isEmpty, !options.isLocal {
            for url in Options.urlsDefault {
                guard let endpoint = EmulatorEndpoint(at: url, transport),
                    let result = try ask(url, endpoint, options, event, transport)
                else { continue }
                return result
            }
            do throws(FixtureFailure) {
                return try start(options, event, output)
            } catch {
                throw FixtureFailure(
                    "no emulator answers at \(Options.urlsDefault[0]); start one with 'emulator "
                        + "serve', or give the address of another with --url or "
                        + "LATCHKEY_EMULATOR_URL.\nWithout an emulator: \(error)")
            }
        }
        return try start(options, event, output)
    }

    /// Uses the Invoke API; nil if no server answers. `endpoint` is nil if the server is not this
    /// emulator.
    private static func ask(
        _ url: String, _ endpoint: EmulatorEndpoint?, _ options: Options, _ event: [UInt8],
        _ transport: HTTPTransport
    ) throws(FixtureFailure) -> RunResult? {
        let api = endpoint?.awsURL ?? url
        let event = try ShortEvent.expanded(event) { method, target throws(FixtureFailure) in
            try endpoint?.route(to: options.function, method, target, transport)
        }
        let request = HTTPRequest(
            .post, "\(api)/2015-03-31/functions/\(options.function)/invocations",
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("X-Amz-Log-Type", "Tail"),
            ], body: event,
            limits: HTTPLimits(
                connectMillisecondsMax: 1000,
                totalMillisecondsMax: options.secondsMax * 1000, responseBytesMax: 8 << 20))
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try transport.send(signed(request))
        } catch {
            if case .connectFailed = error { return nil }
            throw FixtureFailure("the emulator at \(url) did not answer: \(error.reason)")
        }
        if response.status == 404, let lookup = FunctionLookup(api, transport) {
            let remark = endpoint.map { endpoint in
                "\nThe emulator at \(url) serves \(endpoint.template); give the address of another "
                    + "with --url or LATCHKEY_EMULATOR_URL."
            }
            var found = options
            found.function = try lookup.name(
                of: options.function, or: options.replacement, remark: remark ?? "")
            // This is retried only once: if the function is not found by its own name, it was
            // removed in the meantime.
            guard !found.function.isSame(as: options.function) else {
                throw .unknownFunction(options.function, among: lookup.entries.map(\.text))
            }
            return try ask(url, endpoint, found, event, transport)
        }
        guard response.status == 200 else {
            let text = String(decoding: response.body.prefix(1000), as: UTF8.self)
            throw FixtureFailure("the emulator at \(url) answered \(response.status): \(text)")
        }
        let tail = response.header("x-amz-log-result").flatMap { Base64.decode($0) } ?? []
        let hasFailed = response.header("x-amz-function-error") != nil
        return RunResult(exit: hasFailed ? 1 : 0, output: response.body, errors: tail)
    }

    /// The emulator checks signatures with `--strict`.
    static func signed(_ request: HTTPRequest) -> HTTPRequest {
        let credentials = AWSCredentials(
            accessKeyID: developerKey, secretAccessKey: SecretBytes(utf8: developerKey))
        let signer = Signer(credentials, region: "us-east-1", service: "lambda")
        return (try? signer.sign(request, at: WallClock.system.now())) ?? request
    }

    /// The access key and the secret that `serve` prints.
    private static let developerKey = "latchkey"

    /// Starts a process in this directory and with this environment.
    private static func start(
        _ options: Options, _ event: [UInt8], _ output: ToolOutput
    ) throws(FixtureFailure) -> RunResult {
        let candidates =
            options.executables.map { [Executables(directory: Files.absolute($0))] }
            ?? Executables.usual
        let names = [options.function, options.replacement].compactMap(\.self)
        let paths = names.lazy.flatMap { name in candidates.compactMap { $0.path(of: name) } }
        guard let path = paths.first else {
            if options.executables == nil, let template = try options.templateOfFolder() {
                return try run(template, options, event, output)
            }
            let names = candidates.flatMap(\.functions)
            guard !names.isEmpty else { throw Executables.notFound([options.function]) }
            throw .unknownFunction(options.function, among: names)
        }
        let supervisor: ProcessSupervisor
        do throws(ProcessFailure) {
            supervisor = try ProcessSupervisor()
        } catch {
            throw FixtureFailure("cannot start a process: \(error)")
        }
        defer { supervisor.stop() }
        return try ProcessRunner(supervisor, secondsMax: options.secondsMax).run(
            path, environment: options.environment, directory: nil,
            input: try ShortEvent.expanded(event))
    }

    /// Runs a function of a template, with separate services.
    private static func run(
        _ template: any TemplateFunctions, _ options: Options, _ event: [UInt8],
        _ output: ToolOutput
    ) throws(FixtureFailure) -> RunResult {
        let whole = try ShortEvent.expanded(event) { method, target throws(FixtureFailure) in
            try template.route(to: options.function, method, target)
        }
        let target = try template.target(of: options.function, whole)
        let place = options.template == nil ? "the template in this folder" : "the template"
        output.note(
            "invoke: runs \(target.function) of \(place), with empty tables and buckets; "
                + "'emulator serve' keeps them")
        let services = try template.deploy()
        defer { services.stop() }
        return try services.invoke(target.function, target.event, environment: [])
    }
}
