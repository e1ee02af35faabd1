internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import HTTP
internal import Time

/// A request with the values that its event and its response share.
struct IncomingRequest: Sendable {
    let request: ServerRequest
    /// The path as sent, without the stage.
    let path: String
    let query: String
    let now: Instant
    /// The request's ID, in the gateway's own format.
    let requestID: String
    /// The short format: REST has both.
    let extendedRequestID: String
    let trace: String

    init(
        _ request: ServerRequest, target: RequestTarget, form: Form, trace: String? = nil,
        ports: GatewayPorts
    ) {
        self.request = request
        path = target.path
        query = target.query
        now = ports.clock.now()
        switch form {
        case .http:
            requestID = RequestIDs.short(ports.random)
            extendedRequestID = requestID
        case .rest:
            requestID = RequestIDs.uuid(ports.random)
            extendedRequestID = RequestIDs.short(ports.random)
        case .functionURL:
            requestID = RequestIDs.uuid(ports.random)
            extendedRequestID = requestID
        }
        self.trace =
            trace
            ?? RequestIDs.trace(
                continuing: request.header("x-amzn-trace-id"), now: now, random: ports.random)
    }

    enum Form: Sendable { case http, rest, functionURL }

    /// `12/Mar/2020:19:03:58 +0000`
    var commonLogTime: String { now.text("%d/%b/%Y:%H:%M:%S +0000") }

    var contentType: String? { request.header("content-type") }
}

/// Media types without their parameters, in lower case.
enum MediaType {
    static func bare(_ text: String) -> String {
        text.halves(at: ";").first.trimmingBlanks.asciiLowercased
    }
}
