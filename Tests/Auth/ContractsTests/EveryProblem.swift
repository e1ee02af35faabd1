import AuthOperations
import IdentityProviders

extension Problem {
    /// One of each, and each with everything it can hold.
    static let samples: [Problem] =
        Malformation.samples.map(Problem.malformed)
        + ["provider", "idToken", "refreshToken", "nonce", "scope"].flatMap {
            [Problem.missing(field: $0), .invalid(field: $0)]
        }
        + [
            .unknownProvider, .noSuchRoute, .methodNotAllowed(allowed: ["GET", "DELETE"]),
        ]
        + IdentityFailure.samples.map(Problem.identityRejected)
        + [.identityTokenSpent, .challengeUnknown, .accountDisabled, .accessTokenMissing]
        + AccessTokenDefect.samples.map(Problem.accessTokenRejected)
        + [.notPermitted]
        + RefreshDefect.samples.map(Problem.refreshTokenRejected)
        + [
            .sessionNotFound, .prefixRefused, .durationRefused, .policyTooLarge, .storageRefused,
            .rateLimited(retryAfterSeconds: 17),
        ]
        + Dependency.samples.map(Problem.unavailable)
        + Fault.samples.map(Problem.fault)

    /// Does not compile when a case is added; then `samples` must learn it too.
    var ordinal: Int {
        switch self {
        case .malformed: 0
        case .missing: 1
        case .invalid: 2
        case .unknownProvider: 3
        case .noSuchRoute: 4
        case .methodNotAllowed: 5
        case .identityRejected: 6
        case .identityTokenSpent: 7
        case .challengeUnknown: 8
        case .accountDisabled: 9
        case .accessTokenMissing: 10
        case .accessTokenRejected: 11
        case .notPermitted: 12
        case .refreshTokenRejected: 13
        case .sessionNotFound: 14
        case .prefixRefused: 15
        case .durationRefused: 16
        case .policyTooLarge: 17
        case .storageRefused: 18
        case .rateLimited: 19
        case .unavailable: 20
        case .fault: 21
        }
    }
    static let ordinals = 0...21
}

extension Malformation {
    static let samples: [Malformation] = [
        .notJSON, .notAnObject, .tooLarge, .tooManyFields, .badPath, .unsupportedMediaType,
    ]
    var ordinal: Int {
        switch self {
        case .notJSON: 0
        case .notAnObject: 1
        case .tooLarge: 2
        case .tooManyFields: 3
        case .badPath: 4
        case .unsupportedMediaType: 5
        }
    }
}

extension AccessTokenDefect {
    static let samples: [AccessTokenDefect] = [.malformed, .invalid, .expired, .sessionEnded]
    var ordinal: Int {
        switch self {
        case .malformed: 0
        case .invalid: 1
        case .expired: 2
        case .sessionEnded: 3
        }
    }
}

extension RefreshDefect {
    static let samples: [RefreshDefect] = [
        .malformed, .unknown, .ended, .expired, .reusedPrevious, .reusedOlder,
    ]
    var ordinal: Int {
        switch self {
        case .malformed: 0
        case .unknown: 1
        case .ended: 2
        case .expired: 3
        case .reusedPrevious: 4
        case .reusedOlder: 5
        }
    }
}

extension Dependency {
    static let samples: [Dependency] = [
        .store, .identityProvider, .storageCredentials, .contention,
    ]
    var ordinal: Int {
        switch self {
        case .store: 0
        case .identityProvider: 1
        case .storageCredentials: 2
        case .contention: 3
        }
    }
}

extension Fault {
    static let samples: [Fault] = [.storedDataUnreadable, .signingFailed, .sealedDataUnreadable]
    var ordinal: Int {
        switch self {
        case .storedDataUnreadable: 0
        case .signingFailed: 1
        case .sealedDataUnreadable: 2
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
