internal import AuthOperations
package import Contracts
internal import Cryptography
package import FunctionRuntime
internal import Glibc
internal import HTTPClient
internal import Time

/// The main of each function: an operation's name and what it serves.
package enum LatchkeyFunction {
    package static let version = "0.1.0"

    /// Serves `operations` of the configured contract over whatever host this runs on.
    package static func run(
        _ name: String, _ summary: String, serving operations: [Operation]
    ) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try handler(of: name, serving: operations, assembly, log)
        }
    }

    /// Answers API gateways that ask whether a request may pass.
    package static func runAuthorizer(_ name: String, _ summary: String) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try authorizerHandler(assembly, log)
        }
    }

    /// What `run` serves, for whoever brings a host, a clock and a network of their own.
    package static func handler(
        of name: String, serving operations: [Operation], _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        let built = try assembly.build(serving: operations)
        guard
            let dispatcher = Dispatcher(
                contract: built.contract, serving: operations, operations: built.operations)
        else {
            throw StartFailure(
                problems: ["CONTRACT: \(built.contract.name) has no operation of \(name)"])
        }
        if operations.contains(.signIn), !built.hasProvider {
            log.error(.noProviderConfigured)
        }
        return .request { request in
            var request = request
            request.sourceAddress = built.address.of(request)
            let outcome = dispatcher.outcome(of: request)
            log.with(requestID: request.requestID).report(outcome)
            return Reply(
                status: outcome.answer.status, headers: outcome.answer.headers,
                body: outcome.answer.body)
        }
    }

    /// What `runAuthorizer` serves.
    package static func authorizerHandler(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        let settings = GatewayAuthorizer.Settings(assembly.environment)
        let built = try assembly.build(serving: [], besides: settings.problems)
        let authorizer = GatewayAuthorizer(
            settings, authenticate: built.operations.authenticate, log: log)
        return .event { event, context throws(FunctionError) in
            try authorizer.answer(event, context)
        }
    }

    private static func start(
        _ name: String, _ summary: String,
        _ make: @escaping (Assembly, Log) throws(StartFailure) -> Handler
    ) -> Never {
        // Before libcurl can: it would have OpenSSL read a configuration file.
        CryptographyLibrary.start()
        // libcurl itself is not touched before the first request goes out.
        let transport = CurlTransport(
            trust: CertificateTrust(variable: { name in getenv(name).map { String(cString: $0) } })
        ).transport
        FunctionMain.run(name: name, summary: summary, version: version, transport: transport) {
            environment throws(StartFailure) in
            let assembly = Assembly(
                environment: environment, clock: .system, random: .system, transport: transport,
                sleep: { usleep(UInt32(clamping: $0.milliseconds * 1000)) })
            return try make(assembly, Log.standard(environment))
        }
    }
}
