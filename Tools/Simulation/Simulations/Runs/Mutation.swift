import AuthDomain
import Time

/// A planted bug, to show that the simulation finds it. No part of the functions or of the client
/// knows of it.
package struct Mutation: Sendable {
    package let name: String
    /// The bug that it stands for.
    package let what: String
    private var policy: @Sendable (inout Policy) -> Void = { _ in }
    private var store: @Sendable (StoreFlaws) -> Void = { _ in }
    private var disk: @Sendable (inout DeviceDisk.Flaws) -> Void = { _ in }
    private var deployment: DeploymentFlaws.Flaw?
    private(set) var mixesAnswersUp = false

    func plant(_ policy: inout Policy) { self.policy(&policy) }
    func plant(_ flaws: StoreFlaws) { store(flaws) }
    func plant(_ disk: DeviceDisk) { self.disk(&disk.flaws) }
    func plant(_ flaws: DeploymentFlaws) { flaws.flaw = deployment }

    private init(_ name: String, _ what: String) {
        self.name = name
        self.what = what
    }

    private static func policy(
        _ name: String, _ what: String, _ change: @escaping @Sendable (inout Policy) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.policy = change
        return mutation
    }

    private static func store(
        _ name: String, _ what: String, _ change: @escaping @Sendable (StoreFlaws) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.store = change
        return mutation
    }

    private static func unconditional(_ kind: RowKind) -> Mutation {
        store(
            "unconditional-\(kind.rawValue)", "writes of \(kind.rawValue) rows without conditions"
        ) {
            $0.unconditional = [kind]
        }
    }

    private static func unmade(_ kind: RowKind) -> Mutation {
        store("unmade-\(kind.rawValue)", "changes of \(kind.rawValue) rows are answered, not made")
        {
            $0.unmade = [kind]
        }
    }

    private static func undeleted(_ kind: RowKind) -> Mutation {
        store("undeleted-\(kind.rawValue)", "\(kind.rawValue) rows are not deleted") {
            $0.undeleted = [kind]
        }
    }

    private static func stale(_ kind: RowKind) -> Mutation {
        store("stale-\(kind.rawValue)", "\(kind.rawValue) rows are read from a replica that lags") {
            $0.stale = [kind]
        }
    }

    private static func device(
        _ name: String, _ what: String,
        _ change: @escaping @Sendable (inout DeviceDisk.Flaws) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.disk = change
        return mutation
    }

    private static func answer(
        _ name: String, _ what: String, _ flaw: DeploymentFlaws.Flaw
    ) -> Mutation {
        var mutation = Mutation(name, what)
        mutation.deployment = flaw
        return mutation
    }

    private static func other(
        _ name: String, _ what: String, _ change: (inout Mutation) -> Void
    ) -> Mutation {
        var mutation = Mutation(name, what)
        change(&mutation)
        return mutation
    }

    package static func named(_ name: String) -> Mutation? { all.first { $0.name == name } }

    package static let all: [Mutation] =
        [
            .session, .profile, .challenge, .spentToken, .magicLink, .auditHead, .registration,
            .resetLink, .emailClaim, .identity,
        ]
        .map(unconditional)
        + [
            .session, .profile, .password, .challenge, .spentToken, .magicLink, .auditHead,
            .auditEvent, .emailClaim, .registration, .resetLink, .identity,
        ]
        .map(unmade)
        + [.session, .challenge, .magicLink, .resetLink, .registration].map(undeleted)
        + [.session, .profile, .password, .auditHead].map(stale)
        + [
            store("swallowed-conflicts", "a write whose condition fails is answered as made") {
                $0.swallowsConflicts = true
            },
            store("split-transactions", "only the first write of a transaction is made") {
                $0.splitsTransactions = true
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
            answer("sign-out-does-nothing", "a sign-out is answered, not made", .signsOutNothing),
            answer(
                "outage-ends-sessions", "an outage is answered as a dead token",
                .outageEndsSessions),
            answer(
                "fresh-token-refused", "some refresh tokens are refused at random",
                .refusesFresh),
            answer("no-rotation", "a refresh answers the token that it spent", .repeatsSpentToken),
            answer(
                "refusal-without-action", "a dead token is refused without saying so",
                .refusesWithoutAction),
            answer("tells-unknown-by-body", "the body tells an unknown address", .tellsUnknown),
            answer(
                "tells-unknown-by-status", "the status tells an unknown address",
                .tellsUnknownByStatus),
            answer("cached-profile", "the profile comes from a cache", .cachesProfiles),
            answer("long-credentials", "storage credentials do not end", .longCredentials),
            answer(
                "foreign-credentials", "storage credentials are of all users",
                .foreignCredentials),
            answer(
                "another-answer", "a sign-in gets the answer of the one before",
                .answersAnother),
            device("device-answers-early", "the store of the device answers before it stores") {
                $0.answersEarly = true
            },
            device("device-without-compare", "the store of the device replaces anything") {
                $0.ignoresExpected = true
            },
            device("device-reads-stale", "the store of the device reads the past") {
                $0.readsStale = true
            },
            device("device-keeps-removed", "a sign-out stays on the device") {
                $0.keepsRemoved = true
            },
            device("locked-device-is-empty", "a locked device has no session") {
                $0.hidesWhenLocked = true
            },
            other("mixed-up-answers", "a proxy gives an answer to another client") {
                $0.mixesAnswersUp = true
            },
        ]
}
