internal import Bytes
internal import EmulatorBase
internal import EmulatorDynamoDB
internal import EmulatorFaults
internal import EmulatorFunctions
internal import EmulatorIAM
internal import EmulatorMail
internal import EmulatorProcesses
internal import EmulatorS3
internal import EmulatorSTS
internal import EmulatorSecrets
internal import EmulatorServer
internal import HTTP
internal import Time

/// Port 8001: all AWS services at one address, for `AWS_ENDPOINT_URL`. Requests are routed by the
/// `X-Amz-Target` header, the path, and the service named in the signature.
struct AWSEndpoint: Sendable {
    let services: EmulatorServices
    let control: ControlAPI

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        let target = request.header("x-amz-target")
        guard let service = service(of: request, target) else {
            return serveControls(request, slot)
        }
        if let missing = MissingService(request, target) {
            services.log.note("\(missing.message) (\(request.method) \(missing.operation))")
            return slot.respondAlways(missing.response(to: request))
        }
        let named = recordedSubject(of: request, service, target)
        let call = ObservedCall(service, named, of: request, services)
        let slot = call.slot(before: slot)
        guard services.interceptor.isOn else {
            return serve(request, slot, service, target, call.origin)
        }
        let subject = faultSubject(of: request, service, target)
        services.interceptor.handle(subject, request, slot, onFault: { call.note(faults: $0) }) {
            serve($0, $1, service, target, call.origin)
        }
    }

    private func serveControls(_ request: ServerRequest, _ slot: ResponseSlot) {
        if InvokeAPI.serves(request) { return invoke(request, slot) }
        if let answer = services.controlAccess.answer(request) { return slot.respondAlways(answer) }
        control.handle(request, slot)
    }

    private func serve(
        _ request: ServerRequest, _ slot: ResponseSlot, _ service: FaultService, _ target: String?,
        _ origin: WriteOrigin
    ) {
        if let target { return slot.respondAlways(targeted(request, target, origin)) }
        if service == .dynamodb {
            return slot.respondAlways(
                ServerResponse(services.tables.answer(DynamoDBRequest(request))))
        }
        guard let stack = services.stack else {
            return slot.respondAlways(.error(503, "The emulator is starting."))
        }
        let call = ServiceCall(request)
        switch service {
        case .ses: slot.respondAlways(ServerResponse(stack.ses.answer(call)))
        case .sts: answerSTS(call, slot, stack)
        default: slot.respondAlways(ServerResponse(stack.s3.answer(call)))
        }
    }

    private func answerSTS(_ call: ServiceCall, _ slot: ResponseSlot, _ stack: DeployedStack) {
        guard call.mayAskAnIssuer else {
            return slot.respondAlways(ServerResponse(stack.sts.answer(call)))
        }
        // A function of the template may serve the issuer's keys through this same server.
        let isStarted = BackgroundThread.run {
            slot.respondAlways(ServerResponse(stack.sts.answer(call)))
        }
        if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
    }

    /// Where signatures are optional, requests from web pages must be signed nevertheless.
    private func mustBeSigned(_ request: ServerRequest) -> Bool {
        services.options.isStrict || !LocalRequestPolicy.admits(request, services.options)
            || LocalRequestPolicy.isOfServedPage(request, services.addresses)
    }

    private func invoke(_ request: ServerRequest, _ slot: ResponseSlot) {
        if mustBeSigned(request), let refusal = refusal(of: request, "lambda", nil) {
            return slot.respondAlways(refusal)
        }
        services.invokeAPI.handle(request, slot)
    }

    func tooLarge(_ request: ServerRequest) -> ServerResponse {
        if InvokeAPI.serves(request) { return services.invokeAPI.tooLarge(request) }
        return .error(413, "Request too large.")
    }
}

// Finds the service by `X-Amz-Target`.
extension AWSEndpoint {
    private func targeted(
        _ request: ServerRequest, _ target: String, _ origin: WriteOrigin
    ) -> ServerResponse {
        if SecretsService.serves(target: target) {
            if mustBeSigned(request) {
                let access = services.secrets.access(target: target, body: request.body)
                let service = target.hasPrefix("AmazonSSM.") ? "ssm" : "secretsmanager"
                if let refusal = refusal(of: request, service, access) { return refusal }
            }
            return ServerResponse(services.secrets.answer(target: target, body: request.body))
        }
        var call = DynamoDBRequest(request)
        call.origin = origin
        if mustBeSigned(request) { call.access = dynamoDBRefusal(request, target, call.body) }
        return ServerResponse(services.tables.answer(call))
    }

