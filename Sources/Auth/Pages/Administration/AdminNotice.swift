/// A page's notice about the request before the redirect.
enum AdminNotice: String {
    case signedOut, disabled, enabled, deleted, mailed, addressChanged, factorRemoved
    case nameChanged, created, factorWaits, factorKept, methodRemoved, applicationRemoved
    case keyMade, resent, roleSet
    case appDisabled, appEnabled, appDeleted, appSecretEnded, appGrantsEnded

    /// Whether the request mailed something to the user.
    var isAboutMail: Bool { [.mailed, .created, .factorWaits].contains(self) }

    var text: AdminText {
        switch self {
        case .signedOut: .noticeSignedOut
        case .disabled: .noticeDisabled
        case .enabled: .noticeEnabled
        case .deleted: .noticeDeleted
        case .mailed: .noticeMailed
        case .addressChanged: .noticeAddressChanged
        case .factorRemoved: .noticeFactorRemoved
        case .nameChanged: .noticeNameChanged
        case .created: .noticeCreated
        case .factorWaits: .noticeFactorWaits
        case .factorKept: .noticeFactorKept
        case .methodRemoved: .noticeMethodRemoved
        case .applicationRemoved: .noticeApplicationRemoved
        case .keyMade: .noticeKeyMade
        case .resent: .noticeResent
        case .roleSet: .noticeRoleSet
        case .appDisabled: .noticeAppDisabled
        case .appEnabled: .noticeAppEnabled
        case .appDeleted: .noticeAppDeleted
        case .appSecretEnded: .noticeAppSecretEnded
        case .appGrantsEnded: .noticeAppGrantsEnded
        }
    }
}
