package import IdentityProviders

/// Everything that an operation can answer instead of its result. A contract turns each case into
/// a status, a code and a sentence in one exhaustive switch, so a new case breaks every contract
/// until somebody has thought about it. The detail inside a case is for the log.
package enum Problem: Error, Equatable, Sendable {
    // What was asked.
    case malformed(Malformation)
    case missing(field: String)
    case invalid(field: String)
    case unknownProvider
    case noSuchRoute
    case methodNotAllowed(allowed: [String])

    // Who asks.
    case identityRejected(IdentityFailure)
    case identityTokenSpent
    case challengeUnknown
    case accountDisabled
    case accessTokenMissing
    case accessTokenRejected(AccessTokenDefect)
    case notPermitted
    case refreshTokenRejected(RefreshDefect)
    case sessionNotFound

    // Storage.
    case prefixRefused
    case durationRefused
    case policyTooLarge
    case storageRefused

    // How we are.
    case rateLimited(retryAfterSeconds: Int64)
    case unavailable(Dependency)
    case fault(Fault)
}

package enum Malformation: String, Equatable, Sendable {
    case notJSON, notAnObject, tooLarge, tooManyFields, badPath, unsupportedMediaType
}

package enum AccessTokenDefect: String, Equatable, Sendable {
    case malformed, invalid, expired
    /// The token is good and the session behind it is over.
    case sessionEnded
}

package enum RefreshDefect: String, Equatable, Sendable {
    case malformed, unknown, ended, expired, reusedPrevious, reusedOlder
}

package enum Dependency: String, Equatable, Sendable {
    case store, identityProvider, storageCredentials
    /// Others kept winning the same write.
    case contention
}

package enum Fault: String, Equatable, Sendable {
    case storedDataUnreadable, signingFailed, sealedDataUnreadable
}
