package import Contracts

/// The texts of the pages, in the order of the lines in the file of each language (`Files`).
/// There, `signInTitle` has the name `signIn.title`.
package enum PageText: Int, TextKey {
    case signInTitle, signInWithPassword, signInByMail, signInWithPasskey, signInPasskeyAt
    case signInForgot, signInNew, signInKnown, signInBack, signInOr, signInForApp
    case providerTitle, providerContinue, providerContinueApple, providerAdd, providerAddShort
    case registerTitle, registerSubmit
    case resetTitle, resetAbout, resetSubmit
    case mailedSent, mailedOpen, mailedChoose, mailedNone, mailedExpired, mailedIncomplete
    case mailedLost, mailedAgain
    case magicLinkTitle, magicLinkSubmit
    case verifyEmailTitle, verifyEmailAbout, verifyEmailElsewhere, verifyEmailSpent
    case verifyEmailSubmit
    case resetPasswordTitle, resetPasswordSubmit
    case addPasswordTitle, addPasswordSubmit
    case confirmEmailTitle, confirmEmailSubmit, confirmEmailAbout
    case undoEmailTitle, undoEmailAbout, undoEmailSubmit
    case undoChangeTitle, undoChangeAbout, undoChangeSubmit
    case secondFactorTitle, secondFactorAbout, secondFactorSubmit, secondFactorRecovery
    case passkeysTitle, passkeysAbout, passkeysNone, passkeysAdd, passkeysRename
    case passkeysRenameThat, passkeysRemove, passkeysRemoveThat, passkeysUsed
    case passkeysUnused, passkeysCurrent
    case passkeysScript, passkeysFailed, passkeysKnown
    case stepUpTitle, stepUpAbout, stepUpSubmit, stepUpPasskey, stepUpAgain, stepUpForApp
    case stepUpPasskeyForApp
    case accountTitle, accountHello, accountName, accountProfile, accountMethods, accountSessions
    case accountSince, accountSecondFactor, accountOn, accountOff, accountCodes
    case accountPasskeys
    case accountUnverified, accountGuest, accountNone, accountCurrent, accountLastUsed
    case accountUnknownDevice, accountRevoke, accountRevokeThat, accountSignOut
    case accountSignOutOthers, accountChange, accountChangeEmail, accountPassword
    case accountAddPassword, accountSecondFactorChange, accountData, accountExport, accountDelete
    case accountBack, accountApp, accountAdministration, accountSetUp, accountDevices
    case devicesTitle, devicesAbout, devicesUsed, devicesTrusted, devicesForget, devicesForgetThat
    case devicesForgetOthers, devicesTrust, devicesTrustAbout
    case consentTitle, consentShort, consentAbout, consentOther, consentMay, consentMayAt
    case consentReach, consentOpenid, consentProfile, consentEmail, consentOffline, consentNothing
    case consentBack, consentLocal, consentWho, consentStranger, consentAllow
    case consentDeny
    case accountsTitle, accountsNow, accountsHere
    case applicationsTitle, applicationsAbout, applicationsNone, applicationsSince
    case applicationsRemove, applicationsRemoveThat
    case deviceTitle, deviceAbout, deviceWarning, deviceContinue, deviceCompare
    case deviceAsked, deviceAskedFrom
    case logoutTitle, logoutAsked, logoutStay, logoutDone, logoutDoneAbout, logoutBack
    case logoutSignIn
    case nameTitle, nameAbout, nameSubmit
    case passwordTitle, passwordAbout
    case emailTitle, emailAbout
    case authenticatorTitle, authenticatorAbout, authenticatorBegin, authenticatorScan
    case authenticatorPicture, authenticatorConfirm, authenticatorIsOn, authenticatorCodes
    case authenticatorOff
    case recoveryTitle, recoveryAbout, recoveryDownload, recoveryCopy, recoveryCopied
    case recoverySaved, recoveryDone
    case deleteTitle, deleteAbout, deleteSubmit
    case methodEmail, methodApple, methodGoogle, methodPasskey
    case fieldEmail, fieldPassword, fieldNewPassword, fieldName, fieldCode, fieldRecoveryCode
    case fieldCurrentPassword, fieldNewEmail, fieldPasskeyName, fieldKey, fieldConfirmDeletion
    case fieldDeviceCode, fieldShow, fieldReveal
    case hintPassword
    case plainAbout, plainSecure, plainLocal
    case unroutedTitle, unroutedAbout, unroutedHome
    case hostTitle, hostAbout, hostLocal, hostOperator
    case noticeSignedOut, noticeOthersSignedOut, noticeRevoked, noticePasswordChanged
    case noticeAddressRestored, noticeAddressConfirmed, noticePasswordAdded, noticeMethodAdded
    case noticeCancelled, noticePasswordSaved, noticeMethodRemoved, noticePasskeyAdded
    case noticePasskeyRenamed, noticePasskeyRemoved, noticeSecondFactorOff, noticeDeleted
    case noticeBrowserTrusted, noticeSentAgain, noticeChangeUndone
    case noticeSwitching, noticeApplicationRemoved, noticeDeviceAllowed
    case noticeDeviceRefused, noticeNameSaved
    case problemTitle, problemBack, problemRequired, problemEmail, problemCredentials, problemCode
    case problemLink, problemPassword, problemTooShort, problemTooLong, problemCommon
    case problemBreached, problemContainsAddress, problemLacks, problemDisabled, problemTaken
    case problemMethod, problemTicket, problemWrongCode, problemRecoveryOnly, problemLimit
    case problemLimitMinutes, problemLimitHours
    case problemForm, problemReturn, problemUnlisted, problemUnlistedHere, problemSignUpRefused
    case problemSignUpClosed, problemSignInRefused
    case problemSecondFactorNeeded, problemSignedOut, problemSession, problemRecent
    case problemCurrentPassword, problemLastMethod, problemSameAddress, problemPasskey
    case problemPasskeyTaken, problemTooManyPasskeys, problemUnconfirmed, problemUnavailable
    case problemRequest, problemDeviceCode, problemRefused, problemClient
    case problemRedirect, problemOther

    private static let english = PageTexts(.english, PackageResources.en_txt)
    private static let german = PageTexts(.german, PackageResources.de_txt)

    package static func texts(in language: PageLanguage) -> PageTexts {
        language == .german ? german : english
    }
}

package typealias PageTexts = Texts<PageText>
