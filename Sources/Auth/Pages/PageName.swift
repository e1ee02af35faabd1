/// The pages and the targets of their forms, below `/auth/ui/`.
enum PageName: String {
    case signIn = "signin"
    case secondFactor = "second-factor"
    case register, reset, account
    case signOut = "signout"
    case revokeSession = "revoke-session"
    case provider
    /// The redirect URI of a provider.
    case callback = "callback/{provider}"
    case script = "script/{file}"
    case passkeyOptions = "passkey-options"
    case passkeySignIn = "passkey-signin"
    case stepUp = "step-up"
    // Pages of the account.
    case passkeys, name, password, email, authenticator, devices, delete, export
    case applications
    case confirmAddress = "confirm-address"
    case removeMethod = "remove-method"
    case accounts
    // Pages to which third-party clients send people.
    case authorize, consent, device
    case endSession, logout
    // Pages of mailed links, as `LinkPolicy` names them.
    case magicLink = "magic-link"
    case verifyEmail = "verify-email"
    case resetPassword = "reset-password"
    case addPassword = "add-password"
    case confirmEmail = "confirm-email"
    case undoEmail = "undo-email"
    case undoChange = "undo-change"

    var path: String {
        switch self {
        case .authorize, .device: "/oauth/\(rawValue)"
        case .endSession: "/oauth/logout"
        default: "/auth/ui/\(rawValue)"
        }
    }

    /// The page after a sign-in that this page required. nil: the page needs no sign-in, or asks
    /// for it itself.
    var continuation: PageName? {
        switch self {
        case .account, .passkeys, .name, .password, .email, .authenticator, .devices,
            .confirmAddress, .delete, .applications, .device:
            self
        case .passkeyOptions: .passkeys
        case .provider, .removeMethod, .revokeSession, .export, .stepUp: .account
        default: nil
        }
    }
}

/// A page's notice about the request before the redirect. The address contains only its name, so a
/// link cannot put any other text on the page.
enum PageNotice: String {
    case signedOut, othersSignedOut, revoked, passwordChanged, addressRestored, addressConfirmed
    case changeUndone
    case passwordAdded, cancelled, methodAdded, passwordSaved, methodRemoved, passkeyAdded
    case passkeyRenamed, passkeyRemoved, secondFactorOff, deleted, browserTrusted, sentAgain
    case switching, applicationRemoved, deviceAllowed, deviceRefused, nameSaved

    var text: PageText {
        switch self {
        case .signedOut: .noticeSignedOut
        case .othersSignedOut: .noticeOthersSignedOut
        case .revoked: .noticeRevoked
        case .passwordChanged: .noticePasswordChanged
        case .addressRestored: .noticeAddressRestored
        case .changeUndone: .noticeChangeUndone
        case .addressConfirmed: .noticeAddressConfirmed
        case .passwordAdded: .noticePasswordAdded
        case .cancelled: .noticeCancelled
        case .methodAdded: .noticeMethodAdded
        case .passwordSaved: .noticePasswordSaved
        case .methodRemoved: .noticeMethodRemoved
        case .passkeyAdded: .noticePasskeyAdded
        case .passkeyRenamed: .noticePasskeyRenamed
        case .passkeyRemoved: .noticePasskeyRemoved
        case .secondFactorOff: .noticeSecondFactorOff
        case .deleted: .noticeDeleted
        case .browserTrusted: .noticeBrowserTrusted
        case .sentAgain: .noticeSentAgain
        case .switching: .noticeSwitching
        case .applicationRemoved: .noticeApplicationRemoved
        case .deviceAllowed: .noticeDeviceAllowed
        case .deviceRefused: .noticeDeviceRefused
        case .nameSaved: .noticeNameSaved
        }
    }
}
