internal import Bytes
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorGateway
internal import EmulatorThirdParties
internal import HTTP
internal import Time

/// Port 8000: the template's routes, the identity providers, the service for breached passwords,
/// and the replacements for the app's own servers; for programs also the mailbox and the control
/// API.
struct AppEndpoint: Sendable {
    let services: EmulatorServices
    let control: ControlAPI

    static let identityPrefix = IdentityService.prefix + "/"
    static let breachesPrefix = BreachedPasswordRanges.prefix + "/"

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        guard let subject = faultSubject(request) else { return serve(request, slot, trace: nil) }
        let trace = subject.service == .route ? traceHeader(of: request) : nil
        let call = ObservedCall(subject, of: request, traceHeader: trace, services)
        let slot = call.slot(before: slot)
        guard services.interceptor.isOn else { return serve(request, slot, trace: trace) }
        services.interceptor.handle(subject, request, slot, onFault: { call.note(faults: $0) }) {
            serve($0, $1, trace: trace)
        }
    }

    /// The trace header that the gateway generates if the request has none.
    private func traceHeader(of request: ServerRequest) -> String {
        RequestIDs.trace(
            continuing: request.header("x-amzn-trace-id"), now: WallClock.system.now(),
            random: services.identifiers)
    }

    /// The fields that faults and gates match; nil for requests that none can match, such as
    /// control requests.
    private func faultSubject(_ request: ServerRequest) -> FaultSubject? {
        let path = String(request.path)
        if path.utf8.starts(with: ControlAPI.prefix.utf8)
            || path.utf8.starts(with: Self.breachesPrefix.utf8)
        {
            return nil
        }
        if path.utf8.starts(with: Self.identityPrefix.utf8) {
            guard let (provider, operation) = services.identity.endpoint(path: path) else {
                return nil
            }
            return FaultSubject(
                .provider, operation: operation, name: provider, target: request.target,
                body: request.body)
        }
        if Receiver.serves(path: request.path) {
            return FaultSubject(
                .receiver, path: path, target: request.target, body: request.body)
        }
        return FaultSubject(
            .route, method: request.method, path: path, target: request.target, body: request.body)
    }

    private func serve(_ request: ServerRequest, _ slot: ResponseSlot, trace: String?) {
        let path = request.path
        if ControlAPI.serves(path: path) {
            if let answer = services.controlAccess.answer(request) {
                return slot.respondAlways(answer)
            }
            return MailService.serves(path: path)
                ? services.mail.handle(request, slot) : control.handle(request, slot)
        }
        if path.utf8.starts(with: Self.identityPrefix.utf8) {
            guard LocalRequestPolicy.isNamed(request, services.options) else {
                return slot.respondAlways(LocalRequestPolicy.refusal)
            }
            if services.identity.isControl(path: path),
                let refusal = services.controlAccess.refusal(request)
            {
                return slot.respondAlways(refusal)
            }
            return services.identity.handle(request, slot)
        }
        if path.utf8.starts(with: Self.breachesPrefix.utf8) {
            let rest = path.dropFirst(BreachedPasswordRanges.prefix.count)
            slot.respond(BreachedPasswordRanges.response(request, path: rest))
            return
        }
        if Receiver.serves(path: path) {
            guard LocalRequestPolicy.isNamed(request, services.options) else {
                return slot.respondAlways(LocalRequestPolicy.refusal)
            }
            slot.respond(services.receiver.take(request))
            return
        }
        guard let stack = services.stack else {
            slot.respond(.error(503, "The emulator is starting."))
            return
        }
        if path == "/", let redirection = services.controlAccess.redirection(request),
            !RouteList(stack.loaded.template).hasRoot
        {
            return slot.respondAlways(redirection)
        }
        let playground = PlaygroundTrace(addresses: services.addresses)
        stack.gateway.handle(request, trace: trace) {
            slot.respond(playground.added(to: $0, trace, for: request))
        }
    }
}
