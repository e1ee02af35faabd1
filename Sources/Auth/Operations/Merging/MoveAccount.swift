internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Moves the data of an account that was merged into another: the application's data, and the
/// objects. Each step can be repeated, so a run may be interrupted anywhere and the next run does
/// the rest. A part that fails does not stop the other.
///
/// Everything is moved twice: soon after the merge, and when the last credentials of the ended
/// account have expired. Until then, clients could still write with these credentials. After the
/// second time, the record becomes a `DeletionRecord`, and the rest of the account is erased.
struct MoveAccount: Sendable {
    let auth: AuthServices

    /// - Parameters:
    ///   - claimed: the job, which no other run starts until it is due again.
    ///   - end: no call begins later.
    ///   - decides: whether this run may mark a part without a service as done, and end the job if
    ///     the other account has ended. Only housekeeping may, because it has the settings of the
    ///     storage: a function without them cannot know whether there are objects.
    func run(
        _ claimed: MergeRecord, until end: Instant, decides: Bool
    ) throws(AuthError) -> JobOutcome {
        var run = MoveRun(
            auth: auth, services: try auth.erasure, job: claimed, end: end, decides: decides)
        let keys = [claimed.user, claimed.other].map(StoreLayout.profile)
        let accounts = try auth.store.get(keys)
        // An operator has restored the account: then nothing more may be taken from it.
        if let user = try accounts.user(claimed.user), user.deletedAt == nil {
            return try close(claimed, [claimed.removal], .done)
        }
        guard let other = try accounts.user(claimed.other), other.deletedAt == nil else {
            guard decides else { return .outOfTime }
            return try follow(claimed, try accounts.user(claimed.other)?.mergedInto)
        }
        run.moveApplicationPart()
        guard try run.copyObjects() else { return .movedElsewhere }
        return try finish(run)
    }

    /// The target account was itself merged into another, or deleted.
    private func follow(
        _ job: MergeRecord, _ next: UserID?
    ) throws(AuthError) -> JobOutcome {
        guard let next else { return try erase(job) }
        let now = auth.clock.now()
        let moved = job.restarted(into: next, isLast: false, due: now)
        return try close(job, job.replaced(by: moved), .outOfTime)
    }

    /// Schedules the next run of the job, or ends it.
    private func finish(_ run: MoveRun) throws(AuthError) -> JobOutcome {
        let (now, job) = (auth.clock.now(), run.job)
        var next = job
        guard !run.hasFailed else {
            next.due = DeletionSchedule.nextAttempt(after: job.attempts, at: now)
            return try close(job, job.replaced(by: next), .failed)
        }
        next.attempts = 0
        guard job.isApplicationDone, job.areObjectsDone else {
            next.due = now
            return try close(job, job.replaced(by: next), .outOfTime)
        }
        if job.isLast || !run.hasServices { return try erase(job) }
        next = job.restarted(
            into: job.other, isLast: true,
            due: max(now, job.mergedAt + DeletionSchedule.secondRun))
        return try close(job, job.replaced(by: next), .done)
    }

    private func erase(_ job: MergeRecord) throws(AuthError) -> JobOutcome {
        let erasure = DeletionRecord(
            user: job.user, deletedAt: job.mergedAt, due: auth.clock.now(), attempts: 0,
            addressDigest: job.addressDigest)
        let outcome = try close(
            job, [job.removal, .put(erasure.item, when: [.absent])], .done)
        if outcome == .done { try auth.erasure.report(.moved(job.user)) }
        return outcome
    }

    private func close(
        _ job: MergeRecord, _ writes: [Write], _ outcome: JobOutcome
    ) throws(AuthError) -> JobOutcome {
        try auth.store.attempt(writes) ? outcome : .movedElsewhere
    }
}

/// One run of the job that moves an account's data, with the parts that it has completed.
private struct MoveRun {
    let auth: AuthServices
    let services: ErasureServices
    var job: MergeRecord
    let end: Instant
    let decides: Bool
    private(set) var hasFailed = false

    init(
        auth: AuthServices, services: ErasureServices, job: MergeRecord, end: Instant,
        decides: Bool
    ) {
        self.auth = auth
        self.services = services
        self.job = job
        self.end = end
        self.decides = decides
    }

    /// Whether there can be data outside the store.
    var hasServices: Bool { services.participant != nil || services.copyObjects != nil }

    private var hasTime: Bool { auth.clock.now() < end }

    private mutating func fail(_ part: ErasurePart, _ failure: ErasureFailure) {
        hasFailed = true
        services.report(.failed(job.user, part, failure))
    }

    mutating func moveApplicationPart() {
        guard !job.isApplicationDone else { return }
        guard let participant = services.participant else {
            job.isApplicationDone = decides
            return
        }
        guard hasTime else { return }
        do throws(ErasureFailure) {
            try participant.move(AccountMerge(user: job.user, other: job.other, isLast: job.isLast))
            job.isApplicationDone = true
        } catch {
            fail(.application, error)
        }
    }

    /// False if another run has claimed the job.
    mutating func copyObjects() throws(AuthError) -> Bool {
        guard !job.areObjectsDone else { return true }
        guard let copyObjects = services.copyObjects else {
            job.areObjectsDone = decides
            return true
        }
        while hasTime {
            do throws(ErasureFailure) {
                let copy = ObjectCopy(user: job.user, other: job.other, position: job.position)
                switch try copyObjects(copy, end) {
                case .upTo(let position): job.position = position
                case .outOfTime: return true
                case .complete:
                    job.areObjectsDone = true
                    return true
                }
            } catch {
                fail(.movedObjects, error)
                return true
            }
            // The position is stored, so that after a killed run the next one continues here.
            guard try auth.store.attempt(job.replaced(by: job)) else { return false }
        }
        return true
    }
}

extension MoveAccount {
    /// Moves as much as the invocation has time for. Call it after the transaction is committed.
    func runAfterReply(_ job: MergeRecord) {
        let auth = auth
        auth.afterReply.add { deadline in
            guard let end = auth.endAfterReply(until: deadline, lease: job.due) else { return }
            // Housekeeping repeats failed parts after the lease has ended.
            _ = try? MoveAccount(auth: auth).run(job, until: end, decides: false)
        }
    }
}
