internal import Bytes
internal import EmulatorBase
internal import JSON

extension Gateway {
    /// Handles a request to a Function URL; nil for an unknown URL.
    func serve(
        _ request: ServerRequest, _ target: RequestTarget, by served: FunctionURLEndpoint?,
        _ trace: String?, _ completion: @escaping Completion
    ) {
        let incoming = IncomingRequest(
            request, target: target, form: .functionURL, trace: trace, ports: ports)
        let cors = served?.url.cors
        let isPreflight = cors != nil && CORS.isPreflight(request)
        let finish: Completion = { response in
            var response = response
            if let cors, !isPreflight { CORS.apply(cors, to: &response, for: request) }
            response.set("x-amzn-RequestId", incoming.requestID)
            response.set("X-Amzn-Trace-Id", incoming.trace)
            completion(response)
        }
        let options = options
        func refuse(_ refusal: GatewayError) { finish(refusal.functionURL(options)) }
        guard let served else { return refuse(.noRoute) }
        guard request.headBytes <= options.headBytesMax else { return refuse(.headTooLarge) }
        guard request.body.count <= options.eventBytesMax else { return refuse(.bodyTooLarge) }
        if let cors, isPreflight { return finish(CORS.preflight(cors, request, status: 200)) }
        var caller: IAMCaller?
        if served.url.authorization == .iam {
            caller = ports.identify(request, "lambda:InvokeFunctionUrl", served.arn)
            guard caller != nil else { return refuse(.notSigned) }
        }
        let event = FunctionURLEvent.event(incoming, served.scope, caller: caller)
        invoke(served.function, event.serialized, trace: incoming.trace, limit: nil) { outcome in
            switch outcome {
            case .returned(let bytes)?:
                let response = try? IntegrationResponseV2.response(
                    bytes, defaultType: "application/json", options: options)
                finish(response ?? GatewayError.functionFailed.functionURL(options))
            case .failed?, .timedOut?, nil: finish(GatewayError.functionFailed.functionURL(options))
            case .throttled?: finish(GatewayError.functionThrottled.functionURL(options))
            case .payloadTooLarge?: finish(GatewayError.eventTooLarge.functionURL(options))
            }
        }
    }
}
