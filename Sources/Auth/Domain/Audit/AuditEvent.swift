/// Events of the audit log. The names are stored and shown, so they must not change.
package enum AuditEvent: String, CaseIterable, Sendable {
    case accountCreated, signedIn, signedOut, signedOutOthers, signedOutEverywhere
    case sessionRevoked, sessionEvicted, refreshTokenReused, credentialsIssued
    case refreshed, refreshFailed
    case signInFailed, passwordChanged, passwordReset, passwordResetRequested
    case passwordChangeFailed, passwordResetFailed
    case verificationRequested, verificationFailed, emailConfirmed
    case emailChangeRequested, emailChanged, emailChangeUndone, emailChangeUndoFailed
    case methodChangeUndone, methodChangeUndoFailed
    case magicLinkRequested, passwordLinkRequested, methodAdded, methodRemoved
    case accountDisabled, accountEnabled, signedOutByAdministrator
    case madeAdministrator, unmadeAdministrator
    case secondFactorEnrolled, secondFactorEnabled, secondFactorRemoved, recoveryCodesReplaced
    case secondFactorRemovalBegun, secondFactorRemovalStopped
    case secondFactorRequired, secondFactorFailed
    case steppedUp, stepUpFailed
    case deviceRevoked, deviceTrusted
    case passkeyRenamed, passkeyRefused
    case adminLoggedIn, adminLoginFailed, adminLoggedOut
    case accountExported, accountDeleted, accountErased, providerTokenNotRevoked
    case mergeOffered, accountMerged
    case consentRevoked, providerAccountDeleted, providerEmailDisabled, providerEmailEnabled
    case signingKeyMade, signingKeyRetired
    /// A mail was not delivered and is not tried again.
    case mailDropped
    /// The user or an administrator changed the name.
    case nameChanged
    /// An administrator has sent a test mail.
    case mailTested
    case webhookResent
    /// A third-party client has received a code or tokens, or has lost its access.
    case applicationAuthorized, applicationSignedIn, applicationRemoved
    /// A client has exchanged a token that it received for a token for another server.
    case tokenExchanged
    /// A client's code or refresh token was used twice, which ends its grant.
    case codeReplayed, grantReused
    /// A third-party client has registered itself, or was added, disabled, enabled or deleted by an
    /// administrator.
    case clientRegistered, clientChanged

    // This is a `switch`, because the first `Set` of a type costs a process 110,000 instructions.
    package var succeeded: Bool {
        switch self {
        case .refreshTokenReused, .refreshFailed, .signInFailed, .passwordChangeFailed,
            .passwordResetFailed, .verificationFailed, .adminLoginFailed, .mailDropped,
            .secondFactorFailed, .stepUpFailed, .passkeyRefused, .providerTokenNotRevoked,
            .emailChangeUndoFailed, .methodChangeUndoFailed, .codeReplayed, .grantReused:
            false
        default: true
        }
    }
}
