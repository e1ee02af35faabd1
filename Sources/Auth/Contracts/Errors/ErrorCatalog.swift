package import AuthDomain
internal import AuthOperations
internal import IdentityProviders

// The standard response to every error, in exhaustive switches by feature. Contracts define only
// differences.

extension ErrorResponse {
    /// - Parameter operation: determines the field name for a refused password.
    package init(standard error: APIError, of operation: AuthOperation? = nil) {
        self =
            switch error {
            case .request(let error): .standard(error)
            case .auth(let error): .standard(error)
            }
        if case .auth(.password(.refused)) = error {
            let isFirst = operation == .register || operation == .addPassword
            field = isFirst ? "password" : "newPassword"
        }
        if operation == .stepUp { self = self.ofStepUp(error) }
        if operation == .mergeAccounts, case .auth(.secondFactor(.required)) = error {
            message = "Provide a second-factor code of the account that remains."
        }
    }

    /// Completes an error of a step-up: adds the wrong field, or the ways in which the user can
    /// prove the identity.
    private func ofStepUp(_ error: APIError) -> ErrorResponse {
        var response = self
        switch error {
        case .auth(.password(.wrongCurrentPassword)): response.field = "password"
        case .auth(.secondFactor(.required)):
            response.message = "Provide a second-factor code, or a passkey."
        default: break
        }
        return response
    }

    private static func standard(_ error: AuthError) -> ErrorResponse {
        switch error {
        case .signIn(let error): standard(error)
        case .accessToken(let error): standard(error)
        case .refreshToken:
            ErrorResponse(
                401, "INVALID_REFRESH_TOKEN", "The refresh token is invalid or expired.")
        case .proof(let error): standard(error)
        case .account(let error): standard(error)
        case .method(let error): standard(error)
        case .password(let error): standard(error)
        case .emailLink(let error): standard(error)
        case .secondFactor(let error): standard(error)
        case .passkey(let error): standard(error)
        case .hook(let error): standard(error)
        case .device(let error): standard(error)
        case .session(let error): standard(error)
        case .storage(let error): standard(error)
        case .notificationRejected(.keysUnavailable): unavailable
        case .notificationRejected:
            ErrorResponse(
                401, "INVALID_NOTIFICATION",
                "The notification is not signed by Apple for this app, or has expired.")
        case .administration(let error): standard(error)
        case .oauth(let error): standard(error)
        case .rateLimited(let seconds):
            ErrorResponse(429, "RATE_LIMITED", "Too many requests.")
                .adding("retry-after", "\(seconds)")
        case .unavailable: unavailable
        // There is no Retry-After: trying again does not help until the operator adds the settings.
        case .notConfigured:
            ErrorResponse(503, "NOT_CONFIGURED", "This server is not set up for this request.")
        case .fault: ErrorResponse(500, "INTERNAL_ERROR", "Internal error.")
        }
    }

    private static func standard(_ error: ProofError) -> ErrorResponse {
        switch error {
        case .required:
            ErrorResponse(400, "DPOP_PROOF_REQUIRED", "A DPoP proof is required.")
        case .wrongKey:
            ErrorResponse(400, "INVALID_DPOP_PROOF", "The session is bound to another key.")
        case .invalid, .expired, .replayed:
            ErrorResponse(
                400, "INVALID_DPOP_PROOF",
                "The DPoP proof is not for this request, is too old or was already used.")
        }
    }

    private static func standard(_ error: AccountError) -> ErrorResponse {
        switch error {
        case .disabled:
            ErrorResponse(403, "ACCOUNT_DISABLED", "This account is disabled.")
        case .emailTaken:
            ErrorResponse(
                409, "EMAIL_TAKEN", "This e-mail address is already registered.", field: "email")
        case .guest:
            ErrorResponse(
                403, "GUEST_ACCOUNT", "A guest cannot do this: add a way to sign in first.")
        }
    }

