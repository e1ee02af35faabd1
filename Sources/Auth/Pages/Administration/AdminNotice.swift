/// A page's notice about the request before the redirect.
enum AdminNotice: String {
    case signedOut, disabled, enabled, deleted, mailed, addressChanged, factorRemoved
    case nameChanged, created, factorWaits, factorKept, methodRemoved, applicationRemoved
    case keyMade, resent, roleSet
    case appDisabled, appEnabled, appDeleted, appSecretEnded, appGrantsEnded

    var text: String {
        switch self {
        case .signedOut: "Every session of the user has ended."
        case .disabled: "The user is disabled: every session has ended."
        case .enabled: "The user can sign in again."
        case .deleted: "The account is deleted, and its data is being erased."
        case .mailed: "The link is mailed."
        case .addressChanged: "The address is changed."
        case .nameChanged: "The name is changed."
        case .created: "The account is created. Its owner is mailed a link for a password."
        case .factorRemoved: "The second factor is off: every session has ended."
        case .factorWaits:
            "The removal is begun, and the user is notified. Come back when the wait has ended."
        case .factorKept: "The second factor stays."
        case .methodRemoved: "Sign-in method removed. Every session has ended."
        case .applicationRemoved: "The app has no access any more."
        case .keyMade: "The next signing key is published. It signs in a day."
        case .resent: "The event is sent again."
        case .roleSet: "The role is changed."
        case .appDisabled: "The app is disabled: its tokens are not alive, and it gets none."
        case .appEnabled: "The app can ask for access again."
        case .appSecretEnded: "The former secret is not valid any more."
        case .appGrantsEnded:
            "What users have granted the app so far is of no use any more: they are asked again."
        case .appDeleted: "The app is deleted: what users have granted it is of no use any more."
        }
    }
}
