internal import Bytes
package import EmulatorBase
internal import HTTP
internal import Time

/// API Gateway and Function URLs: handles every request for the template's APIs.
///
/// `handle` does not block: `completion` is called on the thread on which the function's result
/// arrives, or before `handle` returns.
package final class Gateway: Sendable {
    package typealias Completion = @Sendable (ServerResponse) -> Void

    let apis: [APIEndpoint]
    let urls: [FunctionURLEndpoint]
    let options: GatewayOptions
    let ports: GatewayPorts
    let decisions: DecisionCache
    let keySets: JWKSCache
    let buckets = TokenBuckets()
    private let timeouts: [FunctionName: Span]

    package init(
        _ template: Template, settings: TemplateSettings, options: GatewayOptions = .standard,
        ports: GatewayPorts
    ) {
        apis = template.apis.enumerated().map {
            APIEndpoint($0.element, index: $0.offset, settings: settings, options: options)
        }
        urls = template.functions.compactMap { function in
            function.url.map {
                FunctionURLEndpoint(function, $0, settings: settings, options: options)
            }
        }
        self.options = options
        self.ports = ports
        decisions = DecisionCache(entriesMax: options.cachedDecisionsMax)
        keySets = JWKSCache(fetch: ports.fetch, options: options)
        timeouts = Dictionary(
            template.functions.map { ($0.name, .seconds(Int64($0.timeoutSeconds))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter trace: the trace header; by default the request's, or a new one.
    package func handle(
        _ request: ServerRequest, trace: String? = nil, completion: @escaping Completion
    ) {
        let target = RequestTarget(parsing: request.target)
        if let (url, target) = functionURL(request, target) {
            return serve(request, target, by: url, trace, completion)
        }
        guard let (api, target, isStaged) = choose(request, target) else {
            var answer = GatewayError.noRoute.httpAPI(options)
            answer.set("apigw-requestid", RequestIDs.short(ports.random))
            return completion(answer)
        }
        let exchange = APIRequestHandler(
            gateway: self, served: api,
            incoming: IncomingRequest(
                request, target: target, form: api.api.kind == .http ? .http : .rest,
                trace: trace, ports: ports), completion: completion)
        exchange.start(isStaged: isStaged)
    }

    /// Calls a function, with the gateway's timeout if that is shorter than the function's.
    func invoke(
        _ function: FunctionName, _ payload: [UInt8], trace: String, limit: Span?,
        completion: @escaping @Sendable (InvocationOutcome?) -> Void
    ) {
        guard payload.count <= options.eventBytesMax else { return completion(.payloadTooLarge) }
        guard let limit, timeouts[function].map({ $0 > limit }) ?? true else {
            return ports.invoke(function, payload, trace) { completion($0) }
        }
        let once = OneShotCompletion(completion)
        ports.invoke(function, payload, trace) { once($0) }
        ports.after(limit) { once(nil) }
    }
}

// Selects the API of a request.
extension Gateway {
    /// The path prefix that selects one of several APIs by name.
    package static let apiPrefix = "/_api/"

    private typealias Choice = (api: APIEndpoint, target: RequestTarget, isStaged: Bool)

    private func choose(_ request: ServerRequest, _ target: RequestTarget) -> Choice? {
        var target = target
        var candidates = apis
        if let (named, rest) = named(target.path, prefix: Self.apiPrefix) {
            candidates = apis.filter {
                $0.api.id.isSame(as: named) || $0.api.logicalID.isSame(as: named)
            }
            if !candidates.isEmpty { target.path = rest } else { candidates = apis }
        } else if let label = request.header("host")?.halves(at: ".").first,
            let hosted = apis.first(where: { $0.api.id.equalsIgnoringCase(label) })
        {
            candidates = [hosted]
        }
        // An API answers the preflights of its own routes.
        if CORS.isPreflight(request), let asked = request.header("access-control-request-method"),
            let choice = route(candidates, asked, target), choice.api.api.cors != nil
        {
            return choice
        }
        if let choice = route(candidates, request.method, target) { return choice }
        guard let first = candidates.first else { return nil }
        let path = first.paths(target, options.stageInPath).first
        return (
            first, RequestTarget(path: path ?? target.path, query: target.query), path != nil
        )
    }

    /// The most specific route of all APIs, as if they were one; if two are equal, the first API's.
    /// If none matches, an API that has the path with another method.
    private func route(
        _ candidates: [APIEndpoint], _ method: String, _ target: RequestTarget
    ) -> Choice? {
        var best: (choice: Choice, specificity: Specificity)?
        var second: Choice?
        for api in candidates {
            paths: for path in api.paths(target, options.stageInPath) {
                let choice = (api, RequestTarget(path: path, query: target.query), true)
                switch api.router.match(method: method, path: path) {
                case .route(let match):
                    let specificity = match.specificity
                    if best.map({ specificity < $0.specificity }) ?? true {
                        best = (choice, specificity)
                    }
                    break paths
                case .otherMethod: second = second ?? choice
                case .nothing: break
                }
            }
        }
        return best?.choice ?? second
    }

    private func functionURL(
        _ request: ServerRequest, _ target: RequestTarget
    ) -> (FunctionURLEndpoint?, RequestTarget)? {
        if let (name, rest) = named(target.path, prefix: FunctionURLPath.prefix) {
            let url = urls.first { $0.function.text.isSame(as: name) || $0.url.id.isSame(as: name) }
            return (url, RequestTarget(path: rest, query: target.query))
        }
        guard let host = request.header("host") else { return nil }
        let labels = host.pieces(at: ".")
        guard labels.count > 1, labels[1].equalsIgnoringCase("lambda-url") else { return nil }
        return (urls.first { $0.url.id.equalsIgnoringCase(labels[0]) }, target)
    }

    /// The segment after the prefix, and the remaining path.
    private func named(_ path: String, prefix: String) -> (name: String, rest: String)? {
        guard path.has(prefix: prefix) else { return nil }
        let (name, rest) = path.dropping(prefix: prefix).halves(at: "/")
        return (PercentText.plain(name), "/" + (rest ?? ""))
    }
}

extension ServerResponse {
    /// Sets a header of the gateway, replacing the function's.
    mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.equalsIgnoringCase(name) }
        headers.append(HTTPHeader(name, value))
    }
}
