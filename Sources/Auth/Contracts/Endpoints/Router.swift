package import AuthDomain
package import AuthOperations
internal import Bytes
package import FunctionRuntime
package import JSON

/// Handles a request: checks the contract's rules, finds the endpoint, parses the body, runs the
/// operation.
package struct Router: Sendable {
    private let contract: Contract
    private let endpoints: [Endpoint]
    private let auth: AuthServices
    private let crossOrigin: CrossOrigin
    /// Set if the router only refuses a direct payload that names no function.
    private let unaddressed: UnaddressedPayload?

    /// - Parameters:
    ///   - endpoints: the endpoints of the contract that are served, at least one.
    package init(
        _ contract: Contract, serving endpoints: [Endpoint], _ auth: AuthServices
    ) {
        self.init(contract, endpoints, auth, unaddressed: nil)
    }

    /// Creates a router for a direct payload that names none of the functions: it refuses the
    /// request.
    package init(
        refusing payload: JSONObject?, _ contract: Contract, serving endpoints: [Endpoint],
        _ auth: AuthServices
    ) {
        let functions = Set(endpoints.map(\.operation.function)).sorted()
        self.init(
            contract, endpoints, auth,
            unaddressed: UnaddressedPayload(name: payload?["function"], functions: functions))
    }

    private init(
        _ contract: Contract, _ endpoints: [Endpoint], _ auth: AuthServices,
        unaddressed: UnaddressedPayload?
    ) {
        self.contract = contract
        self.endpoints = endpoints
        self.auth = auth
        self.unaddressed = unaddressed
        crossOrigin = CrossOrigin(
            contract.rules, auth.oauthIfOn,
            acceptsProofs: auth.policy.proofs.map { $0.mode != .off } ?? false,
            asksHooks: auth.policy.asksHooks)
    }

    /// The result of a request, for the log.
    package struct Outcome: Sendable {
        package let operation: AuthOperation
        package fileprivate(set) var answer: Answer
        package let failure: (error: APIError, code: ErrorCode)?
        /// The path of the endpoint, with the names of its parameters; nil if none was found.
        package fileprivate(set) var route: String?
        package fileprivate(set) var facts = LogFacts.Values()
        /// Whether the request has reached the operation's endpoint.
        package fileprivate(set) var isRouted = true
    }

    package func outcome(of request: Request) -> Outcome {
        var outcome = routed(request)
        if let seconds = request.refusedForSeconds, outcome.answer.status == 503 {
            outcome.answer.headers.removeAll { $0.name.isSame(as: "retry-after") }
            outcome.answer.headers.append((name: "retry-after", value: "\(seconds)"))
        }
        outcome.answer.addBasePath(request.basePath)
        crossOrigin.mark(&outcome.answer, for: request, admits(request))
        return outcome
    }

    private func routed(_ request: Request) -> Outcome {
        var operation = endpoints[0].operation
        var problemPage: Endpoint.ProblemPage?
        var errors: ErrorFormat?
        var found: String?
        var isRouted = false
        auth.logFacts.values = LogFacts.Values()
        do {
            try check(request)
            if let preflight = try preflight(request) { return preflight }
            let (endpoint, parameters) = try route(request)
            operation = endpoint.operation
            isRouted = true
            found = endpoint.route?.path
            problemPage = endpoint.problemPage
            errors = endpoint.errors
            if request.refusedForSeconds != nil { throw AuthError.unavailable(.passwordHashing) }
            if endpoint.isForBrowsers {
                if isForeign(request) { throw RequestError.foreignHost }
                if let location = IssuerRedirect.location(of: request, issuer: auth.issuer) {
                    return Outcome(
                        operation: operation, answer: .redirect(to: location), failure: nil,
                        route: found)
                }
            }
            let body = try RequestBody.read(request, endpoint.body, contract.rules)
            let caller = try auth.proving(
                Caller(request), request.header("dpop"), method: request.method,
                urls: [ProofURL(base: auth.issuer, path: request.path)],
                givesNonces: endpoint.answersAsOAuth)
            let call = Call(request, caller: caller, parameters: parameters, body: body)
            let answer = try endpoint.perform(call, auth)
            return Outcome(
                operation: operation, answer: answer, failure: nil, facts: auth.logFacts.values)
        } catch let thrown {
            // A browser gets a page for every path.
            let error: any Error =
                found == nil && request.asksForPage && isForeign(request)
                ? RequestError.foreignHost : thrown
            let failure = APIError(error)
            var failed = FailedRequest(operation, request)
            failed.server = ServerOfPage(auth)
            failed.unaddressed = unaddressed
            let format = errors ?? errorFormat(at: request) ?? contract.errors
            let (answer, code) = format.answer(to: failure, failed)
            let response = ErrorResponse(standard: failure, of: operation)
            if let page = unrouted(error, response, request, at: found) {
                return page.status < 400
                    ? Outcome(operation: .unroutedPage, answer: page, failure: nil)
                    : Outcome(
                        operation: operation, answer: page, failure: (failure, code), route: found,
                        isRouted: isRouted)
            }
            let page = problemPage?(error, response, request, auth)
            return Outcome(
                operation: operation, answer: page ?? answer, failure: (failure, code),
                route: found, facts: auth.logFacts.values, isRouted: isRouted)
        }
    }

    /// The answer to a preflight; nil for any other request.
    private func preflight(_ request: Request) throws(RequestError) -> Outcome? {
        let admits = admits(request)
        guard crossOrigin.isPreflight(request, admits) else { return nil }
        let answer = crossOrigin.preflight(
            request, methods: try methods(at: request), admits)
        return Outcome(operation: .preflight, answer: answer, failure: nil)
    }

    /// The error format of an endpoint at the path, for a request with another method.
    private func errorFormat(at request: Request) -> ErrorFormat? {
        guard request.form == .http else { return nil }
        return endpoints.first {
            $0.errors != nil && $0.route?.match(request.path) != nil
        }?.errors
    }

    /// Whether the request is for an operation that hashes a password: by its method and path.
    package static func isSlow(_ request: Request, serving endpoints: [Endpoint]) -> Bool {
        endpoints.contains { endpoint in
            guard endpoint.operation.hashesPasswords, let route = endpoint.route,
                route.method.isSame(as: request.method)
            else { return false }
            // A function's only endpoint also has the path `/` (`atRoot`).
            return route.match(request.path) != nil || request.path.isSame(as: "/")
        }
    }

    /// The page that a server shows at a path without an endpoint, or under a foreign host name.
    private func unrouted(
        _ error: any Error, _ response: ErrorResponse, _ request: Request, at route: String?
    ) -> Answer? {
        guard request.form == .http else { return nil }
        if isForeign(request) {
            guard case .request(.foreignHost) = APIError(error) else { return nil }
        } else {
            guard route == nil else { return nil }
        }
        return contract.unrouted?(error, response, request, auth)
    }

    /// Whether the request has a host name that belongs to another site.
    private func isForeign(_ request: Request) -> Bool {
        !(contract.rules.pageHosts?.accept(request.header("host")) ?? true)
    }

    /// The origins that the endpoints at the path admit.
    private func admits(_ request: Request) -> AdmittedOrigins {
        guard auth.oauthIfOn != nil, request.form == .http else { return .listed }
        return endpoints.first { $0.route?.match(request.path) != nil }?.admits ?? .listed
    }

    // MARK: Before routing

    private func check(_ request: Request) throws(RequestError) {
        guard request.form == .http else { return }
        if contract.rules.requiresHTTPS,
            let scheme = request.header("x-forwarded-proto")?.split(separator: ",").last,
            !String(scheme.drop { $0 == " " }).asciiLowercased.isSame(as: "https")
        {
            throw .insecureScheme
        }
        switch request.defect {
        case .path, .query: throw .undecodablePath
        case .tooManyFields: throw .tooManyFields
        case .bodyTooLarge, nil: break
        }
    }

    // MARK: Routing

    private func route(_ request: Request) throws(RequestError) -> (Endpoint, [String: String]) {
        guard unaddressed == nil else { throw .notFound }
        return switch request.form {
        case .http: try routeByPath(request)
        case .direct, .schedule: try routeByPayload(request)
        }
    }

    private func routeByPath(
        _ request: Request
    ) throws(RequestError) -> (Endpoint, [String: String]) {
        var allowed: [String] = []
        for endpoint in endpoints {
            guard let route = endpoint.route, let found = route.match(request.path) else {
                continue
            }
            if route.method.isSame(as: request.method) { return (endpoint, found) }
            allowed.append(route.method)
        }
        if allowed.isEmpty, request.path.isSame(as: "/") { return (try atRoot(request), [:]) }
        guard allowed.isEmpty else { throw .methodNotAllowed(allowed: allowed) }
        throw .notFound
    }

    /// The methods of the endpoints at a path. A request with OPTIONS always fails, because no
    /// endpoint has this method, so the methods are in the error.
    private func methods(at request: Request) throws(RequestError) -> [String] {
        do throws(RequestError) {
            return [try routeByPath(request).0.route?.method ?? request.method]
        } catch .methodNotAllowed(let allowed) {
            return allowed
        }
    }

    /// The endpoint for the path `/`, for gateways such as OpenFaaS that give each function its own
    /// path: the function's only endpoint with that method.
    private func atRoot(_ request: Request) throws(RequestError) -> Endpoint {
        let function = endpoints[0].operation.function
        guard endpoints.allSatisfy({ $0.operation.isServed(by: function) }) else {
            throw .notFound
        }
        let open = endpoints.filter { $0.route?.parameterNames.isEmpty ?? false }
        let found = open.filter { $0.route?.method.isSame(as: request.method) ?? false }
        guard found.count <= 1, !open.isEmpty else { throw .notFound }
        guard let endpoint = found.first else {
            throw .methodNotAllowed(allowed: open.compactMap(\.route?.method))
        }
        return endpoint
    }

    private func routeByPayload(
        _ request: Request
    ) throws(RequestError) -> (Endpoint, [String: String]) {
        guard let payload = request.payload else { throw .bodyNotAnObject }
        let selected = endpoints.first { $0.selector?.selects(payload) ?? false }
        if selected == nil { try refuseUnknownChoice(payload) }
        guard let endpoint = selected ?? endpoints.first(where: { $0.selector == nil }) else {
            throw .notFound
        }
        var parameters: [String: String] = [:]
        for name in endpoint.route?.parameterNames ?? [] {
            parameters[name] =
                payload[name]?.stringValue ?? payload[name]?.int64Value.map { String($0) }
        }
        return (endpoint, parameters)
    }

    /// Refuses a payload with a misspelt value, for which the function's endpoint without a
    /// selector would be called.
    private func refuseUnknownChoice(_ payload: JSONObject) throws(RequestError) {
        let selectors = endpoints.compactMap(\.selector).filter { $0.value != nil }
        guard let member = selectors.map(\.member).first(where: { payload.hasValue($0) })
        else { return }
        let choices = selectors.filter { $0.member.isSame(as: member) }.compactMap(\.value)
        throw .invalidField(member, .notOneOf(choices))
    }
}

extension DirectSelector {
    /// Whether the payload selects the endpoint. A member of the wrong type also selects an
    /// endpoint that only needs the member, so that the endpoint refuses it.
    fileprivate func selects(_ payload: JSONObject) -> Bool {
        let names = [member, alternative].compactMap(\.self)
        guard let found = names.first(where: { payload.hasValue($0) }) else { return false }
        guard let value else { return true }
        return payload[found]?.stringValue.map { $0.isSame(as: value) } ?? false
    }
}

extension JSONObject {
    fileprivate func hasValue(_ name: String) -> Bool { self[name] ?? .null != .null }
}

extension AuthOperation {
    /// The name in logs and metrics for answers to browsers that belong to no endpoint.
    static let unroutedPage = AuthOperation("unroutedPage", counting: [])
}
