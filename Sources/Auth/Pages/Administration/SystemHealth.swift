internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import HTML
internal import JSON
internal import Time

/// The first part of the page, for operators: each check passes, or says what to do.
struct SystemHealth {
    struct Check {
        let name: String
        let title: AdminText
        let isGood: Bool
        let finding: String
    }

    private(set) var checks: [Check] = []

    private let state: SystemState
    private let texts: AdminTexts
    /// A nearby store answers within a few milliseconds, a store in another region within 200.
    private static let readTimeMax = Span.seconds(1)
    /// A run takes at most 50 seconds, and one failed run is not yet a problem.
    private var pauseMax: Span {
        max(.minutes(10), .seconds(state.housekeepingInterval.seconds * 2))
    }
    /// A mail whose first two attempts failed has waited for longer than a greylisting server
    /// requires.
    private static let attemptsMax: Int64 = 2

    init(_ state: SystemState, _ texts: AdminTexts) {
        self.state = state
        self.texts = texts
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
        _ name: String, _ title: AdminText, _ isGood: Bool, _ finding: AdminText,
        _ values: [(name: String, value: String)] = []
    ) {
        checks.append(
            Check(name: name, title: title, isGood: isGood, finding: texts(finding, values)))
    }

    // MARK: Checks

    private mutating func checkStore() {
        let took = state.readTime
        let isGood = took <= Self.readTimeMax
        add(
            "store", .healthStore, isGood, isGood ? .healthStoreRead : .healthStoreSlow,
            [("time", "\(took.milliseconds)")])
    }

    private mutating func checkHousekeeping() {
        let interval = texts.span(state.housekeepingInterval)
        guard let last = state.lastHousekeeping else {
            let isNew = state.masterKeySince.map { state.at - $0 <= pauseMax } ?? false
            return add(
                "housekeeping", .healthHousekeeping, isNew,
                isNew ? .healthRunFirst : .healthRunNever, [("span", interval)])
        }
        let isLate = state.at - last > pauseMax
        add(
            "housekeeping", .healthHousekeeping, !isLate,
            isLate ? .healthRunLate : .healthRunLast,
            [("span", texts.span(state.at - last)), ("interval", interval)])
    }

    private mutating func checkMail() {
        guard let first = state.mails.first else {
            return add("mail", .healthMail, true, .healthMailNone)
        }
        let overdue = state.at - first.due
        let waits = texts.count(Int64(state.mails.count), .healthMailOne, .healthMailMany)
        let values = [("waits", waits), ("span", texts.span(overdue))]
        if overdue > pauseMax {
            add("mail", .healthMail, false, .healthMailLate, values)
        } else if state.mails.contains(where: { $0.attempts > Self.attemptsMax }) {
            add("mail", .healthMail, false, .healthMailFailed, values)
        } else {
            add("mail", .healthMail, true, .healthMailNext, values)
        }
    }

    private mutating func checkWebhooks() {
        let dead = state.webhooks.count
        if let due = state.webhooksDue, state.at - due > pauseMax {
            return add(
                "webhooks", .healthWebhooks, false, .healthWebhookLate,
                [("span", texts.span(state.at - due))])
        }
        guard dead == 0 else {
            return add(
                "webhooks", .healthWebhooks, false,
                dead == 1 ? .healthWebhookDeadOne : .healthWebhookDead, [("count", "\(dead)")])
        }
        add(
            "webhooks", .healthWebhooks, true,
            state.webhooksDue == nil ? .healthWebhookNone : .healthWebhookNext)
    }

    private mutating func checkDeletions() {
        let late = state.deletionsDue.map { state.at - $0 } ?? .zero
        let isGood = late <= pauseMax
        add(
            "deletions", .healthDeletions, isGood,
            !isGood
                ? .healthDeletionLate
                : state.deletions == 0 ? .healthDeletionNone : .healthDeletionNext,
            [("span", texts.span(late)), ("count", "\(state.deletions)")])
    }

    private mutating func checkSigningKeys() {
        guard let next = state.nextKeyAt, let newest = state.keys.last else {
            return add(
                "signingKeys", .healthSigningKey, true,
                state.makesKeys ? .healthKeyFirst : .healthKeyOwn)
        }
        guard state.keys.contains(where: \.isSigning) else {
            return add("signingKeys", .healthSigningKey, false, .healthKeyNone)
        }
        let isLate = state.at - next > .days(1)
        if newest.usableFrom > state.at {
            add(
                "signingKeys", .healthSigningKey, !isLate, .healthKeySigns,
                [("time", texts.time(newest.usableFrom))])
        } else {
            add(
                "signingKeys", .healthSigningKey, !isLate,
                isLate ? .healthKeyLate : .healthKeyNext,
                [("span", texts.span(state.at - next)), ("time", texts.time(next))])
        }
    }

    private mutating func checkMasterKey() {
        let age = state.masterKeySince.map {
            texts(.healthMasterAge, "span", texts.span(state.at - $0))
        }
        let replacement = state.isMasterKeyReplaced ? " " + texts(.healthMasterReplaced) : ""
        checks.append(
            Check(
                name: "masterKey", title: .healthMasterKey, isGood: true,
                finding: (age ?? texts(.healthMasterUnknown)) + replacement))
    }

    private mutating func checkAuditLog() {
        let isIntact =
            state.administration.findings.isEmpty
            && state.administration.events.allSatisfy(\.isGenuine)
        add(
            "audit", .healthAudit, isIntact, isIntact ? .healthAuditGood : .healthAuditBad)
    }

    /// A row from the future shows that a clock is wrong.
    private mutating func checkClock() {
        let latest =
            [state.lastHousekeeping, state.administration.events.first?.entry.at]
            .compactMap(\.self) + state.keys.map(\.createdAt)
        let ahead = (latest.max() ?? state.at) - state.at
        let isGood = ahead <= .minutes(1)
        add(
            "clock", .healthClock, isGood, isGood ? .healthClockGood : .healthClockBad,
            [("time", texts.time(state.at)), ("span", texts.span(ahead))])
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
                ? "<small>\(texts(.healthGood))</small>"
                : "<small class=\"not\">\(texts(.healthBad))</small>"
            return HTML(
                """
                <li><span>\(texts(check.title))<small>\(check.finding)</small></span>\(mark)</li>

                """)
        }
        return "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
    }
}
