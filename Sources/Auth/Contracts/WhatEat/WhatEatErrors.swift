internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON

/// `{"error": "<sentence>", "code": "<CODE>"}`, with the codes that the app knows.
enum WhatEatErrors {
    static let format = ErrorFormat(
        differences: { error, failed in
            switch error {
            case .request(let error): difference(error)
            case .auth(let error): difference(error, failed.operation)
            }
        },
        envelope: { response, _, _ in
            Answer(
                response.status,
                ["error": .string(response.message), "code": .string(response.code.text)],
                headers: response.headers)
        })

    private static func difference(_ error: RequestError) -> ErrorResponse? {
        switch error {
        case .bodyTooLarge:
            ErrorResponse(413, "REQUEST_TOO_LARGE", "Request body is too large")
        case .unsupportedMediaType:
            ErrorResponse(
                415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json")
        case .undecodablePath, .tooManyFields, .bodyNotJSON, .bodyNotAnObject, .bodyNotAForm,
            .foreignForm, .foreignHost, .insecureScheme:
            ErrorResponse(400, "INVALID_REQUEST", "Request is not valid")
        case .missingField("provider"), .invalidField("provider", _): invalidProvider
        case .missingField("idToken"), .invalidField("idToken", _):
            ErrorResponse(400, "MISSING_TOKEN", "idToken field is required")
        case .missingField("refreshToken"), .invalidField("refreshToken", _):
            ErrorResponse(400, "MISSING_REFRESH_TOKEN", "refreshToken field is required")
        case .missingField(let field), .invalidField(let field, _):
            ErrorResponse(400, "INVALID_REQUEST", "\(field) field is not valid")
        case .notFound: ErrorResponse(404, "NOT_FOUND", "Not found")
        case .methodNotAllowed(let allowed):
            ErrorResponse(405, "METHOD_NOT_ALLOWED", "Method not allowed")
                .adding("allow", allowed.joined(separator: ", "))
        }
    }

    private static let invalidProvider = ErrorResponse(
        400, "INVALID_PROVIDER", "Provider must be \"apple\" or \"google\"")

    private static func difference(
        _ error: AuthError, _ operation: AuthOperation
    ) -> ErrorResponse? {
        switch error {
        case .signIn(.unknownProvider): invalidProvider
        case .signIn(.nonceRequired):
            ErrorResponse(400, "INVALID_REQUEST", "nonce field is not valid")
        case .signIn(.identityRejected(.keysUnavailable)): serviceError(operation)
        case .signIn(.identityRejected), .signIn(.identityTokenReused), .signIn(.challengeUnknown):
            ErrorResponse(401, "AUTH_FAILED", "Invalid or expired identity token")
        // The app signs out only if a refresh is answered with 401.
        case .account(.disabled) where operation == .refresh:
            ErrorResponse(
                401, "INVALID_REFRESH_TOKEN", "Refresh token is invalid or expired")
        case .refreshToken:
            ErrorResponse(
                401, "INVALID_REFRESH_TOKEN", "Refresh token is invalid or expired")
        case .account(.disabled):
            ErrorResponse(403, "ACCOUNT_DISABLED", "This account is disabled")
        case .accessToken(.missing):
            ErrorResponse(401, "UNAUTHORIZED", "Missing or invalid authorization header")
                .challenging()
        case .accessToken(.expired):
            ErrorResponse(401, "TOKEN_EXPIRED", "Access token expired")
                .challenging("invalid_token")
        case .accessToken(.malformed), .accessToken(.invalid), .accessToken(.sessionEnded):
            ErrorResponse(401, "UNAUTHORIZED", "Missing or invalid authorization header")
                .challenging("invalid_token")
        case .accessToken(.proofRequired), .accessToken(.proofRefused): nil
        case .accessToken(.administratorsOnly): ErrorResponse(403, "FORBIDDEN", "Not permitted")
        case .session(.notFound): ErrorResponse(404, "NOT_FOUND", "Not found")
        case .rateLimited(let seconds):
            ErrorResponse(429, "RATE_LIMITED", "Too many requests")
                .adding("retry-after", "\(seconds)")
        // Errors of operations that this contract does not have.
        case .proof, .password, .emailLink, .account(.emailTaken), .account(.guest), .method,
            .administration, .oauth, .session(.recentSignInRequired), .session(.stepUpRequired),
            .passkey, .hook, .device, .notificationRejected, .notConfigured, .signIn(.codeInvalid):
            nil
        // This contract has no second factors, but it may share accounts with one that does.
        case .secondFactor: nil
        case .storage, .unavailable, .fault: serviceError(operation)
        }
    }

    /// One code per endpoint for all internal errors.
    private static func serviceError(_ operation: AuthOperation) -> ErrorResponse {
        operation == .refresh
            ? ErrorResponse(500, "REFRESH_SERVICE_ERROR", "Server error during token refresh")
            : ErrorResponse(500, "AUTH_SERVICE_ERROR", "Server error during authentication")
    }
}
