internal import AuthDomain

/// The description of an audit event for administrators.
struct AuditEventText {
    let title: String
    let why: String

    init(_ event: AuditEvent) {
        (title, why) = Self.text(event)
    }

    private static func text(_ event: AuditEvent) -> (String, String) {
        switch event {
        case .accountCreated: ("Account created", "The first sign-in with this identity.")
        case .signedIn: ("Signed in", "The way of signing in was accepted.")
        case .signedOut: ("Signed out", "The user ended this session.")
        case .signedOutOthers: ("Signed out elsewhere", "The user ended all other sessions.")
        case .signedOutEverywhere: ("Signed out everywhere", "The user ended all sessions.")
        case .sessionRevoked:
            ("Session ended", "From another session, or by an administrator.")
        case .sessionEvicted:
            ("Session ended", "A newer sign-in exceeded the number of sessions.")
        case .refreshTokenReused:
            ("Refresh token reused", "A replaced token was presented again, so the session ended.")
        case .credentialsIssued: ("Storage credentials issued", "An app asked for them.")
        case .refreshed: ("Session refreshed", "The current refresh token was presented.")
        case .refreshFailed: ("Refresh refused", "The refresh token was not accepted.")
        case .signInFailed: ("Sign-in refused", "The proof was not accepted.")
        case .passwordChanged: ("Password changed", "With the current password.")
        case .passwordReset: ("Password reset", "With a link sent to the address.")
        case .passwordResetRequested: ("Password reset requested", "A link was mailed.")
        case .passwordChangeFailed: ("Password not changed", "The current password was wrong.")
        case .passwordResetFailed: ("Password not reset", "The link or code was not accepted.")
        case .verificationRequested: ("Verification requested", "A link was mailed.")
        case .verificationFailed: ("Not verified", "The link or code was not accepted.")
        case .emailConfirmed: ("Address confirmed", "The mailed link was opened.")
        case .emailChangeRequested: ("New address requested", "A link was mailed to it.")
        case .emailChanged: ("Address changed", "The new address was proven or set.")
        case .emailChangeUndone: ("Address restored", "The former address was put back.")
        case .emailChangeUndoFailed: ("Address not restored", "The link was not accepted.")
        case .methodChangeUndone:
            ("Change undone", "What was added since its session began was removed.")
        case .methodChangeUndoFailed: ("Change not undone", "The link was not accepted.")
        case .magicLinkRequested: ("Sign-in link requested", "A link was mailed.")
        case .passwordLinkRequested: ("Password to be added", "A link was mailed.")
        case .methodAdded: ("Way to sign in added", "The user proved it.")
        case .methodRemoved: ("Way to sign in removed", "The user removed it.")
        case .accountDisabled: ("Disabled", "Sessions ended, sign-in refused.")
        case .accountEnabled: ("Enabled", "Sign-in is allowed again.")
        case .signedOutByAdministrator: ("Signed out everywhere", "All sessions ended.")
        case .madeAdministrator: ("Made an administrator", "The role was given.")
        case .unmadeAdministrator: ("No longer an administrator", "The role was taken.")
        case .secondFactorEnrolled: ("Second factor begun", "It waits for its first code.")
        case .secondFactorEnabled: ("Second factor on", "The first code was right.")
        case .secondFactorRemoved: ("Second factor off", "It was removed.")
        case .secondFactorRemovalBegun:
            ("Removal of the second factor begun", "The user is notified, and can stop it.")
        case .secondFactorRemovalStopped:
            ("Removal of the second factor stopped", "By a sign-in with it, or an administrator.")
        case .recoveryCodesReplaced: ("Recovery codes replaced", "Earlier ones are void.")
        case .secondFactorRequired:
            ("Second factor asked for", "The first factor was right.")
        case .secondFactorFailed: ("Second factor refused", "The answer was wrong.")
        case .steppedUp: ("Proved again", "An action needed a recent proof.")
        case .stepUpFailed: ("Not proved again", "The proof was not accepted.")
        case .deviceRevoked: ("Device removed", "Its sessions ended.")
        case .deviceTrusted: ("Device trusted", "It needs no second factor for 30 days.")
        case .passkeyRenamed: ("Passkey renamed", "By the user.")
        case .passkeyRefused: ("Passkey refused", "Its signature was not accepted.")
        case .adminLoggedIn: ("Administrator signed in", "With the password.")
        case .adminLoginFailed: ("Administrator refused", "The password was wrong.")
        case .adminLoggedOut: ("Administrator signed out", "The session ended.")
        case .accountExported: ("Exported", "An administrator exported the stored data.")
        case .accountDeleted: ("Account deleted", "Its data is erased.")
        case .accountErased: ("Account erased", "Only a row without personal data is left.")
        case .providerTokenNotRevoked:
            ("Provider's token not revoked", "The provider refused or did not answer.")
        case .mergeOffered: ("Merge offered", "An identity belongs to another account.")
        case .accountMerged: ("Accounts merged", "The user proved both.")
        case .consentRevoked: ("Consent revoked", "The user revoked it at the provider.")
        case .providerAccountDeleted: ("Provider's account deleted", "As the provider reports.")
        case .providerEmailDisabled: ("Relay address off", "As the provider reports.")
        case .providerEmailEnabled: ("Relay address on", "As the provider reports.")
        case .signingKeyMade: ("Signing key made", "A key was rotated.")
        case .signingKeyRetired: ("Signing key retired", "A key was rotated.")
        case .mailDropped: ("Mail not delivered", "It is not tried again.")
        case .nameChanged: ("Name changed", "By an administrator.")
        case .mailTested: ("Test mail sent", "To the address that the administrator typed.")
        case .applicationAuthorized: ("App allowed", "The user sent an app back with a code.")
        case .applicationSignedIn: ("App signed in", "It exchanged the code for tokens.")
        case .applicationRemoved: ("App's access ended", "By the user, or by the app itself.")
        case .tokenExchanged:
            ("Token exchanged", "A server got one to call another server for the user.")
        case .clientRegistered: ("App registered", "It may now ask users for access.")
        case .clientChanged: ("App changed", "It was disabled, enabled or deleted.")
        case .codeReplayed:
            ("Code of an app reused", "One of the two uses was not the app's: its access ended.")
        case .grantReused:
            ("Refresh token of an app reused", "A replaced token came again: its access ended.")
        case .webhookResent: ("Webhook sent again", "An administrator asked for it.")
        }
    }
}