    private static func standard(_ error: EmailLinkError) -> ErrorResponse {
        switch error {
        case .invalid:
            ErrorResponse(
                400, "INVALID_LINK", "The link is invalid, has expired or was already used.",
                field: "token")
        case .invalidCode:
            ErrorResponse(
                400, "INVALID_CODE",
                "The code is wrong or no longer valid. After five attempts, ask for another.",
                field: "code")
        case .alreadyVerified:
            ErrorResponse(409, "EMAIL_ALREADY_VERIFIED", "The e-mail address is verified already.")
        case .noAddress:
            ErrorResponse(409, "NO_EMAIL", "The account has no e-mail address.")
        }
    }

    private static func standard(_ error: DeviceError) -> ErrorResponse {
        switch error {
        case .notFound:
            ErrorResponse(404, "DEVICE_NOT_FOUND", "No such device.", field: "id")
        case .notCurrent:
            ErrorResponse(
                409, "NOT_THIS_DEVICE",
                "You can only trust the device that this session belongs to.",
                field: "id")
        }
    }

    private static func standard(_ error: SessionError) -> ErrorResponse {
        switch error {
        // The status is not 401, because an app would refresh its token and try again.
        case .recentSignInRequired(let requirement):
            ErrorResponse(
                403, "RECENT_SIGN_IN_REQUIRED", "Sign in again, then repeat the request."
            ).challenging(for: requirement)
        case .stepUpRequired(let requirement):
            ErrorResponse(
                401, "STEP_UP_REQUIRED", "Prove again who you are, then repeat the request."
            ).challenging(for: requirement)
        case .notFound:
            ErrorResponse(404, "SESSION_NOT_FOUND", "No such session.", field: "id")
        }
    }

    private static let unavailable = ErrorResponse(
        503, "SERVICE_UNAVAILABLE", "Try again in a moment.", headers: [("retry-after", "1")])

    private static func standard(_ error: RequestError) -> ErrorResponse {
        switch error {
        case .insecureScheme: ErrorResponse(400, "HTTPS_REQUIRED", "HTTPS is required.")
        case .undecodablePath:
            ErrorResponse(400, "INVALID_REQUEST", "The path or query cannot be decoded.")
        case .tooManyFields:
            ErrorResponse(431, "TOO_MANY_FIELDS", "Too many headers, cookies or parameters.")
        case .notFound: ErrorResponse(404, "NOT_FOUND", "Not found.")
        case .methodNotAllowed(let allowed):
            ErrorResponse(405, "METHOD_NOT_ALLOWED", "Method not allowed.")
                .adding("allow", allowed.joined(separator: ", "))
        case .bodyTooLarge: ErrorResponse(413, "REQUEST_TOO_LARGE", "The body is too large.")
        case .unsupportedMediaType:
            ErrorResponse(
                415, "UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.")
        case .foreignForm:
            ErrorResponse(403, "FOREIGN_FORM", "The form was sent from another site.")
        case .foreignHost:
            ErrorResponse(403, "FOREIGN_FORM", "The pages have another address: see ISSUER.")
        case .bodyNotJSON:
            ErrorResponse(400, "INVALID_REQUEST", "The body is not valid JSON.")
        case .bodyNotAnObject:
            ErrorResponse(400, "INVALID_REQUEST", "The body is not a JSON object.")
        case .bodyNotAForm:
            ErrorResponse(400, "INVALID_REQUEST", "The body is not a valid form.")
        case .missingField("provider"), .invalidField("provider", _): unknownProvider
        case .missingField("idToken"):
            ErrorResponse(400, "MISSING_TOKEN", "idToken is required.", field: "idToken")
        case .missingField("refreshToken"):
            ErrorResponse(
                400, "MISSING_REFRESH_TOKEN", "refreshToken is required.", field: "refreshToken")
        case .missingField(let field):
            ErrorResponse(400, "INVALID_REQUEST", "\(field) is required.", field: field)
        case .invalidField(let field, let defect):
            ErrorResponse(400, "INVALID_REQUEST", "\(field) \(defect.rule).", field: field)
        }
    }

