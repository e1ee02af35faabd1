package import IdentityProviders

/// What an operation answers instead of its result, grouped by feature. What is wrong with the
/// request itself (route, body, field) is the contract layer's `RequestError`.
///
/// `ErrorCatalog` gives each case a status, a code and a sentence in one exhaustive switch, so a new
/// case does not compile until it has them. Details inside a case are for the log.
package enum AuthError: Error, Equatable, Sendable {
    case signIn(SignInError)
    case accessToken(AccessTokenError)
    case refreshToken(RefreshTokenError)
    case account(AccountError)
    case session(SessionError)
    case storage(StorageError)
    case administration(AdministrationError)
    case rateLimited(retryAfterSeconds: Int64)
    case unavailable(Dependency)
    case fault(Fault)
}

package enum SignInError: Equatable, Sendable {
    case unknownProvider
    case nonceRequired
    case identityRejected(IdentityFailure)
    /// An identity token is good for one sign-in.
    case identityTokenReused
    /// The nonce was not issued here, has expired, or was used.
    case challengeUnknown
}

package enum AccessTokenError: String, Equatable, Sendable {
    case missing, malformed, invalid, expired
    /// The token is good, and the session behind it has ended.
    case sessionEnded
    case administratorsOnly
}

package enum RefreshTokenError: String, Equatable, Sendable {
    case malformed, unknown, sessionEnded, expired
    /// The token had been replaced: by the current one, or longer ago.
    case reusedPrevious, reusedOlder
}

package enum AccountError: String, Equatable, Sendable {
    case disabled
}

package enum SessionError: String, Equatable, Sendable {
    case notFound
}

package enum StorageError: String, Equatable, Sendable {
    case prefixRefused, durationRefused, policyTooLarge
    /// The role, the policy or our own credentials are not set up for it.
    case refused
}

package enum AdministrationError: String, Equatable, Sendable {
    case wrongPassword
    /// No administrator's session, or one that has ended.
    case sessionMissing
    case userNotFound
    /// Administrators cannot lock themselves out.
    case ownAccount
}

package enum Dependency: String, Equatable, Sendable {
    case store, identityProvider, storageCredentials
    /// Other requests kept winning the same conditional write.
    case contention
}

package enum Fault: String, Equatable, Sendable {
    case storedDataUnreadable, signingFailed, sealedDataUnreadable
    /// The password could not be hashed: too little memory, for one.
    case passwordNotVerified
    /// The endpoint does not name the service in its `needs`.
    case serviceNotConfigured
    /// An error of a type that no endpoint should throw.
    case unexpectedError
}
