internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import HTTP
internal import Time

/// Posts logout tokens to clients (OpenID Connect Back-Channel Logout 1.0 section 2.5). Redirects
/// are not followed.
struct LogoutRequests: Sendable {
    private static let connectMillisecondsMax = 1500
    /// Only the status of the response is used.
    private static let responseBytesMax = 64 << 10

    let transport: HTTPTransport
    /// The addresses that may be called for clients that registered themselves.
    let strangers: HTTPReach

    func send(_ messages: [LogoutMessage], _ limit: Span) -> [LogoutAnswer] {
        let limits = HTTPLimits(
            connectMillisecondsMax: min(Self.connectMillisecondsMax, Int(limit.milliseconds)),
            totalMillisecondsMax: Int(limit.milliseconds), responseBytesMax: Self.responseBytesMax)
        let requests = messages.map { message in
            HTTPRequest(
                .post, message.url,
                headers: [
                    HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
                    HTTPHeader("User-Agent", "latchkey"),
                ],
                body: Array(PercentEncoding.form([("logout_token", message.token)]).utf8),
                limits: limits, reach: message.isOfStranger ? strangers : .anywhere)
        }
        return transport.sendAll(requests).map { outcome in
            switch outcome {
            case .success(let response) where (200..<300).contains(response.status): .accepted
            case .success(let response) where response.status == 400: .refused
            case .success, .failure: .failed
            }
        }
    }
}

extension Log {
    func report(_ outcome: LogoutOutcome) {
        switch outcome {
        case .sent(let client): counted("logoutNoticesSent", .logoutNoticeSent, values(client))
        case .failed(let client):
            counted("logoutNoticesFailed", .logoutNoticeFailed, values(client), isError: true)
        case .dead(let client):
            counted("logoutNoticesDead", .logoutNoticeDead, values(client), isError: true)
        }
    }

    private func values(_ client: String) -> [(StaticString, LogValue)] {
        [("client", .identifier(client))]
    }
}
