import AuthOperations

extension OAuthError {
    static let samples: [OAuthError] =
        [
            .invalidRequest("A parameter is repeated."), .invalidClient, .unauthorizedClient,
            .unsupportedGrantType, .unsupportedResponseType, .invalidGrant(.used), .invalidScope,
            .invalidTarget, .accessDenied, .loginRequired, .consentRequired, .unknownRequest,
            .notGranted, .insufficientScope("openid"), .invalidRedirectURI, .invalidClientMetadata,
        ] + UnsupportedParameter.allCases.map(OAuthError.unsupported)

    var ordinal: Int {
        switch self {
        case .invalidRequest: 0
        case .invalidClient: 1
        case .unauthorizedClient: 2
        case .unsupportedGrantType: 3
        case .unsupportedResponseType: 4
        case .invalidGrant: 5
        case .invalidScope: 6
        case .invalidTarget: 7
        case .accessDenied: 8
        case .loginRequired: 9
        case .consentRequired: 10
        case .unknownRequest: 11
        case .notGranted: 12
        case .insufficientScope: 13
        case .unsupported: 14
        case .invalidRedirectURI: 15
        case .invalidClientMetadata: 16
        }
    }
    static let ordinals = 0...16
}
