internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Runs the jobs of merges that are due: jobs that the merging request did not finish, failed jobs,
/// and the second run.
///
/// Several runs may be active at the same time: each job is claimed by a conditional write first.
struct FinishMerges: Sendable {
    static let jobsPerRunMax = 500
    /// The minimum time left for a job to be started.
    static let jobMin = Span.seconds(5)

    let auth: AuthServices

    func run(until end: Instant) throws(AuthError) -> JobCounts {
        var counts = JobCounts()
        _ = try auth.forEachDue(MergeRecord.query(), until: end, each: Self.jobMin) {
            (job: MergeRecord) throws(AuthError) in
            counts.add(try move(job, until: end))
            return counts.total < Self.jobsPerRunMax
        }
        return counts
    }

    private func move(
        _ job: MergeRecord, until end: Instant
    ) throws(AuthError) -> JobOutcome {
        var claim = job
        claim.due = auth.clock.now() + DeletionSchedule.lease
        claim.attempts += 1
        guard try auth.store.attempt(job.replaced(by: claim)) else { return .movedElsewhere }
        return try MoveAccount(auth: auth).run(claim, until: end, decides: true)
    }
}

extension HousekeepingJob {
    /// This runs before `finishDeletions`, which erases the rest of the accounts.
    package static let finishMerges = HousekeepingJob("merges", needs: [.moving, .hooks]) {
        auth, end throws(AuthError) in
        try FinishMerges(auth: auth).run(until: end).named
    }
}
