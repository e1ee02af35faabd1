import AuthTestSupport

extension OAuthError {
    static let samples: [OAuthError] =
        [
            .invalidRequest("A parameter is repeated."), .invalidClient, .unauthorizedClient,
            .unsupportedGrantType, .unsupportedResponseType, .invalidGrant(.used),
            .invalidScope(nil), .invalidScope(RepeatedText("photos:write")), .invalidTarget(nil),
            .invalidTarget(RepeatedText("https://photos.example.com/")), .accessDenied,
            .loginRequired, .consentRequired, .unknownRequest,
            .notGranted, .insufficientScope("openid"), .clientNotFound, .configuredClient,
            .authorizationPending, .slowDown, .expiredToken, .wrongUserCode,
            .interactionRequired, .unmetRequirements, .useNonce("1.a", withToken: false),
            .useNonce("1.a", withToken: true),
        ] + descriptions + UnsupportedParameter.allCases.map(OAuthError.unsupported)

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
        case .unacceptable: 15
        case .clientNotFound: 16
        case .configuredClient: 17
        case .authorizationPending: 18
        case .slowDown: 19
        case .expiredToken: 20
        case .wrongUserCode: 21
        case .interactionRequired: 22
        case .unmetRequirements: 23
        case .useNonce: 24
        }
    }
    static let ordinals = 0...24

    /// Refused descriptions of clients.
    private static var descriptions: [OAuthError] {
        let refused: [JSONObject] = [
            ["redirect_uris": ["javascript:1"]], ["grant_types": "code"],
        ]
        return refused.compactMap { members in
            do throws(ClientMetadata.Problem) {
                _ = try ClientMetadata(members).registration(
                    as: "lkc_a", signingIDTokensWith: [.rs256])
                return nil
            } catch {
                return .unacceptable(error)
            }
        }
    }
}
