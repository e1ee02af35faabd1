internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import HTML
internal import JSON
internal import Time

/// An operator's first view: each check passes, or says what to do.
struct SystemHealth {
    struct Check {
        let name: String
        let title: String
        let isGood: Bool
        let finding: String
    }

    private(set) var checks: [Check] = []

    private let state: SystemState
    /// The store answers in a few milliseconds, and from another region in 200.
    private static let readTimeMax = Span.seconds(1)
    /// A run takes 50 seconds at most, and one may fail.
    private var pauseMax: Span {
        max(.minutes(10), .seconds(state.housekeepingInterval.seconds * 2))
    }
    /// A mail whose first two attempts failed waits for more than a greylisting server asks for.
    private static let attemptsMax: Int64 = 2

    init(_ state: SystemState) {
        self.state = state
        checkStore()
        checkHousekeeping()
        checkMail()
        checkWebhooks()
        checkDeletions()
        checkSigningKeys()
        checkMasterKey()
        checkAuditLog()
        checkClock()
    }

    var isGood: Bool { checks.allSatisfy(\.isGood) }

    private mutating func add(
        _ name: String, _ title: String, _ isGood: Bool, _ finding: String
    ) {
        checks.append(Check(name: name, title: title, isGood: isGood, finding: finding))
    }

    // MARK: Checks

    private mutating func checkStore() {
        let took = state.readTime
        add(
            "store", "Store", took <= Self.readTimeMax,
            "A read took \(took.milliseconds) ms."
                + (took <= Self.readTimeMax
                    ? "" : " Look at the load of the store, and its distance from this process."))
    }

    private mutating func checkHousekeeping() {
        guard let last = state.lastHousekeeping else {
            let isNew = state.masterKeySince.map { state.at - $0 <= pauseMax } ?? false
            return add(
                "housekeeping", "Housekeeping", isNew,
                isNew
                    ? "The deployment is new; the first run is due within "
                        + "\(Self.text(state.housekeepingInterval))."
                    : "No run has ended yet. Schedule it once a minute, unless the server does "
                        + "(SERVER_HOUSEKEEPING_SECONDS).")
        }
        let isLate = state.at - last > pauseMax
        add(
            "housekeeping", "Housekeeping", !isLate,
            "The last run ended \(Self.text(state.at - last)) ago."
                + (isLate
                    ? " It should run every \(Self.text(state.housekeepingInterval)): look at its "
                        + "schedule and its log. Unsent mail, deletions and expired rows wait for "
                        + "it." : ""))
    }

    private mutating func checkMail() {
        guard let first = state.mails.first else {
            return add("mail", "Mail", true, "None waits.")
        }
        let count = state.mails.count
        let waits = count == 1 ? "1 mail waits" : "\(count) mails wait"
        if state.at - first.due > pauseMax {
            return add(
                "mail", "Mail", false,
                "\(waits); the oldest is overdue by \(Self.text(state.at - first.due)). "
                    + "Housekeeping sends it.")
        }
        if state.mails.contains(where: { $0.attempts > Self.attemptsMax }) {
            return add(
                "mail", "Mail", false,
                "\(waits), some after several failed attempts: see mail_failed in the log.")
        }
        add("mail", "Mail", true, "\(waits) for the next attempt.")
    }

    private mutating func checkWebhooks() {
        let dead = state.webhooks.count
        if let due = state.webhooksDue, state.at - due > pauseMax {
            return add(
                "webhooks", "Webhooks", false,
                "The oldest event is overdue by \(Self.text(state.at - due)). "
                    + "Housekeeping sends it, with WEBHOOK_SECRET.")
        }
        let given = dead == 1 ? "1 event was" : "\(dead) events were"
        add(
            "webhooks", "Webhooks", dead == 0,
            dead == 0
                ? state.webhooksDue == nil
                    ? "No event waits." : "Events wait for the next attempt."
                : "\(given) given up: repair the receiver, then send them again below.")
    }

