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
        .unknown(known: ["refreshToken", "scope"]), .malformedCredential(member: "rawId"),
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
        + AccessTokenError.allCases.map(AuthError.accessToken)
        + RefreshTokenError.allCases.map(AuthError.refreshToken)
        + ProofError.allCases.map(AuthError.proof)
        + [.account(.disabled), .account(.emailTaken), .account(.guest), .session(.notFound)]
        + [.session(.recentSignInRequired(ProofRequirement(.twoFactors, within: .minutes(10))))]
        + [.session(.stepUpRequired(ProofRequirement(.phishingResistant)))]
        + [.device(.notFound), .device(.notCurrent)]
        + SecondFactorError.allCases.map(AuthError.secondFactor)
        + PasskeyError.allCases.map(AuthError.passkey)
        + HookError.samples.map(AuthError.hook)
        + MethodError.allCases.map(AuthError.method)
        + PasswordError.samples.map(AuthError.password)
        + [.emailLink(.invalid), .emailLink(.alreadyVerified), .emailLink(.noAddress)]
        + [.emailLink(.invalidCode)]
        + StorageError.allCases.map(AuthError.storage)
        + [
            .notificationRejected(.invalidSignature),
            .notificationRejected(.keysUnavailable(.timedOut)),
        ]
        + AdministrationError.allCases.map(AuthError.administration)
        + OAuthError.samples.map(AuthError.oauth)
        + [.rateLimited(retryAfterSeconds: 17)]
        + Dependency.allCases.map(AuthError.unavailable)
        + Feature.allCases.map(AuthError.notConfigured) + Fault.allCases.map(AuthError.fault)

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
        [.unknownProvider, .nonceRequired, .identityTokenReused, .challengeUnknown, .codeInvalid]
        + IdentityFailure.samples.map(SignInError.identityRejected)

    func remindOfSamples() {
        switch self {
        case .unknownProvider, .nonceRequired, .identityTokenReused, .challengeUnknown,
            .identityRejected, .codeInvalid:
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
