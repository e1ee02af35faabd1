/// The result of one run of a job that is repeated until it is complete.
enum JobOutcome: Equatable {
    /// The run is complete; the job waits for its next run or is finished.
    case done
    case outOfTime
    case failed
    /// Another run has rescheduled the job in the meantime.
    case movedElsewhere
}

/// The results of the jobs that were due.
struct JobCounts: Equatable, Sendable {
    private(set) var done = 0
    private(set) var failed = 0
    private(set) var unfinished = 0
    /// Jobs that another run claimed first.
    private(set) var claimedElsewhere = 0

    var total: Int { done + failed + unfinished + claimedElsewhere }

    mutating func add(_ outcome: JobOutcome) {
        switch outcome {
        case .done: done += 1
        case .failed: failed += 1
        case .outOfTime: unfinished += 1
        case .movedElsewhere: claimedElsewhere += 1
        }
    }

    var named: HousekeepingJob.Counts {
        [
            ("done", done), ("failed", failed), ("unfinished", unfinished),
            ("claimedElsewhere", claimedElsewhere),
        ]
    }
}
