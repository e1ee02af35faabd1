internal import AuthDomain
internal import AuthOperations
internal import Bytes

extension AuditEvent {
    /// The mail that is written together with the event, if mail is configured and the mail budget
    /// allows it.
    var mail: Mail.Kind? {
        switch self {
        case .verificationRequested, .emailChangeRequested, .passwordLinkRequested: .verifyEmail
        case .passwordResetRequested: .resetPassword
        case .magicLinkRequested: .magicLink
        case .passwordChanged, .passwordReset: .passwordChanged
        case .emailChanged, .emailChangeUndone: .emailChanged
        case .methodAdded: .methodAdded
        case .methodRemoved, .providerAccountDeleted, .methodChangeUndone: .methodRemoved
        case .secondFactorEnabled, .secondFactorRemoved, .recoveryCodesReplaced:
            .secondFactorChanged
        case .secondFactorRemovalBegun: .secondFactorRemoval
        case .accountDeleted: .accountDeleted
        case .accountCreated, .signedIn, .signedOut, .signedOutOthers, .signedOutEverywhere,
            .sessionRevoked, .sessionEvicted, .refreshTokenReused, .credentialsIssued, .refreshed,
            .refreshFailed, .signInFailed, .passwordChangeFailed, .passwordResetFailed,
            .verificationFailed, .emailConfirmed, .emailChangeUndoFailed,
            .methodChangeUndoFailed, .accountDisabled,
            .accountEnabled, .signedOutByAdministrator, .madeAdministrator, .unmadeAdministrator,
            .secondFactorEnrolled, .secondFactorRemovalStopped, .secondFactorRequired,
            .secondFactorFailed, .steppedUp, .stepUpFailed, .deviceRevoked, .deviceTrusted,
            .passkeyRenamed, .passkeyRefused,
            .adminLoggedIn, .adminLoginFailed, .adminLoggedOut, .accountExported, .accountErased,
            .providerTokenNotRevoked, .mergeOffered, .accountMerged, .consentRevoked,
            .providerEmailDisabled, .providerEmailEnabled, .signingKeyMade, .signingKeyRetired,
            .mailDropped, .nameChanged, .mailTested, .webhookResent, .applicationAuthorized,
            .applicationSignedIn, .applicationRemoved, .tokenExchanged, .codeReplayed,
            .grantReused, .clientRegistered, .clientChanged:
            nil
        }
    }
}

extension MailDropReason {
    var text: AdminText {
        switch self {
        case .attemptsExhausted: .droppedAttempts
        case .expired: .droppedExpired
        case .addressRejected: .droppedRejected
        case .notRenderable: .droppedNotRenderable
        case .unreadable: .droppedUnreadable
        }
    }
}

/// A mail that was abandoned, according to the detail of its event.
struct DroppedMail {
    let kind: Mail.Kind?
    let reason: MailDropReason?

    /// - Parameter detail: for example `resetPassword.expired`.
    init(detail: String?) {
        let parts = (detail ?? "").split(separator: ".").map(String.init)
        kind = parts.first.flatMap(Mail.Kind.init(rawValue:))
        reason = parts.last.flatMap(MailDropReason.init(rawValue:))
    }
}
