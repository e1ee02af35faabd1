internal import Contracts

extension UserAction {
    var title: String {
        switch self {
        case .signOut: "Sign out everywhere"
        case .disable: "Disable"
        case .enable: "Enable"
        case .mailPasswordLink: "Mail a link for a new password"
        case .mailVerificationLink: "Mail a link to verify the address"
        case .setEmail: "Change the e-mail address"
        case .setName: "Change the name"
        case .removeSecondFactor: "End a lost second factor"
        case .stopFactorRemoval: "Keep the second factor"
        case .removeMethod: "Remove a way to sign in"
        case .removeApplication: "End the access of an app"
        case .export: "Export"
        case .delete: "Delete"
        }
    }

    var effect: String {
        switch self {
        case .signOut: "Ends every session. The user can sign in again."
        case .disable: "Ends every session, and refuses every sign-in."
        case .enable: "Allows sign-in again. Earlier sessions stay ended."
        case .mailPasswordLink: "Sends it to the address that the user signs in with."
        case .mailVerificationLink:
            "Sends it to the address of the account, which is not verified. Limits apply."
        case .setEmail:
            "You vouch for the address. The old one is notified, and can undo it for seven days. "
                + "With no way back it is only notified; links for earlier addresses, the "
                + "password and every session end. Then mail a link for a new password."
        case .setName: "The user sees it. Nothing is mailed."
        case .removeSecondFactor:
            "First make sure of who asks: call back on a known number, or see a document. "
                + "The user is notified by mail. Every session ends when it is removed."
        case .stopFactorRemoval: "Stops the removal that was begun."
        case .removeMethod: "Every session ends, and the user is notified by mail."
        case .removeApplication: "Its tokens are dead. The user can allow it again."
        case .export:
            "Downloads what is stored about the user, without secrets. More than 1,000 events come "
                + "in parts: send the request again with ?after= and next of the part before."
        case .delete: "Ends the account and erases its data. This cannot be undone."
        }
    }

    var notice: AdminNotice {
        switch self {
        case .signOut: .signedOut
        case .disable: .disabled
        case .enable: .enabled
        case .mailPasswordLink, .mailVerificationLink: .mailed
        case .setEmail: .addressChanged
        case .setName: .nameChanged
        case .removeSecondFactor: .factorRemoved
        case .stopFactorRemoval: .factorKept
        case .removeMethod: .methodRemoved
        case .removeApplication: .applicationRemoved
        case .export, .delete: .deleted
        }
    }
}
