/// A rule that must never be broken.
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
    case codeGivesOnce = "code-gives-once"
    case clientIsProven = "client-is-proven"
    case answerIsTheClients = "answer-is-the-clients"
    case grantStaysEnded = "grant-stays-ended"
    case consentPrecedes = "consent-precedes"
    case audienceIsKept = "audience-is-kept"
    case accessIsKept = "access-is-kept"
    case identityFits = "identity-fits"
    case errorsAreStandard = "errors-are-standard"
    case keyIsProven = "key-is-proven"
    case descriptionIsKept = "description-is-kept"
    case hookAgrees = "hook-agrees"
    case programStaysEnded = "program-stays-ended"
    case endIsListed = "end-is-listed"
    case deviceGivesOnce = "device-gives-once"
    case deviceIsAllowed = "device-is-allowed"
    case deviceIsHeard = "device-is-heard"
    case codesAreCounted = "codes-are-counted"
    case programsAreTold = "programs-are-told"
    case noticeFits = "notice-fits"
    case signOutIsMeant = "sign-out-is-meant"

    package var meaning: String {
        switch self {
        case .revokedStaysRevoked: "after an acknowledged end, no token of the session works"
        case .oneSuccessor: "a refresh token has one successor"
        case .spentIsRefused: "after the grace period, a spent refresh token is refused"
        case .singleUse:
            "a nonce, an identity token, a mail, a ticket, a code and a ceremony work once"
        case .ownAccount: "a session is given only to a person who has proven to own the account"
        case .acknowledgedStays: "the acknowledged password works, and no former one"
        case .auditVerifies: "the audit log verifies, and has every acknowledged change"
        case .withinLimits: "no limit of requests is exceeded"
        case .sameShape: "known and unknown addresses get equal answers, after equal store calls"
        case .credentialsWithinBounds: "storage credentials belong to the user, and expire"
        case .honestStaysSignedIn:
            "when faults end, an honest app is signed in after at most two attempts"
        case .endIsLearnt: "an app whose session has ended finds out"
        case .signedOutHere: "after a sign-out, a device has no token of the session"
        case .expiredIsRefused: "an expired access token is refused"
        case .secondFactorAsked: "no account with a second factor is opened with one factor"
        case .nothingIsLost: "a guest's stored data are with the account into which it was merged"
        case .allGetIn: "when faults end, every way to sign in works"
        case .alwaysAnswers: "every call ends"
        case .conflictsChangeNothing: "a transaction that is refused has made no write"
        case .hookDecides:
            "without the consent of the app's hook, no account and no session begins"
        case .eventsArrive:
            "each event of the audit log arrives once or more, signed, in its order, and no other"
        case .mailWithinBudget: "nobody gets more mails than the budget allows"
        case .oneAccountPerAddress:
            "an address signs in to one account, and can be claimed if it has none"
        case .changeIsUndone:
            "an account has the address that was confirmed or restored last, and an undone change "
                + "leaves nothing that was added since"
        case .codeGivesOnce: "a client's code gives one set of tokens, and a decision one code"
        case .clientIsProven:
            "a code and a refresh token work only for their client, which authenticates, and "
                + "its own token permits only what it is registered for"
        case .answerIsTheClients:
            "a browser is redirected only to an address of the client, and only by a request that "
                + "it has begun"
        case .grantStaysEnded: "after an acknowledged end, a client's grant gives nothing"
        case .consentPrecedes: "a consent that was not withdrawn precedes every token of a client"
        case .audienceIsKept:
            "a client's token is accepted by the server that it is for, and by no other"
        case .accessIsKept: "an honest client keeps its access"
        case .identityFits: "an ID token has the right client, the right nonce, and a recent proof"
        case .errorsAreStandard:
            "refusals of clients follow OAuth, and dead tokens are reported as such"
        case .keyIsProven:
            "a bound token works only with its key, and each proof works once"
        case .descriptionIsKept:
            "a code is exchanged according to the client's document at the time of the decision, "
                + "and a client of an unlisted host gets nothing"
        case .hookAgrees:
            "a client gets nothing without the agreement of the app's hook, whose demands are met"
        case .programStaysEnded:
            "when a client is deleted, disabled or forgotten, it gets nothing, and none of its "
                + "tokens is alive"
        case .endIsListed:
            "a server that polls the revocation list refuses an ended token within its time limit, "
                + "and no token whose session is alive"
        case .deviceGivesOnce: "an approval of a person gives a device one set of tokens"
        case .deviceIsAllowed:
            "a device gets tokens only of an account that was shown its code and has allowed it, "
                + "and nothing after a refusal, or after the end of the code or of the person's "
                + "session"
        case .deviceIsHeard:
            "a device that keeps to the polling interval learns the decision"
        case .codesAreCounted: "five wrong device codes block an account's code entry for a while"
        case .programsAreTold:
            "a program is notified of the end of each session for which it has an ID token, "
                + "whatever the cause, and of no session that is alive"
        case .noticeFits:
            "a notice of an ended session is for its program, about a session that it knows, "
                + "and new"
        case .signOutIsMeant:
            "a browser is signed out without a question only with an ID token of its own session, "
                + "and is redirected only to an address of the program"
        case .errorsHaveCauses: "no function fails (5xx) without a fault, or a lost race"
        }
    }
}
