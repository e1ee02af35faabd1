internal import Contracts

extension UserAction {
    var title: AdminText {
        switch self {
        case .signOut: .actionSignOut
        case .disable: .actionDisable
        case .enable: .actionEnable
        case .mailPasswordLink: .actionMailPasswordLink
        case .mailVerificationLink: .actionMailVerificationLink
        case .setEmail: .actionSetEmail
        case .setName: .actionSetName
        case .removeSecondFactor: .actionRemoveSecondFactor
        case .stopFactorRemoval: .actionStopFactorRemoval
        case .removeMethod: .actionRemoveMethod
        case .removeApplication: .actionRemoveApplication
        case .export: .actionExport
        case .delete: .actionDelete
        }
    }

    var effect: AdminText {
        switch self {
        case .signOut: .actionSignOutAbout
        case .disable: .actionDisableAbout
        case .enable: .actionEnableAbout
        case .mailPasswordLink: .actionMailPasswordLinkAbout
        case .mailVerificationLink: .actionMailVerificationLinkAbout
        case .setEmail: .actionSetEmailAbout
        case .setName: .actionSetNameAbout
        case .removeSecondFactor: .actionRemoveSecondFactorAbout
        case .stopFactorRemoval: .actionStopFactorRemovalAbout
        case .removeMethod: .actionRemoveMethodAbout
        case .removeApplication: .actionRemoveApplicationAbout
        case .export: .actionExportAbout
        case .delete: .actionDeleteAbout
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
