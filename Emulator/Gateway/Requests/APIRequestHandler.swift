internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON
internal import Time

/// Handles one request to an API: limits, preflight, route, throttle, authorizer, function,
/// response.
struct APIRequestHandler: Sendable {
    let gateway: Gateway
    let served: APIEndpoint
    let incoming: IncomingRequest
    let completion: Gateway.Completion

    var options: GatewayOptions { gateway.options }
    var api: API { served.api }

    func start(isStaged: Bool) {
        let request = incoming.request
        guard request.headBytes <= options.headBytesMax else { return refuse(.headTooLarge) }
        guard request.body.count <= options.bodyBytesMax else { return refuse(.bodyTooLarge) }
        guard isStaged else { return refuse(.noStage) }
        if let rules = api.cors, api.kind == .http, CORS.isPreflight(request) {
            return finish(CORS.preflight(rules, request, status: 204), appliesCORS: false)
        }
        switch served.router.match(method: request.method, path: incoming.path) {
        case .route(let match): begin(match)
        case .otherMethod, .nothing:
            if let rules = api.cors, api.kind == .rest, request.method.isSame(as: "OPTIONS") {
                let methods = served.router.methods(at: incoming.path)
                if !methods.isEmpty {
                    return finish(CORS.restPreflight(rules, methods: methods))
                }
            }
            refuse(.noRoute)
        }
    }

    private func begin(_ match: Router.Match) {
        if let throttle = match.route.throttle {
            let key = TokenBuckets.Key(api: served.index, route: match.index)
            guard gateway.buckets.take(key, throttle, now: incoming.now) else {
                return refuse(.throttled)
            }
        }
        RouteAuthorization(exchange: self, match: match).decide { decision in
            switch decision {
            case .allow(let grant): invoke(match, grant: grant)
            case .refuse(let refusal): refuse(refusal)
            }
        }
    }

    private func invoke(_ match: Router.Match, grant: AuthorizerContext) {
        let event: JSON
        switch match.route.payload {
        case .v2: event = EventV2.event(incoming, match, served.scope, grant: grant)
        case .v1:
            event = EventV1.event(
                incoming, match, served.scope, kind: api.kind,
                binaryTypes: api.binaryMediaTypes, grant: grant)
        }
        let limit =
            api.kind == .http ? options.httpIntegrationLimit : options.restIntegrationLimit
        gateway.invoke(
            match.route.function, event.serialized, trace: incoming.trace,
            limit: min(match.route.integrationLimit ?? limit, limit)
        ) { outcome in
            guard let outcome else { return refuse(.integrationTimedOut) }
            answer(outcome, match.route.payload)
        }
    }

    private func answer(_ outcome: InvocationOutcome, _ payload: APIRoute.Payload) {
        switch outcome {
        case .returned(let bytes):
            do throws(MalformedIntegrationResponse) {
                finish(try response(bytes, payload))
            } catch {
                refuse(.functionFailed)
            }
        case .failed, .timedOut: refuse(.functionFailed)
        case .throttled: refuse(.functionThrottled)
        case .payloadTooLarge: refuse(.eventTooLarge)
        }
    }

    private func response(
        _ bytes: [UInt8], _ payload: APIRoute.Payload
    ) throws(MalformedIntegrationResponse) -> ServerResponse {
        switch (payload, api.kind) {
        case (.v2, _):
            return try IntegrationResponseV2.response(
                bytes, defaultType: IntegrationResponseReader.httpAPIType, options: options)
        case (.v1, .http):
            return try IntegrationResponseV1.response(bytes, isStrict: false, options: options) {
                _ in true
            }
        case (.v1, .rest):
            return try IntegrationResponseV1.response(
                bytes, isStrict: true, options: options, decodes: decodes)
        }
    }

    /// Whether a REST response is decoded from base64.
    private func decodes(_ headers: [HTTPHeader]) -> Bool {
        // Only the first media type of `Accept` counts.
        let accept = incoming.request.header("accept")?.halves(at: ",").first
        let type = headers.first { $0.name.equalsIgnoringCase("content-type") }?.value
        func isBinary(_ type: String?) -> Bool {
            BinaryTypes.match(type.map(MediaType.bare), api.binaryMediaTypes)
        }
        switch options.restBinaryMatch {
        case .accept: return isBinary(accept)
        case .contentType: return isBinary(type)
        case .either: return isBinary(accept) || isBinary(type)
        }
    }

    func refuse(_ refusal: GatewayError) {
        switch api.kind {
        case .http: finish(refusal.httpAPI(options))
        case .rest: finish(refusal.restAPI(options))
        }
    }

    private func finish(_ response: ServerResponse, appliesCORS: Bool = true) {
        var response = response
        switch api.kind {
        case .http:
            if appliesCORS, let rules = api.cors {
                CORS.apply(rules, to: &response, for: incoming.request)
            }
            response.set("apigw-requestid", incoming.requestID)
        case .rest:
            response.set("x-amzn-RequestId", incoming.requestID)
            response.set("x-amz-apigw-id", incoming.extendedRequestID)
            response.set("X-Amzn-Trace-Id", incoming.trace)
        }
        completion(response)
    }
}
