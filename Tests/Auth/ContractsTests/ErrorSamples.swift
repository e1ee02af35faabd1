import AuthTestSupport
import Contracts

// One sample of each error with all its values. `remindOfSamples` does not compile when a case is
// added.

extension APIError {
    static let samples: [APIError] =
        RequestError.samples.map(APIError.request) + AuthError.samples.map(APIError.auth)
}

extension RequestError {
    static let samples: [RequestError] =
        [
            .insecureScheme, .undecodablePath, .tooManyFields, .notFound,
            .methodNotAllowed(allowed: ["GET", "DELETE"]), .bodyTooLarge(bytesMax: 65_536),
            .unsupportedMediaType, .foreignForm, .bodyNotJSON, .bodyNotAnObject, .bodyNotAForm,
            .foreignHost,
        ]
        + ["provider", "idToken", "refreshToken", "nonce"].map(RequestError.missingField)
        + ["provider", "idToken", "refreshToken"].map { .invalidField($0, .notText) }
        + FieldDefect.samples.map { .invalidField("scope", $0) }

    func remindOfSamples() {
        switch self {
        case .insecureScheme, .undecodablePath, .tooManyFields, .notFound, .methodNotAllowed,
            .bodyTooLarge, .unsupportedMediaType, .foreignForm, .bodyNotJSON, .bodyNotAnObject,
            .bodyNotAForm, .missingField, .invalidField, .foreignHost:
            ()
        }
    }
}

extension FieldDefect {
    static let samples: [FieldDefect] = [
        .notText, .notInteger, .notObject, .tooLong(bytesMax: 32_768),
        .notOneOf(["session", "others", "all"]), .notEmailAddress, .differsFrom("password"),
        .outOfRange(1...100), .notFlag, .notList(itemsMax: 100),
        .unknown(known: ["refreshToken", "scope"]),
        .malformedCredential(member: "rawId"),
    ]

    func remindOfSamples() {
        switch self {
        case .notText, .notInteger, .notObject, .tooLong, .notOneOf, .notEmailAddress, .differsFrom,
            .outOfRange, .unknown, .notFlag, .notList, .malformedCredential:
            ()
        }
    }
}

extension AuthError {
    static let samples: [AuthError] =
        SignInError.samples.map(AuthError.signIn)
        + AccessTokenError.samples.map(AuthError.accessToken)
        + RefreshTokenError.samples.map(AuthError.refreshToken)
        + ProofError.samples.map(AuthError.proof)
        + [.account(.disabled), .account(.emailTaken), .account(.guest), .session(.notFound)]
        + [.session(.recentSignInRequired(ProofRequirement(.twoFactors, within: .minutes(10))))]
        + [.session(.stepUpRequired(ProofRequirement(.phishingResistant)))]
        + [.device(.notFound), .device(.notCurrent)]
        + SecondFactorError.samples.map(AuthError.secondFactor)
        + PasskeyError.samples.map(AuthError.passkey)
        + HookError.samples.map(AuthError.hook)
        + MethodError.samples.map(AuthError.method)
        + PasswordError.samples.map(AuthError.password)
        + [.emailLink(.invalid), .emailLink(.alreadyVerified), .emailLink(.noAddress)]
        + [.emailLink(.invalidCode)]
        + StorageError.samples.map(AuthError.storage)
        + [
            .notificationRejected(.invalidSignature),
            .notificationRejected(.keysUnavailable(.timedOut)),
        ]
        + AdministrationError.samples.map(AuthError.administration)
        + OAuthError.samples.map(AuthError.oauth)
        + [.rateLimited(retryAfterSeconds: 17)]
        + Dependency.samples.map(AuthError.unavailable)
        + Feature.allCases.map(AuthError.notConfigured) + Fault.samples.map(AuthError.fault)

    func remindOfSamples() {
        switch self {
        case .signIn, .accessToken, .refreshToken, .account(.disabled), .session(.notFound),
            .storage, .rateLimited, .unavailable, .fault, .account(.emailTaken), .password,
            .emailLink(.invalid), .administration, .secondFactor, .session(.recentSignInRequired),
            .device(.notFound), .device(.notCurrent), .notificationRejected, .method,
            .emailLink(.alreadyVerified), .emailLink(.noAddress), .proof, .notConfigured, .passkey,
            .session(.stepUpRequired), .account(.guest), .emailLink(.invalidCode), .hook, .oauth:
            ()
        }
    }
}

extension SecondFactorError {
    static let samples: [SecondFactorError] = [
        .required, .ticketInvalid, .wrongCode, .alreadyEnabled, .notEnabled, .notEnrolled,
        .addressNotVerified, .recoveryCodeRequired,
    ]

    func remindOfSamples() {
        switch self {
        case .required, .ticketInvalid, .wrongCode, .alreadyEnabled, .notEnabled, .notEnrolled,
            .addressNotVerified, .recoveryCodeRequired:
            ()
        }
    }
}

extension PasskeyError {
    static let samples: [PasskeyError] = [
        .ceremonyInvalid, .refused, .registrationRefused, .alreadyRegistered, .notFound, .tooMany,
    ]
    func remindOfSamples() {
        switch self {
        case .ceremonyInvalid, .refused, .registrationRefused, .alreadyRegistered, .notFound,
            .tooMany:
            ()
        }
    }
}

