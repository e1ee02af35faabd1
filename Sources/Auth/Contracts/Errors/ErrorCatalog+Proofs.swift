internal import AuthDomain
internal import AuthOperations

// The standard responses to errors of passwords, second factors, passkeys and sign-in methods.

extension ErrorResponse {
    static func standard(_ error: PasswordError) -> ErrorResponse {
        switch error {
        case .wrongCredentials:
            ErrorResponse(401, "INVALID_CREDENTIALS", "The e-mail address or password is wrong.")
        // The status is not 401, because an app would refresh its token and try again.
        case .wrongCurrentPassword:
            ErrorResponse(
                403, "WRONG_PASSWORD", "The current password is wrong.", field: "currentPassword")
        case .notSet:
            ErrorResponse(409, "NO_PASSWORD", "This account has no password.")
        case .refused(let defect):
            ErrorResponse(400, "INVALID_PASSWORD", defect.sentence)
        }
    }

    static func standard(_ error: SecondFactorError) -> ErrorResponse {
        switch error {
        case .required:
            ErrorResponse(
                403, "SECOND_FACTOR_REQUIRED",
                "This account has a second factor, which cannot be provided here.")
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

    static func standard(_ error: PasskeyError) -> ErrorResponse {
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

    static func standard(_ error: HookError) -> ErrorResponse {
        switch error {
        case .refused(.beforeSignUp, let reason):
            ErrorResponse(403, "SIGN_UP_REFUSED", "This sign-up is not accepted.", reason: reason)
        case .signUpClosed:
            ErrorResponse(403, "SIGN_UP_CLOSED", "New accounts are made by an administrator.")
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

    static func standard(_ error: MethodError) -> ErrorResponse {
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
                "The other account's session has no recent sign-in: "
                    + "sign in to it again.",
                field: "into")
        case .last:
            ErrorResponse(
                409, "LAST_METHOD", "The last way to sign in cannot be removed.", field: "method")
        case .addressRequired:
            ErrorResponse(
                400, "EMAIL_REQUIRED", "Provide an e-mail address: a link is mailed to it.",
                field: "email")
        case .accountNotFound:
            ErrorResponse(404, "ACCOUNT_NOT_FOUND", "Sign in first: there is no account.")
        }
    }

    static func standard(_ error: AdministrationError) -> ErrorResponse {
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
