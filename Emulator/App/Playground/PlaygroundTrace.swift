internal import EmulatorBase
internal import HTTP

/// The playground shows what each of its requests led to, so it may read a request's trace, which
/// API Gateway itself tells no page. Answers to other origins are not changed.
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
