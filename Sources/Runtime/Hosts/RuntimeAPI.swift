internal import Bytes
internal import HTTP
internal import Time

/// A client of the Lambda Runtime API, version 2018-06-01 ("Using the Lambda runtime API for custom
/// runtimes", AWS Lambda developer guide).
struct RuntimeAPI: Sendable {
    enum Failure: Error, Equatable {
        case transport(HTTPFailure)
        case status(Int)
        case noRequestID

        /// After a 500 the container is in an error state and the runtime must exit.
        var isFatal: Bool { self == .status(500) }

        var detail: String {
            switch self {
            case .transport(let failure): "\(failure.problem.rawValue): \(failure.detail)"
            case .status(let status): "status \(status)"
            case .noRequestID: "no request id"
            }
        }
    }

    struct Invocation {
        let context: InvocationContext
        let traceID: String?
        let event: [UInt8]
    }

    private let transport: HTTPTransport
    private let base: String

    private static let postAttemptsMax = 3
    /// `next` blocks until there is an invocation, and Lambda may freeze the process in the
    /// meantime.
    private static let nextLimits = HTTPLimits(
        connectMillisecondsMax: 2000, totalMillisecondsMax: nil,
        responseBytesMax: RequestLimits.eventBytesMax)
    private static let postLimits = HTTPLimits(
        connectMillisecondsMax: 2000, totalMillisecondsMax: 30_000, responseBytesMax: 64 << 10)

    init(transport: HTTPTransport, authority: String) {
        self.transport = transport
        base = "http://\(authority)/2018-06-01/runtime"
    }

    func next() throws(Failure) -> Invocation {
        let response = try send(
            HTTPRequest(.get, "\(base)/invocation/next", limits: Self.nextLimits))
        guard response.status == 200 else { throw .status(response.status) }
        guard let requestID = RequestID.legal(response.header("lambda-runtime-aws-request-id"))
        else { throw .noRequestID }
        let deadline = response.header("lambda-runtime-deadline-ms").flatMap { Int64($0) }
        return Invocation(
            context: InvocationContext(
                requestID: requestID, deadline: deadline.map { Instant(milliseconds: $0) }),
            traceID: response.header("lambda-runtime-trace-id"), event: response.body)
    }

    func respond(_ requestID: String, _ body: [UInt8]) throws(Failure) {
        try post("invocation/\(PercentEncoding.encode(requestID))/response", body, errorType: nil)
    }

    func fail(_ requestID: String, _ error: FunctionError) throws(Failure) {
        try post(
            "invocation/\(PercentEncoding.encode(requestID))/error", error.runtimeBody,
            errorType: error.platformType)
    }

    func failInit(_ error: FunctionError) throws(Failure) {
        try post("init/error", error.runtimeBody, errorType: error.platformType)
    }

    private func post(
        _ path: String, _ body: [UInt8], errorType: String?
    ) throws(Failure) {
        var headers = [HTTPHeader("content-type", "application/json")]
        if let errorType {
            headers.append(HTTPHeader("lambda-runtime-function-error-type", errorType))
        }
        let request = HTTPRequest(
            .post, "\(base)/\(path)", headers: headers, body: body, limits: Self.postLimits)
        let response = try sendAgainIfUnconnected(request)
        guard (200..<300).contains(response.status) else { throw .status(response.status) }
    }

    /// If the connection failed, nothing was sent, so a retry is safe. After any other failure the
    /// response may have arrived, and a second one would be an error.
    private func sendAgainIfUnconnected(_ request: HTTPRequest) throws(Failure) -> HTTPResponse {
        for _ in 1..<Self.postAttemptsMax {
            do {
                return try send(request)
            } catch {
                guard case .transport(.connectFailed) = error else { throw error }
            }
        }
        return try send(request)
    }

    private func send(_ request: HTTPRequest) throws(Failure) -> HTTPResponse {
        do {
            return try transport.send(request)
        } catch {
            throw .transport(error)
        }
    }
}
