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
            message = "Give a code of the second factor of the account that stays."
        }
    }

    /// The fields and the ways of a step-up.
    private func ofStepUp(_ error: APIError) -> ErrorResponse {
        var response = self
        switch error {
        case .auth(.password(.wrongCurrentPassword)): response.field = "password"
        case .auth(.secondFactor(.required)):
            response.message = "Give a code of the second factor, or a passkey."
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
        case .proof(.required):
            ErrorResponse(400, "DPOP_PROOF_REQUIRED", "A DPoP proof is required.")
        case .proof(.wrongKey):
            ErrorResponse(400, "INVALID_DPOP_PROOF", "The session is bound to another key.")
        case .proof(.invalid), .proof(.expired), .proof(.replayed):
            ErrorResponse(
                400, "INVALID_DPOP_PROOF",
                "The DPoP proof is not one for this request, is too old or was already used.")
        case .account(.disabled):
            ErrorResponse(403, "ACCOUNT_DISABLED", "This account is disabled.")
        case .account(.emailTaken):
            ErrorResponse(
                409, "EMAIL_TAKEN", "This e-mail address is already registered.", field: "email")
        case .account(.guest):
            ErrorResponse(
                403, "GUEST_ACCOUNT", "A guest cannot do this: add a way to sign in first.")
        case .method(let error): standard(error)
        case .password(let error): standard(error)
        case .emailLink(.invalid):
            ErrorResponse(
                400, "INVALID_LINK", "The link is invalid, has expired or was already used.",
                field: "token")
        case .emailLink(.invalidCode):
            ErrorResponse(
                400, "INVALID_CODE",
                "The code is wrong or no longer valid. After five attempts, ask for another.",
                field: "code")
        case .emailLink(.alreadyVerified):
            ErrorResponse(409, "EMAIL_ALREADY_VERIFIED", "The e-mail address is verified already.")
        case .emailLink(.noAddress):
            ErrorResponse(409, "NO_EMAIL", "The account has no e-mail address.")
        case .secondFactor(let error): standard(error)
        case .passkey(let error): standard(error)
        case .hook(let error): standard(error)
        case .device(.notFound):
            ErrorResponse(404, "DEVICE_NOT_FOUND", "No such device.", field: "id")
        case .device(.notCurrent):
            ErrorResponse(
                409, "NOT_THIS_DEVICE", "Only the device of this session can be trusted.",
                field: "id")
        // Not 401, at which an app refreshes its token and tries again.
        case .session(.recentSignInRequired(let requirement)):
            ErrorResponse(
                403, "RECENT_SIGN_IN_REQUIRED", "Sign in again, then repeat the request."
            ).challenging(for: requirement)
        case .session(.stepUpRequired(let requirement)):
            ErrorResponse(
                401, "STEP_UP_REQUIRED", "Prove again who you are, then repeat the request."
            ).challenging(for: requirement)
        case .session(.notFound):
            ErrorResponse(404, "SESSION_NOT_FOUND", "No such session.", field: "id")
        case .storage(let error): standard(error)
        case .notificationRejected(.keysUnavailable): unavailable
        case .notificationRejected:
            ErrorResponse(
                401, "INVALID_NOTIFICATION",
                "The notification is not signed by Apple for this app, or has expired.")
        case .administration(let error): standard(error)
        case .rateLimited(let seconds):
            ErrorResponse(429, "RATE_LIMITED", "Too many requests.")
                .adding("retry-after", "\(seconds)")
        case .unavailable: unavailable
        // Without Retry-After: trying again does not help until the operator adds the settings.
        case .notConfigured:
            ErrorResponse(503, "NOT_CONFIGURED", "This server is not set up for this request.")
        case .fault: ErrorResponse(500, "INTERNAL_ERROR", "Internal error.")
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
        400, "INVALID_PROVIDER", "provider is not one that is configured.", field: "provider")

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
                "The DPoP proof is not one of the token's key for this request, is too old or was "
                    + "already used."
            ).challengingForProof("invalid_dpop_proof")
        case .administratorsOnly: ErrorResponse(403, "FORBIDDEN", "Administrators only.")
        }
    }

    private static func standard(_ error: PasswordError) -> ErrorResponse {
        switch error {
        case .wrongCredentials:
            ErrorResponse(401, "INVALID_CREDENTIALS", "The e-mail address or password is wrong.")
        // Not 401, at which an app refreshes its token and tries again.
        case .wrongCurrentPassword:
            ErrorResponse(
                403, "WRONG_PASSWORD", "The current password is wrong.", field: "currentPassword")
        case .notSet:
            ErrorResponse(409, "NO_PASSWORD", "This account has no password.")
        case .refused(let defect):
            ErrorResponse(400, "INVALID_PASSWORD", defect.sentence)
        }
    }

    private static func standard(_ error: SecondFactorError) -> ErrorResponse {
        switch error {
        case .required:
            ErrorResponse(
                403, "SECOND_FACTOR_REQUIRED",
                "This account has a second factor, which cannot be given here.")
        case .ticketInvalid:
            ErrorResponse(
                401, "INVALID_TICKET", "The ticket is invalid, has expired or was used: sign in.",
                field: "ticket")
        case .wrongCode:
            ErrorResponse(403, "WRONG_CODE", "The code is wrong, has expired or was used.")
        case .recoveryCodeRequired:
            ErrorResponse(
                403, "RECOVERY_CODE_REQUIRED",
                "Too many wrong codes in a row: only a recovery code is accepted.")
        case .alreadyEnabled:
            ErrorResponse(
                409, "SECOND_FACTOR_ENABLED", "Remove the second factor before you add another.")
        case .notEnabled:
            ErrorResponse(409, "NO_SECOND_FACTOR", "This account has no second factor.")
        case .addressNotVerified:
            ErrorResponse(
                409, "EMAIL_NOT_VERIFIED", "Verify the e-mail address of the account first.")
        case .notEnrolled:
            ErrorResponse(
                409, "NOT_ENROLLED", "Enrol an authenticator app with this session first.")
        }
    }

    private static func standard(_ error: PasskeyError) -> ErrorResponse {
        switch error {
        case .ceremonyInvalid:
            ErrorResponse(
                400, "INVALID_CEREMONY",
                "The ceremony is unknown, has expired or was already used: begin another.",
                field: "ceremony")
        case .refused: ErrorResponse(401, "PASSKEY_REFUSED", "The passkey was not accepted.")
        case .registrationRefused:
            ErrorResponse(
                400, "INVALID_CREDENTIAL", "The new passkey was not accepted.",
                field: "credential")
        case .alreadyRegistered:
            ErrorResponse(
                409, "PASSKEY_ALREADY_ADDED", "An account already has this passkey.",
                field: "credential")
        case .notFound: ErrorResponse(404, "PASSKEY_NOT_FOUND", "No such passkey.", field: "id")
        case .tooMany:
            ErrorResponse(409, "TOO_MANY_PASSKEYS", "Remove a passkey before you add another.")
        }
    }

    private static func standard(_ error: HookError) -> ErrorResponse {
        switch error {
        case .refused(.beforeSignUp, let reason):
            ErrorResponse(403, "SIGN_UP_REFUSED", "This sign-up is not accepted.", reason: reason)
        case .refused(.beforeSignIn, let reason):
            ErrorResponse(403, "SIGN_IN_REFUSED", "This sign-in is not accepted.", reason: reason)
        case .secondFactorNeeded:
            ErrorResponse(
                403, "SECOND_FACTOR_NEEDED",
                "This sign-in needs a second factor, which the account does not have.")
        case .unavailable:
            ErrorResponse(
                503, "HOOK_UNAVAILABLE", "Try again in a moment.", headers: [("retry-after", "1")])
        }
    }

    private static func standard(_ error: MethodError) -> ErrorResponse {
        switch error {
        case .notFound:
            ErrorResponse(
                404, "METHOD_NOT_FOUND", "The account does not sign in that way.",
                field: "method")
        case .alreadyAdded:
            ErrorResponse(409, "METHOD_ALREADY_ADDED", "The account already signs in that way.")
        case .takenByOtherAccount:
            ErrorResponse(409, "IDENTITY_TAKEN", "Another account signs in with this identity.")
        case .mergeInvalid:
            ErrorResponse(
                400, "INVALID_MERGE",
                "The ticket is invalid, has expired or was used: add the way to sign in again.",
                field: "merge")
        case .mergeSessionInvalid:
            ErrorResponse(
                400, "INVALID_MERGE",
                "The session of the other account is not one of a recent sign-in: sign in to it again.",
                field: "into")
        case .last:
            ErrorResponse(
                409, "LAST_METHOD", "The last way to sign in cannot be removed.", field: "method")
        case .addressRequired:
            ErrorResponse(
                400, "EMAIL_REQUIRED", "Give an e-mail address: a link is mailed to it.",
                field: "email")
        case .accountNotFound:
            ErrorResponse(404, "ACCOUNT_NOT_FOUND", "Sign in first: there is no account.")
        }
    }

    private static func standard(_ error: AdministrationError) -> ErrorResponse {
        switch error {
        case .wrongPassword: ErrorResponse(401, "WRONG_PASSWORD", "The password is wrong.")
        case .sessionMissing:
            ErrorResponse(401, "ADMIN_LOGIN_REQUIRED", "Sign in as an administrator.")
        case .userNotFound: ErrorResponse(404, "USER_NOT_FOUND", "No such user.", field: "id")
        case .ownAccount:
            ErrorResponse(
                409, "OWN_ACCOUNT", "Administrators cannot do this to their own account.",
                field: "id")
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

extension PasswordDefect {
    package var sentence: String {
        switch self {
        case .tooShort(let charactersMin):
            "The password must have at least \(charactersMin) characters."
        case .tooLong(let bytesMax): "The password must have at most \(bytesMax) bytes."
        case .lacks(.uppercase): "The password must have an uppercase letter."
        case .lacks(.number): "The password must have a number."
        case .lacks(.special): "The password must have a special character."
        case .common: "This password is among the most common ones: choose another."
        case .breached: "This password is known from a data breach: choose another."
        case .containsAddress: "The password must not be made of your e-mail address."
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
