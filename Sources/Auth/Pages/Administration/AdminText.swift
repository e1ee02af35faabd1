package import Contracts

/// The texts of the administration, in the order of the lines in the file of each language
/// (`Files`). There, `usersTitle` has the name `users.title`.
package enum AdminText: Int, TextKey {
    case frameUsers, frameSystem, frameMails, frameApps, frameAccount, frameSignOut, frameReads
    case frameTook, frameProof, frameProve, frameReason, framePassword, frameCurl, frameCommand
    case frameToken, frameSession, frameClose, frameOlder
    case tagDisabled, tagGuest, tagUnverified, tagSecondFactor, tagNoSecondFactor, tagRefused
    case tagVerified, tagOwnApp, tagPublicApp, tagUnusable, tagSigns, tagDue
    case roleNone, roleViewer, roleSupport, roleAdministrator
    case methodPassword, methodEmail, methodPasskey, methodMailedLink
    case nameGuest, nameNone
    case noticeSignedOut, noticeDisabled, noticeEnabled, noticeDeleted, noticeMailed
    case noticeAddressChanged, noticeNameChanged, noticeCreated, noticeFactorRemoved
    case noticeFactorWaits, noticeFactorKept, noticeMethodRemoved, noticeApplicationRemoved
    case noticeKeyMade, noticeResent, noticeRoleSet, noticeAppDisabled, noticeAppEnabled
    case noticeAppSecretEnded, noticeAppGrantsEnded, noticeAppDeleted
    case problemTitle, problemHeading, problemProve, problemBack, problemAgain, problemPlain
    case problemEmail, problemLong, problemChoice, problemNotFound, problemForm, problemUser
    case problemOwn, problemRole, problemSignedIn, problemSwitch, problemProof, problemTaken
    case problemDisabled, problemGuest, problemLastMethod, problemMethod, problemNoEmail
    case problemVerified, problemNoFactor, problemNoPassword
    case problemSignUp, problemClient, problemConfigured, problemApplication, problemMember
    case problemRule, ruleName, ruleUri, ruleAlgorithm, ruleOr, ruleProfile, ruleProofs
    case ruleResource, ruleStored, ruleScope
    case firstTitle, firstAbout, firstSubmit, firstClosed, firstSpent, firstAnother
    case firstAnotherFunction, firstSignIn
    case usersTitle, usersNone, usersUnknown, usersSearch, usersSearchExact, usersFind
    case usersNewestFirst, usersFound, usersTotal, usersMore, usersNewest, usersNew, usersNewAbout
    case usersEmail, usersName, usersCreate, usersOpen, usersAgain, usersAgainAbout
    case userId, userPublicID, userName, userEmail, userLogin, userMethods, userNoMethods
    case userSecondFactor, userOff, userSince, userSinceRemovable, userCreated, userChanged
    case userActions, userFinal, userOwn, userRemovalWait, userNewEmail, userStolen, userNewName
    case userMethod, userPasskeyAdded, userApp, userChangeRole, userRoleAbout, userRoleRisk,
        userRole
    case actionSignOut, actionSignOutAbout, actionDisable, actionDisableAbout, actionEnable
    case actionEnableAbout, actionMailPasswordLink, actionMailPasswordLinkAbout
    case actionMailVerificationLink, actionMailVerificationLinkAbout, actionSetEmail
    case actionSetEmailAbout, actionSetName, actionSetNameAbout, actionRemoveSecondFactor
    case actionRemoveSecondFactorAbout, actionStopFactorRemoval, actionStopFactorRemovalAbout
    case actionRemoveMethod, actionRemoveMethodAbout, actionRemoveApplication
    case actionRemoveApplicationAbout, actionExport, actionExportAbout, actionDelete
    case actionDeleteAbout
    case timelineTitle, timelineAbout, timelineOlder, timelineRefresh, timelineRefreshes
    case timelineSessions, timelineDevices, timelinePasskeys, timelineApps, timelineMail
    case timelineReason, timelineBy, timelineByAdministrator, timelineByOperator,
        timelineByFirstLink, timelineByDeleted, timelineInSession, timelineSession
    case timelineSessionAbout, timelineDevice, timelineDeviceTrusted, timelineDeviceAbout
    case timelineAppUsed, timelineAppUnused, timelineAppUsers, timelinePasskey, timelinePasskeyAbout
    case timelineWrongCredentials, timelineWrongPassword, timelineInvalidLink, timelineInvalidCode
    case timelineAccountDisabled, timelineRefusedByHook, timelineInvitation
    case timelineAuthenticator, timelineRecoveryCode, timelineNoFactor, timelineImported
    case timelineMigrated, timelineProviderRefused, timelineUnknownPasskey
    case logTampered, logOneForged, logRange, logChanged, logMissing, logNotLinked, logRepeated
    case logBeyondHead, logHeadMissing, logHeadUnreadable, logAnchorMissing, logSealedOne, logSealed
    case logWholeOne, logWhole, logPartOne, logPart, logForged
    case droppedAttempts, droppedExpired, droppedRejected, droppedNotRenderable, droppedUnreadable
    case systemTitle, systemWarnings, systemHealth, systemKeys, systemNoKeys, systemOwnKey
    case systemMail, systemWebhooks, systemDeletions, systemOrMore
    case systemAdministration, systemAdministrationAbout, systemLimits
    case systemLimitsAbout, systemLimit, systemTestMail, systemTestMailAbout, systemTestMailTo
    case systemBackup, systemBackupOwn, systemBackupAbout, systemKeyAge, systemKeyFrom
    case systemKeyUntil, systemMasterKey, systemRotate, systemRotateAbout, systemMailDue
    case systemAttempts, systemGivenUp, systemSendAgain, systemExpiredEvent
    case testTitle, testSent, testNotSent, testHook
    case chartTitle, chartDay, chartMonth, chartAbout, chartRefusals, chartHighest, chartNone
    case countSignIn, countSignIns, countRefusal, countRefusals, countSecond, countSeconds
    case countMinute, countMinutes, countHour, countHours, countDay, countDays
    case warningFactor, warningMore, warningIssuer, warningFolder, warningNoMail, warningLimits
    case warningDebug, warningHops
    case healthGood, healthBad, healthStore, healthStoreRead, healthStoreSlow, healthHousekeeping
    case healthRunFirst, healthRunNever, healthRunLast, healthRunLate, healthMail, healthMailNone
    case healthMailOne, healthMailMany, healthMailLate, healthMailFailed, healthMailNext
    case healthWebhooks, healthWebhookLate, healthWebhookNone, healthWebhookNext
    case healthWebhookDeadOne, healthWebhookDead, healthDeletions, healthDeletionLate
    case healthDeletionNone, healthDeletionNext, healthSigningKey, healthKeyFirst, healthKeyOwn
    case healthKeyNone, healthKeySigns, healthKeyLate, healthKeyNext, healthMasterKey
    case healthMasterAge, healthMasterUnknown, healthMasterReplaced, healthAudit, healthAuditGood
    case healthAuditBad, healthClock, healthClockGood, healthClockBad
    case settingsTitle, settingsAbout, settingsOtherAbout
    case settingsGroup, settingsSet, settingsUnset, settingsStandard
    case settingsEnvironment, settingsFile, settingsCredential, settingsDefault
    case groupAll, groupProviders, groupPasskeys, groupPages, groupOauth, groupRevocations
    case groupStorage, groupAdministration, groupMail, groupAuthorizer, groupHosts, groupOther
    case mailsTitle, mailsHook, mailsAbout, mailsWhen, mailsFrom, mailsTemplate, mailsCustom
    case mailsBuiltIn, mailsHtml, mailsFrame, mailsExamples, mailsText
    case mailVerifyEmail, mailAlreadyRegistered, mailSignInMethods, mailInvitation
    case mailResetPassword
    case mailPasswordChanged, mailMagicLink, mailNewDevice, mailNewApplication, mailMethodAdded
    case mailMethodRemoved, mailSecondFactorChanged, mailSecondFactorRemoval, mailWrongCodes
    case mailAddressChanged, mailEmailChanged, mailAccountDeleted
    case kindVerifyEmail, kindAlreadyRegistered, kindSignInMethods, kindInvitation
    case kindResetPassword
    case kindPasswordChanged, kindMagicLink, kindNewDevice, kindNewApplication, kindMethodAdded
    case kindMethodRemoved, kindSecondFactorChanged, kindSecondFactorRemoval, kindWrongCodes
    case kindAddressChanged, kindEmailChanged, kindAccountDeleted
    case clientsTitle, clientsAbout, clientsNone, clientsAdded, clientsRegistered, clientsNew
    case clientsName, clientsUri, clientsMethod, clientsWithSecret, clientsWithoutSecret
    case clientsDevices, clientsScope, clientsAdd
    case clientId, clientAuthentication, clientRedirects, clientGrants, clientScope, clientAllScopes
    case clientUnknownScope, clientServers, clientAllServers, clientIntrospects, clientUnusable
    case clientProblem, clientProblemAbout, clientFormerUntil, clientAccessEnded, clientConfigured
    case clientUsers, clientDisable, clientDisableAbout, clientEnable, clientEnableAbout
    case clientEndFormerSecret, clientEndFormerSecretAbout, clientEndGrants, clientEndGrantsAbout
    case clientDelete, clientDeleteAbout
    case secretTitle, secretAbout, secretPresent, secretKept, secretEnded, secretSubmit
    case secretFormerUntil, secretFormerEnded, secretSecret, secretOnce, secretReady, secretIssuer
    case holdersTitle, holdersAbout, holdersNone

    private static let english = Texts<Self>(.english, PackageResources.admin_en_txt)
    private static let german = Texts<Self>(.german, PackageResources.admin_de_txt)

    package static func texts(in language: PageLanguage) -> Texts<Self> {
        language == .german ? german : english
    }
}
