/// A rule that must always hold.
package enum Invariant: String, CaseIterable, Sendable {
    case revokedStaysRevoked = "revoked-stays-revoked"
    case oneSuccessor = "one-successor"
    case spentIsRefused = "spent-is-refused"
    case singleUse = "single-use"
    case ownAccount = "own-account"
    case acknowledgedStays = "acknowledged-stays"
    case auditVerifies = "audit-verifies"
    case withinLimits = "within-limits"
    case sameShape = "same-shape"
    case credentialsWithinBounds = "credentials-within-bounds"
    case honestStaysSignedIn = "honest-stays-signed-in"
    case endIsLearnt = "end-is-learnt"
    case signedOutHere = "signed-out-here"
    case expiredIsRefused = "expired-is-refused"
    case secondFactorAsked = "second-factor-asked"
    case nothingIsLost = "nothing-is-lost"
    case allGetIn = "all-get-in"
    case alwaysAnswers = "always-answers"
    case errorsHaveCauses = "errors-have-causes"
    case conflictsChangeNothing = "conflicts-change-nothing"
    case hookDecides = "hook-decides"
    case eventsArrive = "events-arrive"
    case mailWithinBudget = "mail-within-budget"
    case oneAccountPerAddress = "one-account-per-address"
    case changeIsUndone = "change-is-undone"

    package var meaning: String {
        switch self {
        case .revokedStaysRevoked: "after an acknowledged end, no token of the session works"
        case .oneSuccessor: "a refresh token has one successor"
        case .spentIsRefused: "after the grace period, a spent refresh token is refused"
        case .singleUse:
            "a nonce, an identity token, a mail, a ticket, a code and a ceremony work once"
        case .ownAccount: "a session is only given to a person who has proven the account"
        case .acknowledgedStays: "the acknowledged password works, and no former one"
        case .auditVerifies: "the audit log verifies, and has every acknowledged change"
        case .withinLimits: "no limit of requests is exceeded"
        case .sameShape: "known and unknown addresses get equal answers, after equal store calls"
        case .credentialsWithinBounds: "storage credentials are of the user, and end"
        case .honestStaysSignedIn:
            "when faults end, an honest app is signed in after at most two tries"
        case .endIsLearnt: "an app whose session has ended learns it"
        case .signedOutHere: "after a sign-out, a device has no token of the session"
        case .expiredIsRefused: "an expired access token is refused"
        case .secondFactorAsked: "no account with a second factor is opened with one"
        case .nothingIsLost: "what a guest has stored is with the account in which it has ended"
        case .allGetIn: "when faults end, every way to sign in works"
        case .alwaysAnswers: "every call ends"
        case .conflictsChangeNothing: "a transaction that is refused has made no write"
        case .hookDecides:
            "without the consent of the app's hook, no account and no session begins"
        case .eventsArrive:
            "each event of the audit log arrives once or more, signed, in its order, and no other"
        case .mailWithinBudget: "nobody gets more mails than the budget allows"
        case .oneAccountPerAddress: "an address signs in to one account, and is free without one"
        case .changeIsUndone:
            "an account has the address that was confirmed or restored last, and an undone change "
                + "leaves nothing that was added since"
        case .errorsHaveCauses: "no function fails (5xx) without a fault, or a lost race"
        }
    }
}
