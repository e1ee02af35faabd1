internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON
internal import Time

extension Contract {
    /// A direct invoke of `photolala-auth-signin`: the user and storage credentials in one
    /// answer, no session.
    package static let photolala = Contract(
        name: "photolala",
        policy: Policy(
            accessTokenLifetime: .hours(1),
            idleLifetime: .days(30),
            absoluteLifetime: .days(365),
            grace: .seconds(60),
            reuseScope: .family,
            refreshTokenForm: .opaque(prefix: "plr_"),
            accessToken: AccessTokenForm(
                algorithm: .es256, type: "at+jwt", audience: "photolala", carriesEmail: false),
            nonce: .echoed,
            identityTokenAgeMax: .hours(1),
            rateLimits: .standard),
        endpoints: [
            Endpoint(
                .signIn, nil,
                .signInForStorage(read: readSignIn) { output, credentials in
                    Answer([
                        "user": user(output.user), "credentials": storageKeys(credentials.keys),
                    ])
                })
        ],
        face: render)
}

@Sendable private func readSignIn(_ fields: Fields) throws(Problem) -> SignIn.Input {
    let provider = try fields.required("provider")
    guard provider == "apple" || provider == "google" else { throw .unknownProvider }
    return SignIn.Input(
        provider: provider, idToken: try fields.required("idToken"),
        nonce: try fields.text("nonce"))
}

/// `PhotolalaUser`. Its display name is not optional, so somebody whom no provider named is
/// called after the provider.
private func user(_ user: User) -> JSON {
    var body: JSONObject = ["id": .string(user.id.text)]
    body["appleUserID"] = user.subject(at: "apple").map { .string($0) }
    body["googleUserID"] = user.subject(at: "google").map { .string($0) }
    body["email"] = user.email.map { .string($0) }
    let fallback = user.subject(at: "apple") == nil ? "Google User" : "Apple User"
    body["displayName"] = .string(user.displayName ?? fallback)
    body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
    body["updatedAt"] = .string(user.updatedAt.iso8601Milliseconds)
    return .object(body)
}

/// The codes are the cases of the seed's `GoogleSignInError` that a server can see, and our own
/// where the seed has none.
@Sendable private func render(_ problem: Problem, _ operation: Operation) -> Face {
    switch problem {
    case .identityRejected(let failure): identityFace(failure)
    case .identityTokenSpent: error(401, "invalidIDToken", "This ID token was used before")
    case .challengeUnknown: error(401, "nonceMismatch", "The nonce does not match")
    case .missing("provider"), .invalid("provider"), .unknownProvider:
        error(400, "invalidProvider", "The provider must be \"apple\" or \"google\"")
    case .missing("idToken"), .invalid("idToken"):
        error(400, "invalidIDToken", "The ID token is missing")
    case .missing(let field), .invalid(let field):
        error(400, "invalidRequest", "\(field) is not valid")
    case .malformed, .noSuchRoute, .methodNotAllowed:
        error(400, "invalidRequest", "The request is not valid")
    case .accountDisabled: error(403, "accountDisabled", "This account is disabled")
    case .rateLimited(let seconds):
        error(429, "rateLimited", "Too many requests").adding(("retry-after", "\(seconds)"))
    case .storageRefused, .policyTooLarge, .prefixRefused, .durationRefused:
        error(502, "credentialsUnavailable", "Storage credentials could not be issued")
    case .unavailable: error(503, "serviceUnavailable", "Try again in a moment")
    case .accessTokenMissing, .accessTokenRejected, .notPermitted, .refreshTokenRejected,
        .sessionNotFound, .fault:
        error(500, "internalError", "Something is wrong on our side")
    }
}

private func identityFace(_ failure: IdentityFailure) -> Face {
    switch failure {
    case .invalidIDToken, .invalidSubject:
        error(401, "invalidIDToken", "The ID token is not valid")
    case .missingKeyID: error(401, "missingKeyID", "The ID token names no key")
    case .unknownKeyID: error(401, "unknownKeyID", "The ID token's key is not the provider's")
    case .invalidSignature: error(401, "invalidSignature", "The ID token's signature is wrong")
    case .invalidIssuer: error(401, "invalidIssuer", "The ID token is from another issuer")
    case .invalidAudience: error(401, "invalidAudience", "The ID token is for another app")
    case .tokenExpired, .tokenTooOld: error(401, "tokenExpired", "The ID token has expired")
    case .invalidIssuedAt, .tokenNotYetValid:
        error(401, "invalidIssuedAt", "The ID token is from the future")
    case .nonceMismatch: error(401, "nonceMismatch", "The nonce does not match")
    case .keysUnavailable: error(503, "serviceUnavailable", "Try again in a moment")
    }
}

private func error(_ status: Int, _ code: StaticCode, _ message: String) -> Face {
    Face(
        Answer(
            status, ["error": ["code": .string(code.text), "message": .string(message)]]),
        code: code)
}
