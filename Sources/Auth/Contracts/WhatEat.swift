internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON
internal import Time

extension Contract {
    /// `/api/v1`, flat errors, HS256, `v1.` refresh tokens.
    package static let whateat = Contract(
        name: "whateat",
        policy: Policy(
            accessTokenLifetime: .hours(1),
            idleLifetime: .days(30),
            absoluteLifetime: .days(365),
            grace: .seconds(60),
            reuseScope: .family,
            refreshTokenForm: .opaque(prefix: "v1."),
            accessToken: AccessTokenForm(
                algorithm: .hs256, type: "JWT", audience: "whateat", carriesEmail: false),
            nonce: .none,
            rateLimits: .standard),
        endpoints: [
            Endpoint(
                .signIn, .post("/api/v1/auth/signin"),
                .signIn(read: readSignIn) { output in
                    Answer(output.tokens.map { session($0) })
                }),
            Endpoint(
                .refresh, .post("/api/v1/auth/refresh"),
                .refresh(
                    read: { fields throws(Problem) in try fields.required("refreshToken") },
                    write: { Answer(session($0)) })),
            Endpoint(
                .signOut, .post("/api/v1/auth/signout"),
                .signOut(
                    read: { _ throws(Problem) in SignOutRequest() },
                    write: { Answer(["success": true]) })),
        ],
        face: render)
}

@Sendable private func readSignIn(_ fields: Fields) throws(Problem) -> SignIn.Input {
    let provider = try fields.required("provider")
    guard provider == "apple" || provider == "google" else { throw .unknownProvider }
    var input = SignIn.Input(provider: provider, idToken: try fields.required("idToken"))
    if let name = try fields.object("fullName") {
        input.fullName = PersonName(
            given: try name.text("givenName"), family: try name.text("familyName"))
    }
    return input
}

private func session(_ tokens: SessionTokens) -> JSON {
    [
        "accessToken": .string(tokens.access.reveal()),
        "refreshToken": .string(tokens.refresh.reveal()),
        "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
        "expiresAt": .number(JSONNumber(tokens.access.expiresAt.seconds)),
        "user": [
            "id": .string(tokens.user.id.text),
            "email": tokens.user.email.map { .string($0) } ?? .null,
            "createdAt": .string(tokens.user.createdAt.iso8601Milliseconds),
        ],
    ]
}

@Sendable private func render(_ problem: Problem, _ operation: Operation) -> Face {
    switch problem {
    case .malformed(.tooLarge): error(413, "REQUEST_TOO_LARGE", "Request body is too large")
    case .malformed(.unsupportedMediaType):
        error(415, "UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json")
    case .malformed: error(400, "INVALID_REQUEST", "Request is not valid")
    case .missing("provider"), .invalid("provider"), .unknownProvider:
        error(400, "INVALID_PROVIDER", "Provider must be \"apple\" or \"google\"")
    case .missing("idToken"), .invalid("idToken"):
        error(400, "MISSING_TOKEN", "idToken field is required")
    case .missing("refreshToken"), .invalid("refreshToken"):
        error(400, "MISSING_REFRESH_TOKEN", "refreshToken field is required")
    case .missing(let field), .invalid(let field):
        error(400, "INVALID_REQUEST", "\(field) field is not valid")
    case .noSuchRoute: error(404, "NOT_FOUND", "Not found")
    case .methodNotAllowed(let allowed):
        error(405, "METHOD_NOT_ALLOWED", "Method not allowed")
            .adding(("allow", allowed.joined(separator: ", ")))
    case .identityRejected(.keysUnavailable): serviceError(operation)
    case .identityRejected, .identityTokenSpent, .challengeUnknown:
        error(401, "AUTH_FAILED", "Invalid or expired identity token")
    case .accountDisabled: error(403, "ACCOUNT_DISABLED", "This account is disabled")
    case .accessTokenMissing:
        error(401, "UNAUTHORIZED", "Missing or invalid authorization header").challenging(nil)
    case .accessTokenRejected(.expired):
        error(401, "TOKEN_EXPIRED", "Access token expired").challenging("invalid_token")
    case .accessTokenRejected:
        error(401, "UNAUTHORIZED", "Missing or invalid authorization header")
            .challenging("invalid_token")
    case .notPermitted: error(403, "FORBIDDEN", "Not permitted")
    case .refreshTokenRejected:
        error(401, "INVALID_REFRESH_TOKEN", "Refresh token is invalid or expired")
    case .sessionNotFound: error(404, "NOT_FOUND", "Not found")
    case .rateLimited(let seconds):
        error(429, "RATE_LIMITED", "Too many requests").adding(("retry-after", "\(seconds)"))
    case .prefixRefused, .durationRefused, .policyTooLarge, .storageRefused, .unavailable, .fault:
        serviceError(operation)
    }
}

/// The seed has one code per endpoint for whatever goes wrong on the server.
private func serviceError(_ operation: Operation) -> Face {
    operation == .refresh
        ? error(500, "REFRESH_SERVICE_ERROR", "Server error during token refresh")
        : error(500, "AUTH_SERVICE_ERROR", "Server error during authentication")
}

private func error(_ status: Int, _ code: StaticCode, _ message: String) -> Face {
    Face(
        Answer(status, ["error": .string(message), "code": .string(code.text)]), code: code)
}
