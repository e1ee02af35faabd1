package import AuthDomain
package import Time

/// Runs background jobs. A schedule invokes it once a minute. It has no route, so clients cannot
/// invoke it.
package struct RunHousekeeping: Sendable {
    /// How long a run may take if the platform sets no deadline.
    package static let durationMax = Span.seconds(50)
    /// The time reserved for the answer before the deadline.
    private static let deadlineMargin = Span.seconds(2)

    let auth: AuthServices

    /// Each job runs even if an earlier one fails; the first failure is thrown at the end, so that
    /// it is logged.
    ///
    /// - Parameter deadline: when the platform ends the invocation.
    package func callAsFunction(
        _ jobs: [HousekeepingJob] = [.sendDueMail, .rotateKeys], until deadline: Instant?
    ) throws(AuthError) -> [HousekeepingReport] {
        let latest = auth.clock.now() + Self.durationMax
        let end = deadline.map { min($0 - Self.deadlineMargin, latest) } ?? latest
        var reports: [HousekeepingReport] = []
        var failure: AuthError?
        for job in jobs where job.isOn(auth) {
            do throws(AuthError) {
                reports.append(
                    HousekeepingReport(job: job.name, counts: try job.run(auth, end)))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        auth.logFacts.values.isIdle = reports.allSatisfy(\.isIdle)
        return reports
    }
}

/// A kind of background work. A job does a bounded part of it and may be interrupted anywhere;
/// several runs may be active at the same time.
package struct HousekeepingJob: Sendable {
    package typealias Counts = [(name: String, count: Int)]

    package let name: String
    /// The services that it uses.
    package let needs: ServiceNeeds
    /// Whether the settings include the feature that the job works for.
    let isOn: @Sendable (AuthServices) -> Bool
    let run: @Sendable (AuthServices, _ end: Instant) throws(AuthError) -> Counts

    package init(
        _ name: String, needs: ServiceNeeds,
        isOn: @escaping @Sendable (AuthServices) -> Bool = { _ in true },
        run: @escaping @Sendable (AuthServices, _ end: Instant) throws(AuthError) -> Counts
    ) {
        self.name = name
        self.needs = needs
        self.isOn = isOn
        self.run = run
    }

    /// Publishes the next signing key when it is due, even if there are few requests.
    package static let rotateKeys = HousekeepingJob("keys", needs: [.oauth]) {
        auth, _ throws(AuthError) in
        return [("published", try auth.publishedKeys().count)]
    }

    package static let sendDueMail = HousekeepingJob("mail", needs: [.mail]) {
        auth, end throws(AuthError) in
        let counts = try SendDueMail(auth: auth).run(until: end)
        return [
            ("sent", counts.sent), ("failed", counts.failed), ("dropped", counts.dropped),
            ("claimedElsewhere", counts.claimedElsewhere),
        ]
    }
}

package struct HousekeepingReport: Sendable {
    package let job: String
    package let counts: HousekeepingJob.Counts

    /// Counts of the present state, and not of the work in this run.
    private static let states = [
        "published", "heads", "chains", "waiting", "kept", "left", "unreadable",
        "sessionDaysLeft", "auditDaysLeft",
    ]

    fileprivate var isIdle: Bool {
        counts.allSatisfy { $0.count == 0 || Self.states.contains($0.name) }
    }
}

/// A finding of a job, for the log.
package enum HousekeepingNotice: Equatable, Sendable {
    /// Each run reports this while a previous master key is configured.
    case masterKeyReplaced(MasterKeyReport)
    /// The head of an audit chain that belongs to no account, address or network.
    case auditHead(AuditAnchor)
    case auditChains(AuditCensus)
}

extension AuthServices {
    package var housekeeping: RunHousekeeping { RunHousekeeping(auth: self) }
}

extension AuthOperation {
    package static let housekeeping = AuthOperation(
        "housekeeping", counting: [], audited: .others)
}
