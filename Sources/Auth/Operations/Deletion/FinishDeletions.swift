internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Runs the erasure jobs that are due: those that the deleting request did not finish, those that
/// failed, the second run, and the removal of accounts whose retention has ended.
///
/// Several runs may be active at the same time: each job is claimed by a conditional write first.
struct FinishDeletions: Sendable {
    static let jobsPerRunMax = 500
    /// The minimum time left for a job to be started.
    static let jobMin = Span.seconds(5)

    struct Counts: Equatable, Sendable {
        var done = 0
        var failed = 0
        var unfinished = 0
        /// Claimed by another run first.
        var claimedElsewhere = 0

        var total: Int { done + failed + unfinished + claimedElsewhere }
    }

    let auth: AuthServices

    func run(until end: Instant) throws(AuthError) -> Counts {
        var counts = Counts()
        _ = try auth.forEachDue(DeletionRecord.query(), until: end, each: Self.jobMin) {
            (job: DeletionRecord) throws(AuthError) in
            try erase(job, until: end, &counts)
            return counts.total < Self.jobsPerRunMax
        }
        return counts
    }

    private func erase(
        _ job: DeletionRecord, until end: Instant, _ counts: inout Counts
    ) throws(AuthError) {
        let claim = job.moved(
            to: auth.clock.now() + DeletionSchedule.lease, attempts: job.attempts + 1)
        let isClaimed = try auth.store.attempt(claim.writes)
        guard isClaimed else {
            counts.claimedElsewhere += 1
            return
        }
        switch try EraseAccount(auth: auth).run(claim.record, until: end) {
        case .done: counts.done += 1
        case .failed: counts.failed += 1
        case .outOfTime: counts.unfinished += 1
        case .movedElsewhere: counts.claimedElsewhere += 1
        }
    }
}

extension HousekeepingJob {
    package static let finishDeletions = HousekeepingJob(
        "deletions", needs: [.erasure, .sessions]
    ) { auth, end throws(AuthError) in
        let counts = try FinishDeletions(auth: auth).run(until: end)
        return [
            ("done", counts.done), ("failed", counts.failed), ("unfinished", counts.unfinished),
            ("claimedElsewhere", counts.claimedElsewhere),
        ]
    }
}
