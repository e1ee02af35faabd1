internal import AuthOperations
internal import HTTP
internal import Time

/// Posts messages to receivers. Redirects are not followed: only the address in the setting is a
/// receiver.
struct WebhookSender: Sendable {
    private static let connectMillisecondsMax = 3000
    /// Only the status of the response is used.
    private static let responseBytesMax = 64 << 10

    let transport: HTTPTransport

    func send(
        _ receiver: WebhookReceiver, _ message: WebhookMessage, _ limit: Span
    ) throws(WebhookFailure) {
        let request = HTTPRequest(
            .post, receiver.url,
            headers: .signedJSON(
                id: message.id, seconds: message.timestamp, signature: message.signature),
            body: message.body,
            limits: HTTPLimits(
                connectMillisecondsMax: Self.connectMillisecondsMax,
                totalMillisecondsMax: Int(limit.milliseconds),
                responseBytesMax: Self.responseBytesMax))
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try transport.send(request)
        } catch {
            throw .unavailable(problem: error.problem.rawValue)
        }
        guard (200..<300).contains(response.status) else {
            throw .refused(status: response.status)
        }
    }
}

extension [HTTPHeader] {
    /// The headers of a signed request ("Standard Webhooks").
    static func signedJSON(id: String, seconds: Int64, signature: String) -> [HTTPHeader] {
        [
            HTTPHeader("Content-Type", "application/json"), HTTPHeader("User-Agent", "latchkey"),
            HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", "\(seconds)"),
            HTTPHeader("webhook-signature", signature),
        ]
    }
}
