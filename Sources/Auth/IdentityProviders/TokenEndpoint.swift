internal import Bytes
internal import HTTP
internal import JSON

/// A provider's token endpoint, or its revocation endpoint (RFC 6749 section 3.2, RFC 7009).
struct TokenEndpoint: Sendable {
    let transport: HTTPTransport

    static let codeBytesMax = 2048
    static let answerBytesMax = 64 << 10

    func post(
        _ url: String, _ form: [(String, String)], headers: [HTTPHeader] = []
    ) throws(TokenEndpointFailure) -> [UInt8] {
        let request = HTTPRequest(
            .post, url,
            headers: [
                HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
                HTTPHeader("Accept", "application/json"),
            ] + headers, body: Array(PercentEncoding.form(form).utf8),
            limits: HTTPLimits(
                connectMillisecondsMax: 2000, totalMillisecondsMax: 5000,
                responseBytesMax: Self.answerBytesMax))
        let response: HTTPResponse
        do {
            response = try transport.send(request)
        } catch {
            switch error {
            case .timedOut, .connectFailed, .interrupted, .invalidURL: throw .unreachable
            case .responseTooLarge: throw .malformedAnswer
            }
        }
        guard response.status != 200 else { return response.body }
        throw Self.failure(response)
    }

    /// RFC 6749 section 5.2.
    private static func failure(_ response: HTTPResponse) -> TokenEndpointFailure {
        guard response.status != 429, response.status < 500 else { return .unreachable }
        guard let json = try? JSON.parse(response.body, limits: .request),
            let code = json["error"]?.stringValue
        else { return .malformedAnswer }
        if code.isSame(as: "invalid_grant") { return .invalidGrant }
        if code.isSame(as: "invalid_client") { return .invalidClient }
        return .refused
    }
}
