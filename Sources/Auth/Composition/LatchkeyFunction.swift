internal import AuthOperations
internal import Contracts
internal import Cryptography
package import FunctionRuntime
internal import Glibc
internal import IdentityProviders
internal import HTTPClient
internal import Time

/// The main of each function.
package enum LatchkeyFunction {
    package static let version = "0.1.0"

    /// Serves the endpoints of the configured contract that belong to the function `name`, over
    /// whatever host this runs on.
    package static func run(_ name: String, _ summary: String) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try handler(of: name, assembly, log)
        }
    }

    /// Answers API gateways that ask whether a request may pass.
    package static func runAuthorizer(_ name: String, _ summary: String) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try authorizerHandler(assembly, log)
        }
    }

    /// What `run` serves, for callers with a host, a clock and a network of their own.
    package static func handler(
        of name: String, _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        serve(
            try assembly.build(
                serving: { contract, reader in
                    let endpoints = contract.endpoints(of: name)
                    if endpoints.isEmpty {
                        reader.refuse("CONTRACT: \(contract.name) has no operation of \(name)")
                    }
                    return endpoints
                },
                reporting: { provider, failure in
                    log.error(
                        .providerKeysUnavailable,
                        ["provider": .identifier(provider), "reason": .code(failure)])
                }), log)
    }

    /// Routes requests to the endpoints that were built for.
    static func serve(_ built: Assembly.Built, _ log: Log) -> Handler {
        for warning in built.warnings { log.error(warning) }
        let router = Router(built.contract, serving: built.endpoints, built.auth)
        return .request { request in
            var request = request
            request.sourceAddress = built.address.of(request)
            let outcome = router.outcome(of: request)
            log.with(requestID: request.requestID).report(outcome)
            return outcome.answer.reply
        }
    }

    /// What `runAuthorizer` serves.
    package static func authorizerHandler(
        _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        var mode: Authorize.Mode?
        var form: GatewayAuthorizer.ResponseForm?
        let built = try assembly.build(serving: { _, _ in [] }) { reader in
            mode = reader.choice("AUTHORIZER_MODE", Authorize.Mode.self)
            form = reader.choice("AUTHORIZER_RESPONSE", GatewayAuthorizer.ResponseForm.self)
        }
        let authorizer = GatewayAuthorizer(built.auth, mode: mode ?? .required, form: form)
        return .event { event, context throws(FunctionError) in
            let log = log.with(requestID: context.requestID)
            return try authorizer.answer(event) { log.report($0) }
        }
    }

    static func start(
        _ name: String, _ summary: String,
        _ make: @escaping (Assembly, Log) throws(StartFailure) -> Handler
    ) -> Never {
        // Before libcurl, which would have OpenSSL read a configuration file.
        CryptographyLibrary.start()
        // libcurl itself is not touched before the first request goes out.
        let curl = CurlTransport(
            trust: CertificateTrust(variable: { name in getenv(name).map { String(cString: $0) } }))
        let transport = LocalHTTPRoutes(otherwise: curl.transport).transport
        FunctionMain.run(name: name, summary: summary, version: version, transport: transport) {
            environment throws(StartFailure) in
            let assembly = Assembly(
                environment: environment, clock: .system, random: .system, transport: transport,
                sleep: { usleep(UInt32(clamping: $0.milliseconds * 1000)) })
            return try make(assembly, Log.standard(environment))
        }
    }
}
