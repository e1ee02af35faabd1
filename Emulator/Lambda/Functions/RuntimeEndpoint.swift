internal import EmulatorBase
internal import HTTP
internal import JSON
internal import Time

/// The Runtime API, version 2018-06-01, for all processes on one port (Lambda Developer Guide,
/// "Using the Lambda runtime API").
///
/// A runtime does not identify itself, and its URLs have no place for an ID: the official Python
/// client expects host and port in the variable, so a path in it does not work. Instead each
/// process gets its own address in 127.0.0.0/8, and the destination address of a connection
/// identifies the process. That needs one listening socket and no work per call.
struct RuntimeEndpoint: Sendable {
    let registry: FunctionInstanceRegistry

    private static let prefix = "/2018-06-01/runtime/"

    static let limits = ServerLimits(
        bodyBytesMax: FunctionLimits.responseBytesMax, idleSecondsMax: 0)

    func handle(_ request: ServerRequest, _ slot: ResponseSlot) {
        guard let caller = registry.caller(request.local.host) else {
            slot.respond(RuntimeReply.unknownCaller)
            return
        }
        switch Call(request) {
        case .next: caller.pool.next(caller.instance, slot)
        case .response(let id): slot.respond(answered(caller, id, request))
        case .error(let id):
            slot.respond(
                caller.pool.answer(
                    caller.instance, id, .failed(request.body), isError: true))
        case .initError: slot.respond(caller.pool.failInit(caller.instance, request.body))
        case nil: slot.respond(.refusal(404, "Not Found"))
        }
    }

    /// The function's response is over the limit: both the caller and the runtime get an error.
    func tooLarge(_ request: ServerRequest) -> ServerResponse {
        guard let caller = registry.caller(request.local.host),
            case .response(let id) = Call(request)
        else { return RuntimeReply.tooLarge }
        let body = FunctionFailure.responseTooLarge.body(String(id))
        let reply = caller.pool.answer(
            caller.instance, id, .failed(body), isError: false, isRefused: true)
        return reply.status == 202 ? RuntimeReply.tooLarge : reply
    }

    private func answered(
        _ caller: (pool: WarmPool, instance: FunctionInstance), _ id: Substring,
        _ request: ServerRequest
    ) -> ServerResponse {
        let isStreamed =
            request.header("lambda-runtime-function-response-mode")?.lowercased() == "streaming"
        if isStreamed, let failure = StreamFailure.body(request) {
            return caller.pool.answer(caller.instance, id, .failed(failure), isError: false)
        }
        return caller.pool.answer(
            caller.instance, id, .answered(request.body), isError: false,
            streamedType: isStreamed ? request.header("content-type") ?? "" : nil)
    }

    private enum Call {
        case next
        case response(Substring)
        case error(Substring)
        case initError

        init?(_ request: ServerRequest) {
            guard request.target.utf8.starts(with: RuntimeEndpoint.prefix.utf8) else { return nil }
            let path = Substring(request.target.utf8.dropFirst(RuntimeEndpoint.prefix.utf8.count))
            switch (request.method, path) {
            case ("GET", "invocation/next"): self = .next
            case ("POST", "init/error"): self = .initError
            case ("POST", _):
                let id = path.utf8.dropFirst(Self.ofInvocation.utf8.count)
                    .prefix { $0 != UInt8(ascii: "/") }
                guard path.utf8.starts(with: Self.ofInvocation.utf8) else { return nil }
                switch path[id.endIndex...] {
                case "/response": self = .response(Substring(id))
                case "/error": self = .error(Substring(id))
                default: return nil
                }
            default: return nil
            }
        }

        private static let ofInvocation = "invocation/"
    }
}

/// The responses of the Runtime API.
enum RuntimeReply {
    private static let type = HTTPHeader("Content-Type", "application/json")

    static let accepted = ServerResponse(
        status: 202, headers: [type], body: Array(#"{"status":"OK"}"#.utf8))

    static let wrongID = error(400, "InvalidRequestID", "Invalid request ID")

    static let tooLarge = error(
        413, "RequestEntityTooLarge",
        "Exceeded maximum allowed payload size (\(FunctionLimits.responseBytesMax) bytes).")

    static let unknownCaller = error(403, "InvalidCaller", "No process has this address")

    static func wrongState(_ from: String, _ to: String) -> ServerResponse {
        error(
            403, "InvalidStateTransition",
            "State transition from \(from) to \(to) failed for runtime. Error: State transition is "
                + "not allowed")
    }

    static func event(
        _ invocation: Invocation, arn: String, deadline: Instant
    ) -> ServerResponse {
        var headers = [
            type,
            HTTPHeader("Lambda-Runtime-Aws-Request-Id", invocation.requestID),
            HTTPHeader("Lambda-Runtime-Deadline-Ms", String(deadline.milliseconds)),
            HTTPHeader("Lambda-Runtime-Invoked-Function-Arn", arn),
            HTTPHeader("Lambda-Runtime-Trace-Id", invocation.traceID),
        ]
        if let context = invocation.request.clientContext {
            headers.append(HTTPHeader("Lambda-Runtime-Client-Context", context))
        }
        return ServerResponse(status: 200, headers: headers, body: invocation.request.payload)
    }

    private static func error(_ status: Int, _ type: String, _ message: String) -> ServerResponse {
        let body: JSON = ["errorMessage": .string(message), "errorType": .string(type)]
        return ServerResponse(status: status, headers: [Self.type], body: body.serialized)
    }
}
