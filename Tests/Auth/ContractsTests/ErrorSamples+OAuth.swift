extension OAuthError {
    static let samples: [OAuthError] =
        [
            .invalidRequest("A parameter is repeated."), .invalidClient(.unknown),
            .invalidClient(.otherMethod, expected: .basic), .unauthorizedClient(.refreshToken),
            .unsupportedGrantType, .unsupportedResponseType, .invalidGrant(.used),
            .invalidScope(nil, .tooLong), .invalidScope(RepeatedText("photos:write"), .unknown),
            .invalidTarget(nil), .invalidTarget(RepeatedText("https://photos.example.com/")),
            .accessDenied, .loginRequired, .consentRequired, .unknownRequest,
            .notGranted, .insufficientScope("openid"), .clientNotFound, .configuredClient,
            .targetMissing, .tokenOfOtherServer,
            .authorizationPending, .slowDown, .expiredToken, .wrongUserCode,
            .interactionRequired, .unmetRequirements, .useNonce("1.a", withToken: false),
            .useNonce("1.a", withToken: true),
        ] + descriptions + UnsupportedParameter.allCases.map(OAuthError.unsupported)

    func remindOfSamples() {
        switch self {
        case .invalidRequest, .invalidClient, .unauthorizedClient, .unsupportedGrantType,
            .unsupportedResponseType, .invalidGrant, .invalidScope, .invalidTarget, .accessDenied,
            .loginRequired, .consentRequired, .unknownRequest, .notGranted, .insufficientScope,
            .unsupported, .unacceptable, .clientNotFound, .configuredClient, .authorizationPending,
            .slowDown, .expiredToken, .wrongUserCode, .interactionRequired, .unmetRequirements,
            .useNonce, .targetMissing, .tokenOfOtherServer:
            ()
        }
    }

    /// Refused descriptions of clients.
    private static var descriptions: [OAuthError] {
        let refused: [JSONObject] = [["redirect_uris": ["javascript:1"]], ["grant_types": "code"]]
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