    private mutating func checkDeletions() {
        let late = state.deletionsDue.map { state.at - $0 } ?? .zero
        add(
            "deletions", "Deletions", late <= pauseMax,
            late > pauseMax
                ? "The oldest is overdue by \(Self.text(late)). Housekeeping erases the data."
                : state.deletions == 0
                    ? "None waits." : "\(state.deletions) wait for their next run.")
    }

    private mutating func checkSigningKeys() {
        guard let next = state.nextKeyAt, let newest = state.keys.last else {
            return add(
                "signingKeys", "Signing key", true,
                state.makesKeys
                    ? "The first sign-in makes it."
                    : "The operator has configured it (SIGNING_KEY).")
        }
        guard state.keys.contains(where: \.isSigning) else {
            return add(
                "signingKeys", "Signing key", false, "No stored key signs yet: check the clock.")
        }
        let isLate = state.at - next > .days(1)
        let coming =
            newest.usableFrom > state.at
            ? "The next one signs from \(Self.text(newest.usableFrom))."
            : isLate
                ? "The next one was due \(Self.text(state.at - next)) ago. Housekeeping makes it."
                : "The next one comes on \(Self.text(next))."
        add("signingKeys", "Signing key", !isLate, "One signs. \(coming)")
    }

    private mutating func checkMasterKey() {
        let age = state.masterKeySince.map {
            "In use for \(Self.text(state.at - $0))."
        }
        let replacement =
            state.isMasterKeyReplaced
            ? " MASTER_KEY_PREVIOUS is set: remove it when master_key_replacement in the log "
                + "says so."
            : ""
        add("masterKey", "Master key", true, (age ?? "Its age is not known yet.") + replacement)
    }

    private mutating func checkAuditLog() {
        let isIntact =
            state.administration.findings.isEmpty
            && state.administration.events.allSatisfy(\.isGenuine)
        add(
            "audit", "Audit log", isIntact,
            isIntact
                ? "The latest events of administrators are genuine and complete."
                : "Events of administrators were changed or removed: see below.")
    }

    /// No row can be from the future.
    private mutating func checkClock() {
        let latest =
            [state.lastHousekeeping, state.administration.events.first?.entry.at]
            .compactMap(\.self) + state.keys.map(\.createdAt)
        let ahead = (latest.max() ?? state.at) - state.at
        let isGood = ahead <= .minutes(1)
        add(
            "clock", "Clock", isGood,
            isGood
                ? "\(Self.text(state.at)) UTC."
                : "It shows \(Self.text(state.at)) UTC, but the store has rows that are "
                    + "\(Self.text(ahead)) newer. Synchronise the clocks of all processes.")
    }

    // MARK: Words

    private static func text(_ instant: Instant) -> String { instant.text("%Y-%m-%d %H:%M") }

    private static func text(_ span: Span) -> String {
        let (count, unit) =
            switch max(0, span.seconds) {
            case let seconds where seconds < 60: (seconds, "second")
            case let seconds where seconds < 7200: (seconds / 60, "minute")
            case let seconds where seconds < 172_800: (seconds / 3600, "hour")
            case let seconds: (seconds / 86_400, "day")
            }
        return count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
    }
}

// MARK: Answers

extension SystemHealth {
    var json: JSON {
        let checks = checks.map { check -> JSON in
            [
                "name": .string(check.name), "good": .bool(check.isGood),
                "finding": .string(check.finding),
            ]
        }
        return ["good": .bool(isGood), "checks": .array(checks)]
    }

    var html: HTML {
        let rows = checks.map { check in
            let mark: HTML =
                check.isGood
                ? "<small class=\"ok\">✓ good</small>" : "<small class=\"not\">✗ look at it</small>"
            return HTML(
                "<li><span>\(check.title)<small>\(check.finding)</small></span>\(mark)</li>\n")
        }
        return "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
    }
}