    private func dynamoDBRefusal(
        _ request: ServerRequest, _ target: String, _ body: [UInt8]
    ) -> DynamoDBAccessError? {
        guard let authority = services.stack?.authority else { return .missingToken }
        do throws(AuthenticationFailure) {
            let signed = try CallerVerification.verify(ServiceCall(request), "dynamodb", authority)
            let refusal = DynamoDBPermissions.refusal(
                of: signed.identity, services.tables.accesses(target: target, body: body),
                in: PolicyContext(ServiceCall(request), at: CallerVerification.now(authority)))
            if case .denied(let message)? = refusal { services.log.note(message) }
            return refusal
        } catch {
            if error != .missing, let reason = request.signatureAgeRefusal {
                return .badSignature(reason)
            }
            switch error {
            case .missing: return .missingToken
            case .unknownAccessKey, .invalidToken: return .unknownKey
            case .expiredToken: return .expiredToken
            default:
                return .badSignature(
                    "The request signature we calculated does not match the signature you "
                        + "provided. Check your AWS Secret Access Key and signing method. "
                        + "Consult the service documentation for details.")
            }
        }
    }

    /// For services whose signatures are verified only with `--strict`.
    private func refusal(
        of request: ServerRequest, _ service: String, _ access: (action: String, resource: String)?
    ) -> ServerResponse? {
        guard let authority = services.stack?.authority else {
            return .error(503, "The emulator is starting.")
        }
        let call = ServiceCall(request)
        do throws(AuthenticationFailure) {
            let signed = try CallerVerification.verify(call, service, authority)
            let context = PolicyContext(call, at: CallerVerification.now(authority))
            let (action, resource) = access ?? lambdaAccess(request)
            guard signed.identity.decision(on: action, resource, in: context) == .allowed else {
                let message =
                    "User: \(signed.identity.arn) is not authorized to perform: \(action) on "
                    + "resource: \(resource)"
                services.log.note(message)
                return denied("AccessDeniedException", message)
            }
            return nil
        } catch {
            switch error {
            case .missing:
                return denied("MissingAuthenticationTokenException", "Missing Authentication Token")
            case .unknownAccessKey, .invalidToken:
                return denied(
                    "UnrecognizedClientException",
                    "The security token included in the request is invalid.")
            case .expiredToken:
                return denied(
                    "ExpiredTokenException",
                    "The security token included in the request is expired")
            default:
                return denied(
                    "InvalidSignatureException",
                    "The request signature we calculated does not match the signature you "
                        + "provided.")
            }
        }
    }

    private func lambdaAccess(_ request: ServerRequest) -> (action: String, resource: String) {
        let parts = request.path.split(separator: "/").dropFirst(2)
        let name = parts.first.map(String.init) ?? "*"
        let arn = "arn:aws:lambda:\(AWSAccount.region):\(AWSAccount.id):function:\(name)"
        let action = request.method == "POST" ? "InvokeFunction" : "GetFunction"
        return ("lambda:\(parts.isEmpty ? "ListFunctions" : action)", arn)
    }

    private func denied(_ type: String, _ message: String) -> ServerResponse {
        var response = ServerResponse.error(403, message)
        response.headers.append(HTTPHeader("x-amzn-ErrorType", type))
        return response
    }
}

// STS shares the path `/` with S3's list of buckets.
extension AWSEndpoint {
    func isForSTS(_ call: ServiceCall) -> Bool {
        if let authorization = call.header("authorization") {
            return SigningName.of(authorization: authorization) == "sts"
        }
        guard call.path == "/" || call.path.isEmpty else { return false }
        if call.method == "POST" {
            return call.header("content-type")?.hasPrefix("application/x-www-form-urlencoded")
                ?? false
        }
        return call.query.contains(utf8: "Action=")
    }
}

extension ServiceCall {
    fileprivate var mayAskAnIssuer: Bool {
        query.contains(utf8: "AssumeRoleWithWebIdentity")
            || body.contains(utf8: "AssumeRoleWithWebIdentity")
    }
}

extension ResponseSlot {
    /// Ignores the result of `respond`: here no response can have been sent before.
    func respondAlways(_ response: ServerResponse) { _ = respond(response) }
}