    private static let unknownProvider = ErrorResponse(
        400, "INVALID_PROVIDER", "provider is not configured.", field: "provider")

    private static func standard(_ error: SignInError) -> ErrorResponse {
        switch error {
        case .unknownProvider: unknownProvider
        case .nonceRequired:
            ErrorResponse(400, "INVALID_REQUEST", "nonce is required.", field: "nonce")
        case .identityRejected(.nonceMismatch), .challengeUnknown:
            ErrorResponse(
                401, "NONCE_MISMATCH", "Request a new challenge and sign in again.",
                field: "nonce")
        case .identityRejected(.keysUnavailable): unavailable
        case .codeInvalid:
            ErrorResponse(
                400, "INVALID_SIGN_IN_CODE",
                "The code is invalid, has expired or was used: begin the sign-in again.",
                field: "code")
        case .identityRejected, .identityTokenReused:
            ErrorResponse(
                401, "AUTH_FAILED", "The identity token is invalid, expired or already used.")
        }
    }

    private static func standard(_ error: AccessTokenError) -> ErrorResponse {
        switch error {
        case .missing:
            ErrorResponse(401, "UNAUTHORIZED", "A bearer token is required.").challenging()
        case .expired:
            ErrorResponse(
                401, "TOKEN_EXPIRED", "The access token has expired: refresh, then try again."
            ).challenging("invalid_token")
        case .malformed, .invalid, .sessionEnded:
            ErrorResponse(
                401, "UNAUTHORIZED", "The access token is invalid or its session has ended."
            ).challenging("invalid_token")
        case .proofRequired:
            ErrorResponse(
                401, "DPOP_PROOF_REQUIRED",
                "Send the access token with the scheme DPoP, and a proof of its key."
            ).challengingForProof("invalid_token")
        case .proofRefused:
            ErrorResponse(
                401, "INVALID_DPOP_PROOF",
                "The DPoP proof is not by the token's key, is not for this request, is too old "
                    + "or was already used."
            ).challengingForProof("invalid_dpop_proof")
        case .administratorsOnly: ErrorResponse(403, "FORBIDDEN", "Administrators only.")
        }
    }

    private static func standard(_ error: StorageError) -> ErrorResponse {
        switch error {
        case .prefixRefused:
            ErrorResponse(
                400, "INVALID_PREFIX", "prefix must be a plain path below your own.",
                field: "prefix")
        case .durationRefused:
            ErrorResponse(
                400, "INVALID_DURATION", "durationSeconds must be from 900 to 3600.",
                field: "durationSeconds")
        case .policyTooLarge:
            ErrorResponse(
                400, "PREFIX_TOO_LONG", "The prefix does not fit into a policy.",
                field: "prefix")
        case .refused:
            ErrorResponse(
                502, "STORAGE_SERVICE_ERROR", "Storage credentials could not be issued.")
        }
    }
}

extension FieldDefect {
    /// The text after the field's name in a message.
    var rule: String {
        switch self {
        case .notText: "must be a string"
        case .notInteger: "must be an integer"
        case .notObject: "must be an object"
        case .notFlag: "must be true or false"
        case .notList(let itemsMax): "must be a list of at most \(itemsMax) items"
        case .tooLong(let bytesMax): "must have at most \(bytesMax) bytes"
        case .notEmailAddress: "must be an e-mail address"
        case .differsFrom(let other): "must be the same as \(other)"
        case .notOneOf(let choices): "must be one of \(choices.joined(separator: ", "))"
        case .unknown(let known):
            "is not a member of this request, which has \(known.joined(separator: ", "))"
        case .malformedCredential(let member):
            "must be the JSON form of a public key credential, whose \(member) is not valid"
        case .outOfRange(let range): "must be from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}