extension HookError {
    static let samples: [HookError] =
        DecidingHook.allCases.map { .refused($0, reason: "blocked_region") }
        + HookKind.allCases.map { .unavailable($0) }
        + [.refused(.beforeSignIn, reason: nil), .secondFactorNeeded, .signUpClosed]

    func remindOfSamples() {
        switch self {
        case .refused, .secondFactorNeeded, .signUpClosed, .unavailable: ()
        }
    }
}

extension MethodError {
    static let samples: [MethodError] = [
        .notFound, .alreadyAdded, .takenByOtherAccount, .last, .addressRequired, .accountNotFound,
        .mergeInvalid, .mergeSessionInvalid,
    ]
    func remindOfSamples() {
        switch self {
        case .notFound, .alreadyAdded, .takenByOtherAccount, .last, .addressRequired,
            .accountNotFound, .mergeInvalid, .mergeSessionInvalid:
            ()
        }
    }
}

extension PasswordError {
    static let samples: [PasswordError] =
        [.wrongCredentials, .wrongCurrentPassword, .notSet]
        + PasswordDefect.samples.map(PasswordError.refused)

    func remindOfSamples() {
        switch self {
        case .wrongCredentials, .wrongCurrentPassword, .notSet, .refused: ()
        }
    }
}

extension PasswordDefect {
    static let samples: [PasswordDefect] =
        [
            .tooShort(charactersMin: 12), .tooLong(bytesMax: 1024), .common, .breached,
            .containsAddress,
        ] + PasswordRules.Character.allCases.map(PasswordDefect.lacks)

    func remindOfSamples() {
        switch self {
        case .tooShort, .tooLong, .common, .containsAddress, .lacks, .breached: ()
        }
    }
}

extension SignInError {
    static let samples: [SignInError] =
        [
            .unknownProvider, .nonceRequired, .identityTokenReused, .challengeUnknown, .codeInvalid,
        ]
        + IdentityFailure.samples.map(SignInError.identityRejected)

    func remindOfSamples() {
        switch self {
        case .unknownProvider, .nonceRequired, .identityTokenReused, .challengeUnknown,
            .identityRejected, .codeInvalid:
            ()
        }
    }
}

extension AccessTokenError {
    static let samples: [AccessTokenError] = [
        .missing, .malformed, .invalid, .expired, .sessionEnded, .administratorsOnly,
        .proofRequired, .proofRefused,
    ]
    func remindOfSamples() {
        switch self {
        case .missing, .malformed, .invalid, .expired, .sessionEnded, .administratorsOnly,
            .proofRequired, .proofRefused:
            ()
        }
    }
}

extension ProofError {
    static let samples: [ProofError] = [.required, .invalid, .expired, .replayed, .wrongKey]
    func remindOfSamples() {
        switch self {
        case .required, .invalid, .expired, .replayed, .wrongKey: ()
        }
    }
}

extension RefreshTokenError {
    static let samples: [RefreshTokenError] = [
        .malformed, .unknown, .sessionEnded, .expired, .reusedPrevious, .reusedOlder,
    ]
    func remindOfSamples() {
        switch self {
        case .malformed, .unknown, .sessionEnded, .expired, .reusedPrevious, .reusedOlder: ()
        }
    }
}

extension StorageError {
    static let samples: [StorageError] = [
        .prefixRefused, .durationRefused, .policyTooLarge, .refused,
    ]
    func remindOfSamples() {
        switch self {
        case .prefixRefused, .durationRefused, .policyTooLarge, .refused: ()
        }
    }
}

extension AdministrationError {
    static let samples: [AdministrationError] = [
        .wrongPassword, .sessionMissing, .userNotFound, .ownAccount,
    ]
    func remindOfSamples() {
        switch self {
        case .wrongPassword, .sessionMissing, .userNotFound, .ownAccount: ()
        }
    }
}

extension Dependency {
    static let samples: [Dependency] = [
        .store, .identityProvider, .storageCredentials, .contention, .passwordHashing,
    ]
    func remindOfSamples() {
        switch self {
        case .store, .identityProvider, .storageCredentials, .contention, .passwordHashing: ()
        }
    }
}

extension Fault {
    static let samples: [Fault] = [
        .storeRefused, .storedDataUnreadable, .signingFailed, .sealedDataUnreadable,
        .passwordHashingFailed, .serviceNotConfigured, .unexpectedError,
    ]
    func remindOfSamples() {
        switch self {
        case .storeRefused, .storedDataUnreadable, .signingFailed, .sealedDataUnreadable,
            .passwordHashingFailed, .serviceNotConfigured, .unexpectedError:
            ()
        }
    }
}

extension IdentityFailure {
    static let samples: [IdentityFailure] = [
        .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
        .invalidAudience, .tokenExpired, .tokenNotYetValid, .invalidIssuedAt, .tokenTooOld,
        .nonceMismatch, .invalidSubject, .keysUnavailable(.timedOut),
    ]
    func remindOfSamples() {
        switch self {
        case .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
            .invalidAudience, .tokenExpired, .tokenNotYetValid, .invalidIssuedAt, .tokenTooOld,
            .nonceMismatch, .invalidSubject, .keysUnavailable:
            ()
        }
    }
}
