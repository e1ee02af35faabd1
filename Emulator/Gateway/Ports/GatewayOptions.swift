package import Time

/// Limits of the AWS gateways, and behaviours that AWS does not document: applications should not
/// depend on these.
package struct GatewayOptions: Sendable {
    package static let standard = GatewayOptions()

    /// Whether paths begin with the stage, as under `execute-api`, or not, as under a custom
    /// domain.
    package enum StageInPath: Sendable { case required, optional, absent }
    package var stageInPath: StageInPath = .optional

    /// `domainName` in events: a name in the form of AWS's `execute-api` names, or the request's
    /// `Host`.
    package enum DomainName: Sendable { case amazon, asRequested }
    package var domainName: DomainName = .amazon

    /// `x-forwarded-port` and `-proto`: the actual values, or the values that AWS always sends.
    package enum Forwarded: Sendable { case asReceived, https443 }
    package var forwarded: Forwarded = .asReceived

    /// The status for a request line and headers over the limit: 431 or 400.
    package var headTooLargeStatus = 431

    /// The response if the function has no concurrency left.
    package enum FunctionThrottle: Sendable { case tooManyRequests, failure }
    package var functionThrottle: FunctionThrottle = .tooManyRequests

    /// Whether a string such as `"statusCode":"201"` is accepted in payload 2.0. REST always
    /// accepts it.
    package var v2TakesStatusText = false

    /// The media type that determines whether a REST response is decoded from base64.
    package enum BinaryMatch: Sendable { case accept, contentType, either }
    package var restBinaryMatch: BinaryMatch = .accept

    /// Whether REST renames `WWW-Authenticate` and others to `x-amzn-Remapped-…`.
    package var restRemapsHeaders = true

    /// Whether REST forwards `Content-Length` to the function.
    package var restForwardsContentLength = false

    /// Whether context values of a Lambda authorizer are strings in a REST event.
    package var restStringifiesContext = true

    package var headBytesMax = 10_240
    package var bodyBytesMax = 10 << 20
    /// Lambda's limit for a synchronous event; in base64 that is a body of about 4.5 MB.
    package var eventBytesMax = 6 << 20
    package var httpIntegrationLimit = Span.seconds(30)
    package var restIntegrationLimit = Span.seconds(29)
    package var authorizerLimit = Span.seconds(10)
    package var keySetAgeMax = Span.hours(2)
    package var keySetBytesMax = 150_000
    /// The minimum interval at which an unknown `kid` causes another fetch of a key set.
    package var keySetRefetchInterval = Span.seconds(10)
    package var cachedDecisionsMax = 10_000

    package init() {}
}
