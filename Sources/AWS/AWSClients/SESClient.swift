internal import Bytes
internal import HTTP
internal import JSON
package import Time

/// Sends mail by the API of SES, version 2 ("Amazon SES API v2 Reference", SendEmail).
package struct SESClient: Sendable {
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 64 << 10)

    private let settings: AWSSettings
    private let ports: AWSPorts
    private let credentials: CredentialsProvider

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        self.settings = settings
        self.ports = ports
        self.credentials = credentials
    }

    /// Sends a complete message, and returns the ID that SES assigns to it.
    ///
    /// The call is repeated only if it is certain that nothing was sent: SES has no idempotency
    /// token.
    @discardableResult
    package func sendEmail(
        raw message: [UInt8], from: String, to: String, within limit: Span
    ) throws(AWSFailure) -> String {
        var ports = ports
        ports.retry.totalMillisecondsMax = min(
            ports.retry.totalMillisecondsMax, limit.milliseconds)
        let service = AWSService(name: .ses, settings: settings, ports: ports)
        let body: JSON = [
            "FromEmailAddress": .string(from),
            "Destination": ["ToAddresses": [.string(to)]],
            "Content": ["Raw": ["Data": .string(Base64.encode(message))]],
        ]
        let request = HTTPRequest(
            .post, settings.endpoint(of: .ses) + "/v2/email/outbound-emails",
            headers: [HTTPHeader("Content-Type", "application/json")], body: body.serialized,
            limits: Self.limits)
        return try service.perform(
            request, credentials: credentials, repeating: .onlyWhenNothingHappened,
            read: Self.read)
    }

    private static func read(_ response: HTTPResponse) -> AWSService.Reading<String> {
        let body = try? JSON.parse(
            response.body, limits: JSONLimits(bytesMax: limits.responseBytesMax, depthMax: 16))
        guard response.status != 200 else {
            guard let id = body?["MessageId"]?.stringValue else {
                return .failed(.malformedResponse, .doubtful)
            }
            return .done(id)
        }
        // `MessageRejected:http://…`
        let type =
            response.header("x-amzn-errortype") ?? body?["__type"]?.stringValue ?? ""
        let code = type.utf8.prefix(128).prefix { $0 != UInt8(ascii: ":") }
        let refusal = AWSRefusal(
            status: response.status, code: String(Substring(code)),
            message: (body?["message"] ?? body?["Message"])?.stringValue ?? "",
            body: body?.objectValue)
        return .failed(.refused(refusal), refusal.retry)
    }
}
