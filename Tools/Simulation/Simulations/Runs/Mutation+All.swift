import AuthDomain
import Time

extension Mutation {
    package static let all: [Mutation] =
        [
            .session, .profile, .challenge, .spentToken, .magicLink, .auditHead, .emailClaim,
            .identity, .secondFactor,
        ]
        .map { unconditional([$0]) }
        + unconditional([.registration]).guarded(
            by: "the absent emailClaim row", unconditional([.registration, .emailClaim]),
            breaking: .singleUse)
        + unconditional([.ticket]).guarded(
            by: "the last step in the secondFactor row", unconditional([.ticket, .secondFactor]),
            breaking: .singleUse)
        + unconditional([.resetLink]).guarded(
            by: "the revision of the profile row, and the hash of the password row",
            unconditional([.resetLink, .profile, .password]), breaking: .singleUse)
        + undeleted(.resetLink).guarded(
            by: "the epoch in the profile row, which the link also contains",
            store(
                "undeleted-resetLink-epoch",
                "resetLink rows are not deleted, and ending all sessions does not change the epoch"
            ) {
                $0.undeleted = [.resetLink]
                $0.keepsEpochs = true
            }, breaking: .singleUse)
        + [
            .session, .profile, .password, .challenge, .spentToken, .magicLink, .auditHead,
            .auditEvent, .emailClaim, .registration, .resetLink, .identity,
            .secondFactor, .ticket, .passkey, .ceremony, .merge, .signingKey,
        ]
        .map(unmade)
        + [
            .session, .challenge, .magicLink, .registration, .ticket, .signingKey,
        ]
        .map(undeleted)
        + [.session, .profile, .password, .auditHead, .secondFactor].map(stale)
        + [
            store("swallowed-conflicts", "a write whose condition fails is answered as made") {
                $0.swallowsConflicts = true
            },
            store("split-transactions", "only the first write of a transaction is made") {
                $0.splitsTransactions = true
            },
            store("unread-former-rows", "sessions of the former release are not read") {
                $0.forgetsFormer = true
            },
            store("lost-factor-flag", "an account loses the flag of its second factor") {
                $0.losesFactorFlag = true
            },
            store("uncounted-requests", "requests are not counted") { $0.countsNothing = true },
            policy("no-grace", "a refresh token that was spent is never repeated") {
                $0.sessions.rotation = .everyUse(grace: .zero)
            },
            policy("endless-grace", "a refresh token that was spent works for a day") {
                $0.sessions.rotation = .everyUse(grace: .days(1))
            },
            policy("short-sessions", "sessions end after an hour") {
                $0.sessions.idleLifetime = .hours(1)
            },
            policy("no-limits", "there are no rate limits") { $0.limits = [] },
            answer(
                "sign-out-does-nothing", "a sign-out is acknowledged, but not made",
                .signsOutNothing),
            answer(
                "administrator-does-nothing",
                "an administrator's change is acknowledged, but not made",
                .administersNothing),
            other(
                "master-key-in-one-step", "a new master key is used before all functions accept it"
            ) {
                $0.rollout = .inOneStep
            },
            other(
                "master-key-forgotten", "a new master key is set, and the old one is not accepted"
            ) {
                $0.rollout = .withoutPrevious
            },
            answer(
                "outage-ends-sessions", "an outage is reported as a dead token",
                .outageEndsSessions),
            answer(
                "fresh-token-refused", "some refresh tokens are refused at random",
                .refusesFresh),
            answer("no-rotation", "a refresh returns the token that it spent", .repeatsSpentToken),
            answer(
                "refusal-without-action", "the refusal of a dead token does not say what to do",
                .refusesWithoutAction),
            answer("tells-unknown-by-body", "the body reveals an unknown address", .tellsUnknown),
            answer(
                "tells-unknown-by-status", "the status reveals an unknown address",
                .tellsUnknownByStatus),
            answer("cached-profile", "the profile comes from a cache", .cachesProfiles),
            answer("long-credentials", "storage credentials do not end", .longCredentials),
            answer(
                "foreign-credentials", "storage credentials give access to all users' objects",
                .foreignCredentials),
            answer(
                "another-answer", "a sign-in gets the answer to the previous one",
                .answersAnother),
            device("device-answers-early", "the store of the device answers before it stores") {
                $0.answersEarly = true
            },
            device("device-without-compare", "the device's store replaces records unchecked") {
                $0.ignoresExpected = true
            },
            device("device-reads-stale", "the store of the device returns old records") {
                $0.readsStale = true
            },
            device("device-keeps-removed", "a sign-out keeps the record on the device") {
                $0.keepsRemoved = true
            },
            device("locked-device-is-empty", "a locked device has no session") {
                $0.hidesWhenLocked = true
            },
            other("mixed-up-answers", "a proxy gives an answer to another client") {
                $0.mixesAnswersUp = true
            },
        ] + DynamoDBBug.allCases.map(dynamoDB) + ofFeatures + ofProvider
        + ofProviderFeatures + ofRevocations + ofDevices + ofLogout
}
