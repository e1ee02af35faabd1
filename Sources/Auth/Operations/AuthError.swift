package import AuthDomain
package import IdentityProviders

/// Errors of operations, grouped by feature. Errors of the request itself (route, body, field) are
/// the contract layer's `RequestError`.
///
/// `ErrorCatalog` maps each case to a status, a code and a message in an exhaustive switch, so a
/// new case does not compile until it has them. Details inside a case are for the log.
package enum AuthError: Error, Equatable, Sendable {
    case signIn(SignInError)
    case accessToken(AccessTokenError)
    case refreshToken(RefreshTokenError)
    case proof(ProofError)
    case password(PasswordError)
    case emailLink(EmailLinkError)
    case secondFactor(SecondFactorError)
    case device(DeviceError)
    case account(AccountError)
    case method(MethodError)
    case session(SessionError)
    case storage(StorageError)
    /// A notification that is not Apple's, or not for this app.
    case notificationRejected(IdentityFailure)
    case administration(AdministrationError)
    case rateLimited(retryAfterSeconds: Int64)
    case unavailable(Dependency)
    /// The server has no settings for it.
    case notConfigured(Feature)
    case fault(Fault)
}

package enum SignInError: Equatable, Sendable {
    case unknownProvider
    case nonceRequired
    case identityRejected(IdentityFailure)
    /// An identity token can be used for one sign-in.
    case identityTokenReused
    /// The nonce was not issued here, has expired, or was already used.
    case challengeUnknown
}

package enum AccessTokenError: String, Equatable, Sendable {
    case missing, malformed, invalid, expired
    /// The token is valid, but its session has ended.
    case sessionEnded
    case administratorsOnly
    /// The token is bound to a key, or must be, and there is no proof of it.
    case proofRequired
    /// The proof is not one of the token's key for this request, or was used before.
    case proofRefused
}

package enum RefreshTokenError: String, Equatable, Sendable {
    case malformed, unknown, sessionEnded, expired
    /// The token has been replaced: by the current one, or earlier.
    case reusedPrevious, reusedOlder
}

/// Of a DPoP proof, where a session is opened or refreshed.
package enum ProofError: String, Equatable, Sendable {
    case required, invalid, expired, replayed
    /// The session is bound to another key.
    case wrongKey
}

package enum PasswordError: Equatable, Sendable {
    /// Unknown address, wrong password, or an account without one: the response does not say which.
    case wrongCredentials
    /// Of a user who is signed in and changes it.
    case wrongCurrentPassword
    /// The account signs in otherwise.
    case notSet
    case refused(PasswordDefect)
}

package enum EmailLinkError: String, Equatable, Sendable {
    /// Unknown, expired, used, or overtaken by another change.
    case invalid
    /// The address of the account is proven.
    case alreadyVerified
    /// The account has no address that a link could be mailed to.
    case noAddress
}

package enum AccountError: String, Equatable, Sendable {
    case disabled
    /// Another account has the address. Only contracts that tell it at registration answer so.
    case emailTaken
}

/// Adding and removing ways to sign in.
package enum MethodError: String, Equatable, Sendable {
    case notFound
    /// The account has a password, or an identity of that provider.
    case alreadyAdded
    /// The identity belongs to another account.
    case takenByOtherAccount
    /// Without it nothing would sign in to the account.
    case last
    /// The account has no address that is proven.
    case addressRequired
    /// No account signs in with the identity to which another is to be added.
    case accountNotFound
}

package enum SecondFactorError: String, Equatable, Sendable {
    /// The account has one, which this contract cannot ask for.
    case required
    /// Unknown, expired, used, or overtaken by another change.
    case ticketInvalid
    /// Of another step, used before, or no code at all.
    case wrongCode
    /// After too many wrong codes in a row (`SecondFactor.consecutiveFailuresMax`).
    case recoveryCodeRequired
    case alreadyEnabled
    case notEnabled
    /// The account is claimed by an address that is not proven.
    case addressNotVerified
    /// There is nothing to confirm, or another session enrolled it.
    case notEnrolled
}

package enum DeviceError: String, Equatable, Sendable {
    case notFound
    /// Another device than that of the session.
    case notCurrent
}

package enum SessionError: String, Equatable, Sendable {
    case notFound
    /// The session is valid, but its sign-in was too long ago (`SessionPolicy.recentSignIn`).
    case recentSignInRequired
}

package enum StorageError: String, Equatable, Sendable {
    case prefixRefused, durationRefused, policyTooLarge
    /// The role, the policy or our own credentials are configured wrongly.
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
    /// Lost too many races for the same conditional write.
    case contention
    /// No place to hash a password was free.
    case passwordHashing
}

/// What a server serves only where its settings are given.
package enum Feature: String, CaseIterable, Equatable, Sendable {
    case identityProviders, storage, adminPassword

    /// For the operator.
    package var settings: String {
        switch self {
        case .identityProviders: "APPLE_CLIENT_IDS, GOOGLE_CLIENT_IDS or OIDC_PROVIDERS"
        case .storage: "STORAGE_BUCKET"
        case .adminPassword: "ADMIN_PASSWORD_HASH"
        }
    }
}

package enum Fault: String, Equatable, Sendable {
    /// A limit, a permission, or a table that is missing: the log has the reason.
    case storeRefused
    case storedDataUnreadable, signingFailed, sealedDataUnreadable, passwordHashingFailed
    /// The endpoint does not name the service in its `needs`.
    case serviceNotConfigured
    /// An error type that no endpoint should throw.
    case unexpectedError
}
