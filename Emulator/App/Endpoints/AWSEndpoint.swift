internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import EmulatorThirdParties
internal import HTTP

/// Port 8001: all AWS services at one address, for `AWS_ENDPOINT_URL`.
struct AWSEndpoint: Sendable {
    let services: EmulatorServices
    let control: ControlAPI

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        let call = AWSCall(request)
        guard let subject = call.subject(of: request) else {
            return serve(call, request, slot, from: nil)
        }
        let observed = ObservedCall(subject, of: request, services)
        guard !observed.isOwn else { return serve(call, request, slot, from: nil) }
        let slot = observed.slot(before: slot)
        guard services.interceptor.isOn else {
            return serve(call, request, slot, from: observed.origin)
        }
        let onFault: @Sendable ([Int]) -> Void = { observed.note(faults: $0) }
        services.interceptor.handle(subject, request, slot, onFault: onFault) {
            serve(call, $0, $1, from: observed.origin)
        }
    }

    /// - Parameter origin: the call as the origin of writes.
    private func serve(
        _ call: AWSCall, _ request: ServerRequest, _ slot: ResponseSlot, from origin: WriteOrigin?
    ) {
        switch call {
        case .controls: serveControls(request, slot)
        case .lambda: invoke(request, slot)
        case .missing(let missing):
            services.log.note("\(missing.message) (\(request.method) \(missing.operation))")
            slot.respondAlways(missing.response(to: request))
        case .dynamodb(let call): slot.respondAlways(answer(call, request, from: origin))
        case .secrets(let call): slot.respondAlways(answer(call, request))
        case .sts(let call):
            serve(slot) { stack in
                guard call.asksIssuer else {
                    return slot.respondAlways(ServerResponse(stack.sts.answer(call)))
                }
                // A function of the template may serve the issuer's keys through this same server.
                let isStarted = BackgroundThread.run {
                    slot.respondAlways(ServerResponse(stack.sts.answer(call)))
                }
                if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
            }
        case .s3(let call): serve(slot) { slot.respondAlways(ServerResponse($0.s3.answer(call))) }
        case .ses(let call): serve(slot) { slot.respondAlways(ServerResponse($0.ses.answer(call))) }
        }
    }

    private static let starting = "The emulator is starting."

    private func serve(_ slot: ResponseSlot, _ answer: (DeployedStack) -> Void) {
        guard let stack = services.stack else {
            return slot.respondAlways(.error(503, Self.starting))
        }
        answer(stack)
    }

    private func serveControls(_ request: ServerRequest, _ slot: ResponseSlot) {
        if let answer = services.controlAccess.answer(request) { return slot.respondAlways(answer) }
        control.handle(request, slot)
    }

    private func invoke(_ request: ServerRequest, _ slot: ResponseSlot) {
        let refusal = refusal(of: request, "lambda") { lambdaAccess(request) }
        if let refusal { return slot.respondAlways(ServerResponse(refusal)) }
        services.invokeAPI.handle(request, slot)
    }

    func tooLarge(_ request: ServerRequest) -> ServerResponse {
        if InvokeAPI.serves(request) { return services.invokeAPI.tooLarge(request) }
        return .error(413, "Request too large.")
    }
}

// Services whose signatures are verified only with `--strict`, or for requests from web pages.
extension AWSEndpoint {
    private func answer(
        _ call: DynamoDBRequest, _ request: ServerRequest, from origin: WriteOrigin?
    ) -> ServerResponse {
        var call = call
        call.origin = origin
        if call.target != nil {
            let refusal = refusal(of: request, "dynamodb", .json) { identity, context in
                DynamoDBPermissions.denial(
                    of: identity, services.tables.accesses(of: call), in: context)
            }
            call.access = refusal.map { DynamoDBAccessError(code: $0.code, message: $0.message) }
        }
        return ServerResponse(services.tables.answer(call))
    }

    private func answer(_ call: SecretsCall, _ request: ServerRequest) -> ServerResponse {
        let refusal = refusal(of: request, call.service) { services.secrets.access(of: call) }
        return refusal.map { ServerResponse($0) } ?? ServerResponse(services.secrets.answer(call))
    }

    private func refusal(
        of request: ServerRequest, _ service: String,
        _ access: () -> (action: String, resources: [String])
    ) -> CallRefusal? {
        refusal(of: request, service, .rest) { identity, context in
            let (action, resources) = access()
            let refused = resources.first {
                identity.decision(on: action, $0, in: context) != .allowed
            }
            return refused.map { resource in
                "User: \(identity.arn) is not authorized to perform: \(action) on "
                    + "resource: \(resource)"
            }
        }
    }

    /// - Parameter denial: the error message if the caller is not authorised.
    private func refusal(
        of request: ServerRequest, _ service: String, _ form: ServiceProtocol,
        _ denial: (CallerIdentity, PolicyContext) -> String?
    ) -> CallRefusal? {
        guard mustBeSigned(request) else { return nil }
        guard let authority = services.stack?.authority else {
            return CallRefusal(503, "ServiceUnavailable", Self.starting)
        }
        let call = ServiceCall(request)
        do throws(CallRefusal) {
            let signed = try CallerVerification.verify(call, service, authority, in: form)
            let context = PolicyContext(call, at: CallerVerification.now(authority))
            guard let message = denial(signed.identity, context) else { return nil }
            services.log.note(message)
            return CallRefusal(403, "AccessDeniedException", message)
        } catch {
            return error
        }
    }

    private func mustBeSigned(_ request: ServerRequest) -> Bool {
        services.options.isStrict || !LocalRequestPolicy.admits(request, services.options)
            || LocalRequestPolicy.isOfServedPage(request, services.addresses)
    }

    private func lambdaAccess(
        _ request: ServerRequest
    ) -> (action: String, resources: [String]) {
        let parts = request.path.split(separator: "/").dropFirst(2)
        let name = parts.first.map(String.init) ?? "*"
        let arn = "arn:aws:lambda:\(AWSAccount.region):\(AWSAccount.id):function:\(name)"
        let action = request.method == "POST" ? "InvokeFunction" : "GetFunction"
        return ("lambda:\(parts.isEmpty ? "ListFunctions" : action)", [arn])
    }
}

extension ServerResponse {
    fileprivate init(_ refusal: CallRefusal) {
        self = .error(refusal.status, refusal.message)
        headers.append(HTTPHeader("x-amzn-ErrorType", refusal.code))
    }
}

extension ResponseSlot {
    /// The result of `respond` is ignored, because no response can have been sent before.
    func respondAlways(_ response: ServerResponse) { _ = respond(response) }
}
