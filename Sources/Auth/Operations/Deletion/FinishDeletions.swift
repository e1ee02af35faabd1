internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Runs the erasure jobs that are due: jobs that the deleting request did not finish, failed jobs,
/// the second run, and the removal of accounts whose retention has ended.
///
/// Several runs may be active at the same time: each job is claimed by a conditional write first.
struct FinishDeletions: Sendable {
    static let jobsPerRunMax = 500
    /// The minimum time left for a job to be started.
    static let jobMin = Span.seconds(5)

    let auth: AuthServices

    func run(until end: Instant) throws(AuthError) -> JobCounts {
        var counts = JobCounts()
        _ = try auth.forEachDue(DeletionRecord.query(), until: end, each: Self.jobMin) {
            (job: DeletionRecord) throws(AuthError) in
            counts.add(try erase(job, until: end))
            return counts.total < Self.jobsPerRunMax
        }
        return counts
    }

    private func erase(
        _ job: DeletionRecord, until end: Instant
    ) throws(AuthError) -> JobOutcome {
        let claim = job.moved(
            to: auth.clock.now() + DeletionSchedule.lease, attempts: job.attempts + 1)
        let isClaimed = try auth.store.attempt(claim.writes)
        guard isClaimed else { return .movedElsewhere }
        return try EraseAccount(auth: auth).run(claim.record, until: end)
    }
}

extension HousekeepingJob {
    package static let finishDeletions = HousekeepingJob(
        "deletions", needs: [.erasure, .sessions, .hooks]
    ) { auth, end throws(AuthError) in
        try FinishDeletions(auth: auth).run(until: end).named
    }
}
