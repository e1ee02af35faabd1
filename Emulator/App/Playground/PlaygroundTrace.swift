internal import EmulatorBase
internal import HTTP

/// The playground shows the calls that each of its requests caused. So it may read the trace header
/// of an answer; API Gateway itself does not allow that to any page. Answers to other origins are
/// not changed.
struct PlaygroundTrace: Sendable {
    let addresses: EmulatorAddresses

    static let header = "X-Amzn-Trace-Id"

    func added(
        to response: ServerResponse, _ trace: String?, for request: ServerRequest
    ) -> ServerResponse {
        guard let playground = addresses.playgroundURL, let trace,
            request.header("origin") == playground,
            response.header("access-control-allow-origin") == playground
        else { return response }
        var response = response
        response.headers.append(HTTPHeader(Self.header, trace))
        response.headers.append(HTTPHeader("Access-Control-Expose-Headers", Self.header))
        return response
    }
}
