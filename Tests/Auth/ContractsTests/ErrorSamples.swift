import AuthTestSupport
import Contracts

// One sample of each error with all its values. The `ordinal` switches do not compile when a case
// is added, as a reminder to add a sample.

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

    var ordinal: Int {
        switch self {
        case .insecureScheme: 0
        case .undecodablePath: 1
        case .tooManyFields: 2
        case .notFound: 3
        case .methodNotAllowed: 4
        case .bodyTooLarge: 5
        case .unsupportedMediaType: 6
        case .foreignForm: 7
        case .bodyNotJSON: 8
        case .bodyNotAnObject: 9
        case .bodyNotAForm: 10
        case .missingField: 11
        case .invalidField: 12
        case .foreignHost: 13
        }
    }
    static let ordinals = 0...13
}

extension FieldDefect {
    static let samples: [FieldDefect] = [
        .notText, .notInteger, .notObject, .tooLong(bytesMax: 32_768),
        .notOneOf(["session", "others", "all"]), .notEmailAddress, .differsFrom("password"),
        .outOfRange(1...100), .notFlag, .notList(itemsMax: 100),
        .unknown(known: ["refreshToken", "scope"]),
        .malformedCredential(member: "rawId"),
    ]

    var ordinal: Int {
        switch self {
        case .notText: 0
        case .notInteger: 1
        case .notObject: 2
        case .tooLong: 3
        case .notOneOf: 4
        case .notEmailAddress: 5
        case .differsFrom: 6
        case .outOfRange: 7
        case .unknown: 10
        case .notFlag: 8
        case .notList: 9
        case .malformedCredential: 11
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

    var ordinal: Int {
        switch self {
        case .signIn: 0
        case .accessToken: 1
        case .refreshToken: 2
        case .account(.disabled): 3
        case .session(.notFound): 4
        case .storage: 5
        case .rateLimited: 6
        case .unavailable: 7
        case .fault: 8
        case .account(.emailTaken): 9
        case .password: 10
        case .emailLink(.invalid): 11
        case .administration: 12
        case .secondFactor: 13
        case .session(.recentSignInRequired): 14
        case .device(.notFound): 15
        case .device(.notCurrent): 16
        case .notificationRejected: 17
        case .method: 18
        case .emailLink(.alreadyVerified): 19
        case .emailLink(.noAddress): 20
        case .proof: 21
        case .notConfigured: 22
        case .passkey: 23
        case .session(.stepUpRequired): 24
        case .account(.guest): 25
        case .emailLink(.invalidCode): 26
        case .hook: 27
        case .oauth: 28
        }
    }
    static let ordinals = 0...28
}

extension SecondFactorError {
    static let samples: [SecondFactorError] = [
        .required, .ticketInvalid, .wrongCode, .alreadyEnabled, .notEnabled, .notEnrolled,
        .addressNotVerified, .recoveryCodeRequired,
    ]

    var ordinal: Int {
        switch self {
        case .required: 0
        case .ticketInvalid: 1
        case .wrongCode: 2
        case .alreadyEnabled: 3
        case .notEnabled: 4
        case .notEnrolled: 5
        case .addressNotVerified: 6
        case .recoveryCodeRequired: 7
        }
    }
}

extension PasskeyError {
    static let samples: [PasskeyError] = [
        .ceremonyInvalid, .refused, .registrationRefused, .alreadyRegistered, .notFound, .tooMany,
    ]
    var ordinal: Int {
        switch self {
        case .ceremonyInvalid: 0
        case .refused: 1
        case .registrationRefused: 2
        case .alreadyRegistered: 3
        case .notFound: 4
        case .tooMany: 5
        }
    }
}

extension HookError {
    static let samples: [HookError] =
        DecidingHook.allCases.map { .refused($0, reason: "blocked_region") }
        + HookKind.allCases.map { .unavailable($0) }
        + [.refused(.beforeSignIn, reason: nil), .secondFactorNeeded]

    var ordinal: Int {
        switch self {
        case .refused: 0
        case .secondFactorNeeded: 1
        case .unavailable: 2
        }
    }
}

extension MethodError {
    static let samples: [MethodError] = [
        .notFound, .alreadyAdded, .takenByOtherAccount, .last, .addressRequired, .accountNotFound,
        .mergeInvalid, .mergeSessionInvalid,
    ]
    var ordinal: Int {
        switch self {
        case .notFound: 0
        case .alreadyAdded: 1
        case .takenByOtherAccount: 2
        case .last: 3
        case .addressRequired: 4
        case .accountNotFound: 5
        case .mergeInvalid: 6
        case .mergeSessionInvalid: 7
        }
    }
}

extension PasswordError {
    static let samples: [PasswordError] =
        [.wrongCredentials, .wrongCurrentPassword, .notSet]
        + PasswordDefect.samples.map(PasswordError.refused)

    var ordinal: Int {
        switch self {
        case .wrongCredentials: 0
        case .wrongCurrentPassword: 1
        case .notSet: 2
        case .refused: 3
        }
    }
}

extension PasswordDefect {
    static let samples: [PasswordDefect] =
        [
            .tooShort(charactersMin: 12), .tooLong(bytesMax: 1024), .common, .breached,
            .containsAddress,
        ] + PasswordRules.Character.allCases.map(PasswordDefect.lacks)

    var ordinal: Int {
        switch self {
        case .tooShort: 0
        case .tooLong: 1
        case .common: 2
        case .containsAddress: 3
        case .lacks: 4
        case .breached: 5
        }
    }
}

extension SignInError {
    static let samples: [SignInError] =
        [
            .unknownProvider, .nonceRequired, .identityTokenReused, .challengeUnknown, .codeInvalid,
        ]
        + IdentityFailure.samples.map(SignInError.identityRejected)

    var ordinal: Int {
        switch self {
        case .unknownProvider: 0
        case .nonceRequired: 1
        case .identityTokenReused: 2
        case .challengeUnknown: 3
        case .identityRejected: 4
        case .codeInvalid: 5
        }
    }
}

extension AccessTokenError {
    static let samples: [AccessTokenError] = [
        .missing, .malformed, .invalid, .expired, .sessionEnded, .administratorsOnly,
        .proofRequired, .proofRefused,
    ]
    var ordinal: Int {
        switch self {
        case .missing: 0
        case .malformed: 1
        case .invalid: 2
        case .expired: 3
        case .sessionEnded: 4
        case .administratorsOnly: 5
        case .proofRequired: 6
        case .proofRefused: 7
        }
    }
}

extension ProofError {
    static let samples: [ProofError] = [.required, .invalid, .expired, .replayed, .wrongKey]
    var ordinal: Int {
        switch self {
        case .required: 0
        case .invalid: 1
        case .expired: 2
        case .replayed: 3
        case .wrongKey: 4
        }
    }
}

extension RefreshTokenError {
    static let samples: [RefreshTokenError] = [
        .malformed, .unknown, .sessionEnded, .expired, .reusedPrevious, .reusedOlder,
    ]
    var ordinal: Int {
        switch self {
        case .malformed: 0
        case .unknown: 1
        case .sessionEnded: 2
        case .expired: 3
        case .reusedPrevious: 4
        case .reusedOlder: 5
        }
    }
}

extension StorageError {
    static let samples: [StorageError] = [
        .prefixRefused, .durationRefused, .policyTooLarge, .refused,
    ]
    var ordinal: Int {
        switch self {
        case .prefixRefused: 0
        case .durationRefused: 1
        case .policyTooLarge: 2
        case .refused: 3
        }
    }
}

extension AdministrationError {
    static let samples: [AdministrationError] = [
        .wrongPassword, .sessionMissing, .userNotFound, .ownAccount,
    ]
    var ordinal: Int {
        switch self {
        case .wrongPassword: 0
        case .sessionMissing: 1
        case .userNotFound: 2
        case .ownAccount: 3
        }
    }
}

extension Dependency {
    static let samples: [Dependency] = [
        .store, .identityProvider, .storageCredentials, .contention, .passwordHashing,
    ]
    var ordinal: Int {
        switch self {
        case .store: 0
        case .identityProvider: 1
        case .storageCredentials: 2
        case .contention: 3
        case .passwordHashing: 4
        }
    }
}

extension Fault {
    static let samples: [Fault] = [
        .storeRefused, .storedDataUnreadable, .signingFailed, .sealedDataUnreadable,
        .passwordHashingFailed, .serviceNotConfigured, .unexpectedError,
    ]
    var ordinal: Int {
        switch self {
        case .storeRefused: 0
        case .storedDataUnreadable: 1
        case .signingFailed: 2
        case .sealedDataUnreadable: 3
        case .passwordHashingFailed: 4
        case .serviceNotConfigured: 5
        case .unexpectedError: 6
        }
    }
}

extension IdentityFailure {
    static let samples: [IdentityFailure] = [
        .invalidIDToken, .missingKeyID, .unknownKeyID, .invalidSignature, .invalidIssuer,
        .invalidAudience, .tokenExpired, .tokenNotYetValid, .invalidIssuedAt, .tokenTooOld,
        .nonceMismatch, .invalidSubject, .keysUnavailable(.timedOut),
    ]
    var ordinal: Int {
        switch self {
        case .invalidIDToken: 0
        case .missingKeyID: 1
        case .unknownKeyID: 2
        case .invalidSignature: 3
        case .invalidIssuer: 4
        case .invalidAudience: 5
        case .tokenExpired: 6
        case .tokenNotYetValid: 7
        case .invalidIssuedAt: 8
        case .tokenTooOld: 9
        case .nonceMismatch: 10
        case .invalidSubject: 11
        case .keysUnavailable: 12
        }
    }
}
