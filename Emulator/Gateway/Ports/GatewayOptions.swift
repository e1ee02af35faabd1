package import Time

/// Limits of the AWS gateways, and behaviours that AWS does not document: applications should not
/// depend on these.
package struct GatewayOptions: Sendable {
    package static let standard = GatewayOptions()

    /// Whether the stage stands in front of the path, as under `execute-api`, or not, as under a
    /// domain of one's own.
    package enum StageInPath: Sendable { case required, optional, absent }
    package var stageInPath: StageInPath = .optional

    /// `domainName` in events: the made-up `execute-api` name, or the `Host` that was asked for.
    package enum DomainName: Sendable { case amazon, asRequested }
    package var domainName: DomainName = .amazon

    /// `x-forwarded-port` and `-proto`: the truth, or what every request to AWS has.
    package enum Forwarded: Sendable { case asReceived, https443 }
    package var forwarded: Forwarded = .asReceived

    /// The status for a request line and headers over the limit: 431 or 400.
    package var headTooLargeStatus = 431

    /// What a caller sees when the function has no concurrency left.
    package enum FunctionThrottle: Sendable { case tooManyRequests, failure }
    package var functionThrottle: FunctionThrottle = .tooManyRequests

    /// Whether `"statusCode":"201"` counts in a reply of payload 2.0. In REST it always does.
    package var v2TakesStatusText = false

    /// Which media type decides that a REST reply's base64 is undone.
    package enum BinaryMatch: Sendable { case accept, contentType, either }
    package var restBinaryMatch: BinaryMatch = .accept

    /// Whether REST renames `WWW-Authenticate` and others to `x-amzn-Remapped-…`.
    package var restRemapsHeaders = true

    /// Whether REST tells the function the `Content-Length`.
    package var restForwardsContentLength = false

    /// Whether context values of a Lambda authorizer reach a REST event as strings.
    package var restStringifiesContext = true

    package var headBytesMax = 10_240
    package var bodyBytesMax = 10 << 20
    /// Lambda's limit of a synchronous event, which base64 reaches at about 4.5 MB.
    package var eventBytesMax = 6 << 20
    package var httpIntegrationLimit = Span.seconds(30)
    package var restIntegrationLimit = Span.seconds(29)
    package var authorizerLimit = Span.seconds(10)
    package var keySetAgeMax = Span.hours(2)
    package var keySetBytesMax = 150_000
    /// How soon an unknown `kid` may fetch a key set again.
    package var keySetRefetchInterval = Span.seconds(10)
    package var cachedDecisionsMax = 10_000

    package init() {}
}
