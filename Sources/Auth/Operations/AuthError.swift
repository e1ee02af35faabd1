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
    case passkey(PasskeyError)
    case hook(HookError)
    case device(DeviceError)
    case account(AccountError)
    case method(MethodError)
    case session(SessionError)
    case storage(StorageError)
    /// A notification that is not Apple's, or not for this app.
    case notificationRejected(IdentityFailure)
    case administration(AdministrationError)
    case oauth(OAuthError)
    case rateLimited(retryAfterSeconds: Int64)
    case unavailable(Dependency)
    /// The settings for the feature are missing.
    case notConfigured(Feature)
    case fault(Fault)
}

package enum SignInError: Equatable, Sendable {
    case unknownProvider
    case nonceRequired
    case identityRejected(IdentityFailure)
    /// The identity token was already used; it is valid for one sign-in.
    case identityTokenReused
    /// The nonce was not issued here, has expired, or was already used.
    case challengeUnknown
    /// The code of the pages is unknown, expired or used, or nothing proves that it belongs to the
    /// app.
    case codeInvalid
}

package enum AccessTokenError: String, CaseIterable, Equatable, Sendable {
    case missing, malformed, invalid, expired
    /// The token is valid, but its session has ended.
    case sessionEnded
    case administratorsOnly
    /// The token is or must be bound to a key, and the request has no proof of the key.
    case proofRequired
    /// The proof does not match the token's key or this request, or was used before.
    case proofRefused
}

package enum RefreshTokenError: String, CaseIterable, Equatable, Sendable {
    case malformed, unknown, sessionEnded, expired
    /// A replaced token: the one before the current token, or an older one.
    case reusedPrevious, reusedOlder
}

/// Errors of a DPoP proof when a session is opened or refreshed.
package enum ProofError: String, CaseIterable, Equatable, Sendable {
    case required, invalid, expired, replayed
    /// The session is bound to another key.
    case wrongKey
}

package enum PasswordError: Equatable, Sendable {
    /// The address is unknown, the password is wrong, or the account has no password. The response
    /// does not say which.
    case wrongCredentials
    /// A signed-in user gave a wrong current password when changing it.
    case wrongCurrentPassword
    /// The account has no password.
    case notSet
    case refused(PasswordDefect)
}

package enum EmailLinkError: String, Equatable, Sendable {
    /// The link is unknown, expired, used, or invalidated by another change.
    case invalid
    /// The code is wrong, was tried too often, or is from a mail that is no longer valid.
    case invalidCode
    /// The account's address is already verified.
    case alreadyVerified
    /// The account has no address that a link could be mailed to.
    case noAddress
}

package enum AccountError: String, Equatable, Sendable {
    case disabled
    /// Another account has the address. Only contracts that reveal it at registration answer with
    /// this error.
    case emailTaken
    /// A guest, who has no way to sign in, cannot do this.
    case guest
}

/// Adding and removing ways to sign in.
package enum MethodError: String, CaseIterable, Equatable, Sendable {
    case notFound
    /// The account already has a password, or an identity of that provider.
    case alreadyAdded
    /// The identity belongs to another account.
    case takenByOtherAccount
    /// The ticket of a merge is unknown, expired, used, belongs to another session, or was
    /// invalidated by a change of one of the accounts.
    case mergeInvalid
    /// In a merge, the session of the account that remains has ended, belongs to a guest or to the
    /// account that ends, or was not signed in to recently with all factors.
    case mergeSessionInvalid
    /// The account's only sign-in method.
    case last
    /// The account has no verified address.
    case addressRequired
    /// No account has the identity that the request names as its own.
    case accountNotFound
}

package enum SecondFactorError: String, CaseIterable, Equatable, Sendable {
    /// The account has a second factor, and the contract has no way to request it.
    case required
    /// The ticket is unknown, expired, used, or invalidated by another change.
    case ticketInvalid
    /// The answer is wrong, was used before, or is not a code.
    case wrongCode
    /// Too many codes in a row were wrong (`SecondFactor.consecutiveFailuresMax`).
    case recoveryCodeRequired
    case alreadyEnabled
    case notEnabled
    /// The account's login address is not verified.
    case addressNotVerified
    /// No app is enrolled, or another session enrolled it.
    case notEnrolled
}

package enum PasskeyError: String, CaseIterable, Equatable, Sendable {
    /// The ceremony is unknown, expired, used, or was begun for another purpose or by another
    /// session.
    case ceremonyInvalid
    /// The answer of the authenticator is invalid, or the passkey is unknown: the response does not
    /// say which (WebAuthn section 14.6.2).
    case refused
    /// A new credential is invalid.
    case registrationRefused
    /// The credential belongs to an account, this one or another.
    case alreadyRegistered
    case notFound
    /// The account has the maximum number of passkeys.
    case tooMany
}

/// Refusals and failures of the application's functions (`HOOKS`).
package enum HookError: Equatable, Sendable {
    /// - Parameter reason: the application's own code, for its app.
    case refused(DecidingHook, reason: String?)
    /// The application asks for a second factor, and the account has none.
    case secondFactorNeeded
    /// The setting `SIGN_UP` refuses everybody, without a hook.
    case signUpClosed
    case unavailable(HookKind)
}

package enum DeviceError: String, Equatable, Sendable {
    case notFound
    /// The device does not belong to the current session.
    case notCurrent
}

package enum SessionError: Equatable, Sendable {
    case notFound
    /// The session is valid, but its proof is too old for a sensitive change, or lacks one of the
    /// account's factors.
    case recentSignInRequired(ProofRequirement)
    /// The session is valid, but a route asks for a stronger or more recent proof.
    case stepUpRequired(ProofRequirement)
}

package enum StorageError: String, CaseIterable, Equatable, Sendable {
    case prefixRefused, durationRefused, policyTooLarge
    /// The role, the policy or our own credentials are configured wrongly.
    case refused
}

package enum AdministrationError: String, CaseIterable, Equatable, Sendable {
    case wrongPassword
    /// No administrator's session, or one that has ended.
    case sessionMissing
    case userNotFound
    /// Administrators cannot lock themselves out.
    case ownAccount
}

package enum Dependency: String, CaseIterable, Equatable, Sendable {
    case store, identityProvider, storageCredentials
    /// The operation lost too many races for the same conditional write.
    case contention
    /// No slot for hashing a password became free in time.
    case passwordHashing
}

/// Features that a server offers only if their settings are given.
package enum Feature: String, CaseIterable, Equatable, Sendable {
    case identityProviders, storage, adminPassword, passkeys, guests

    /// The missing settings, for the operator.
    package var settings: String {
        switch self {
        case .identityProviders: "APPLE_CLIENT_IDS, GOOGLE_CLIENT_IDS or OIDC_PROVIDERS"
        case .storage: "STORAGE_BUCKET"
        case .adminPassword: "ADMIN_PASSWORD_HASH"
        case .passkeys: "PASSKEY_RP_ID"
        case .guests: "GUESTS"
        }
    }
}

package enum Fault: String, CaseIterable, Equatable, Sendable {
    /// The store refused the call: a limit, a missing permission or a missing table. The log has
    /// the reason.
    case storeRefused
    case storedDataUnreadable, signingFailed, sealedDataUnreadable, passwordHashingFailed
    /// The endpoint does not name the service in its `needs`.
    case serviceNotConfigured
    /// An error type that no endpoint should throw.
    case unexpectedError
}
