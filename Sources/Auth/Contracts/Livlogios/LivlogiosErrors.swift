internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON

/// `{"error": {"code", "message"}}`, with the two errors of the seed (LV12, LV17) and the standard
/// codes for the rest (LV7).
enum LivlogiosErrors {
    static let format = ErrorFormat(
        differences: { error, failed in
            guard case .auth(let error) = error else { return nil }
            return difference(error, failed.operation)
        },
        envelope: { response, error, _ in
            if case .request(.insecureScheme) = error { return .text(400, "HTTPS required") }
            return Answer(
                response.status,
                [
                    "error": [
                        "code": .string(response.code.text), "message": .string(response.message),
                    ]
                ], headers: response.headers)
        })

    private static let invalidRefreshToken = ErrorResponse(
        401, "INVALID_REFRESH_TOKEN", "Refresh token is invalid or expired")

    private static func difference(
        _ error: AuthError, _ operation: AuthOperation
    ) -> ErrorResponse? {
        switch error {
        case .signIn(.identityRejected(.keysUnavailable)): nil
        case .signIn:
            ErrorResponse(401, "INVALID_TOKEN", "Apple identity token is invalid or expired")
        case .refreshToken: invalidRefreshToken
        case .account(.disabled):
            switch operation {
            // The client has no access token here, so it gets the standard 403.
            case .signIn, .login, .resetPassword: nil
            case .refresh: invalidRefreshToken
            // On 401 the app refreshes its tokens, and the refused refresh signs it out.
            default: ErrorResponse(standard: .auth(.accessToken(.sessionEnded)))
            }
        default: nil
        }
    }
}
