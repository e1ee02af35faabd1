internal import Bytes
internal import HTTP
package import Time

/// Invokes functions ("AWS Lambda API Reference", Invoke).
package struct LambdaClient: Sendable {
    private let settings: AWSSettings
    private let ports: AWSPorts
    private let credentials: CredentialsProvider

    /// The result of an invocation that took place.
    package enum Outcome: Equatable, Sendable {
        case returned([UInt8])
        /// The function threw, ended or exceeded its own time limit.
        case failed
    }

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        self.settings = settings
        self.ports = ports
        self.credentials = credentials
    }

    /// Waits for the response. The call is repeated only if it is certain that the function did not
    /// run.
    ///
    /// - Parameter function: a name or an ARN, with or without an alias.
    package func invoke(
        _ function: String, payload: [UInt8], responseBytesMax: Int, within limit: Span
    ) throws(AWSFailure) -> Outcome {
        var ports = ports
        ports.retry.totalMillisecondsMax = limit.milliseconds
        let service = AWSService(name: .lambda, settings: settings, ports: ports)
        // The colon is the only character of a name or an ARN that must be encoded.
        let name = function.split(separator: ":", omittingEmptySubsequences: false)
            .joined(separator: "%3A")
        let request = HTTPRequest(
            .post,
            settings.endpoint(of: .lambda) + "/2015-03-31/functions/\(name)/invocations",
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("X-Amz-Invocation-Type", "RequestResponse"),
            ], body: payload,
            limits: HTTPLimits(
                connectMillisecondsMax: 1000, totalMillisecondsMax: Int(limit.milliseconds),
                responseBytesMax: responseBytesMax))
        return try service.perform(
            request, credentials: credentials, repeating: .onlyWhenNothingHappened,
            read: Self.read)
    }

    private static func read(_ response: HTTPResponse) -> AWSService.Reading<Outcome> {
        if response.status == 200 {
            let hasFailed = response.header("x-amz-function-error") != nil
            return .done(hasFailed ? .failed : .returned(response.body))
        }
        // `TooManyRequestsException:http://…`
        let type = response.header("x-amzn-errortype") ?? ""
        let code = type.utf8.prefix(128).prefix { $0 != UInt8(ascii: ":") }
        let refusal = AWSRefusal(status: response.status, code: String(Substring(code)))
        return .failed(.refused(refusal), refusal.retry)
    }
}
