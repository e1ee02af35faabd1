internal import AuthOperations
internal import IdentityProviders
internal import JSON

/// `{"error": {"code", "message"}}`. The codes are the cases of the app's `GoogleSignInError` that
/// a server can cause, and the standard codes for everything else.
enum PhotolalaErrors {
    static let format = ErrorFormat(
        differences: { error, _ in
            switch error {
            case .request(let error): difference(error)
            case .auth(let error): difference(error)
            }
        },
        envelope: { response, _, _ in
            Answer(
                response.status,
                [
                    "error": [
                        "code": .string(response.code.text), "message": .string(response.message),
                    ]
                ], headers: response.headers)
        })

    private static func difference(_ error: RequestError) -> ErrorResponse? {
        switch error {
        case .missingField("provider"), .invalidField("provider", _): invalidProvider
        case .missingField("idToken"), .invalidField("idToken", _):
            ErrorResponse(400, "invalidIDToken", "The ID token is missing")
        case .missingField(let field), .invalidField(let field, _):
            ErrorResponse(400, "invalidRequest", "\(field) is not valid")
        case .insecureScheme, .undecodablePath, .tooManyFields, .notFound, .methodNotAllowed,
            .bodyTooLarge, .unsupportedMediaType, .foreignForm, .foreignHost, .bodyNotJSON,
            .bodyNotAnObject, .bodyNotAForm:
            ErrorResponse(400, "invalidRequest", "The request is not valid")
        }
    }

    private static let invalidProvider = ErrorResponse(
        400, "invalidProvider", "The provider must be \"apple\" or \"google\"")
    private static let unavailable = ErrorResponse(
        503, "serviceUnavailable", "Try again in a moment")

    private static func difference(_ error: AuthError) -> ErrorResponse? {
        switch error {
        case .signIn(.unknownProvider): invalidProvider
        case .signIn(.nonceRequired):
            ErrorResponse(400, "invalidRequest", "nonce is not valid")
        case .signIn(.identityRejected(let failure)): difference(failure)
        case .signIn(.identityTokenReused):
            ErrorResponse(401, "invalidIDToken", "This ID token was used before")
        case .signIn(.challengeUnknown):
            ErrorResponse(401, "nonceMismatch", "The nonce does not match")
        case .account(.disabled):
            ErrorResponse(403, "accountDisabled", "This account is disabled")
        case .rateLimited(let seconds):
            ErrorResponse(429, "rateLimited", "Too many requests")
                .adding("retry-after", "\(seconds)")
        case .storage:
            ErrorResponse(
                502, "credentialsUnavailable", "Storage credentials could not be issued")
        case .unavailable: unavailable
        case .notConfigured:
            ErrorResponse(
                503, "notConfigured", "This server is not set up for this request")
        case .method(.alreadyAdded), .method(.takenByOtherAccount):
            ErrorResponse(409, "alreadyLinked", "This account is already linked")
        case .method(.accountNotFound):
            ErrorResponse(404, "accountNotFound", "Sign in first: there is no account")
        // This contract has no second factors, but it may share accounts with one that does.
        case .secondFactor:
            ErrorResponse(
                403, "secondFactorRequired",
                "This account has a second factor, which cannot be provided here")
        case .administration(.userNotFound):
            ErrorResponse(404, "userNotFound", "No such user")
        case .accessToken, .refreshToken, .proof, .password, .emailLink, .account(.emailTaken),
            .account(.guest), .method, .session, .passkey, .hook, .device, .notificationRejected,
            .administration, .oauth, .fault, .signIn(.codeInvalid):
            ErrorResponse(500, "internalError", "Internal error")
        }
    }

    private static func difference(_ failure: IdentityFailure) -> ErrorResponse {
        switch failure {
        case .invalidIDToken, .invalidSubject:
            ErrorResponse(401, "invalidIDToken", "The ID token is not valid")
        case .missingKeyID: ErrorResponse(401, "missingKeyID", "The ID token names no key")
        case .unknownKeyID:
            ErrorResponse(401, "unknownKeyID", "The ID token's key is not the provider's")
        case .invalidSignature:
            ErrorResponse(401, "invalidSignature", "The ID token's signature is wrong")
        case .invalidIssuer:
            ErrorResponse(401, "invalidIssuer", "The ID token is from another issuer")
        case .invalidAudience:
            ErrorResponse(401, "invalidAudience", "The ID token is for another app")
        case .tokenExpired, .tokenTooOld:
            ErrorResponse(401, "tokenExpired", "The ID token has expired")
        case .invalidIssuedAt, .tokenNotYetValid:
            ErrorResponse(401, "invalidIssuedAt", "The ID token is from the future")
        case .nonceMismatch: ErrorResponse(401, "nonceMismatch", "The nonce does not match")
        case .keysUnavailable: unavailable
        }
    }
}
