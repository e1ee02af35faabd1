/// Why the gateway responds with an error itself. Each kind of gateway has its own responses.
enum GatewayError: Sendable, Equatable {
    case noRoute
    /// The path does not begin with the stage.
    case noStage
    /// `challenge` is the value of `WWW-Authenticate`.
    case unauthorized(challenge: String?)
    case scopeMissing(challenge: String)
    case denied(isExplicit: Bool)
    case authorizerFailed
    case notSigned
    /// A function's error, its own timeout, or an invalid response.
    case functionFailed
    case integrationTimedOut
    case throttled
    case functionThrottled
    case headTooLarge
    case bodyTooLarge
    /// The event exceeds Lambda's limit.
    case eventTooLarge
}
