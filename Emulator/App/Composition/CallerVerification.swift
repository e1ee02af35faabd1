internal import EmulatorAWS
internal import EmulatorBase
internal import EmulatorGateway
internal import Time

/// Authenticates and authorises signed requests for the gateway and the endpoints.
enum CallerVerification {
    private static let skewMax = Span.minutes(5)

    static func identify(
        _ request: ServerRequest, _ action: String, _ resource: String,
        _ authority: CredentialAuthority
    ) -> IAMCaller? {
        let service = action.hasPrefix("lambda:") ? "lambda" : "execute-api"
        let call = ServiceCall(request)
        guard let signed = try? verify(call, service, authority),
            signed.identity.decision(
                on: action, resource,
                in: PolicyContext(call, at: now(authority))) == .allowed
        else { return nil }
        let identity = signed.identity
        return IAMCaller(
            accessKey: signed.accessKeyID, accountID: identity.account,
            callerID: identity.userID, userARN: identity.arn, userID: identity.userID)
    }

    static func verify(
        _ call: ServiceCall, _ service: String, _ authority: CredentialAuthority,
        in form: ServiceProtocol = .rest
    ) throws(CallRefusal) -> AuthenticatedCall {
        try RequestAuthenticator(authority, service: service, skewMax: skewMax)
            .authenticate(call, in: form, at: now(authority))
    }

    static func now(_ authority: CredentialAuthority) -> Instant {
        WallClock.system.now() + authority.ahead()
    }
}
