internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Ends an account that is merged into another: one transaction makes it unusable and writes the
/// job that moves its data.
struct AccountEnding {
    let writes: [Write]
    let trail: AuditTrail
    private let job: MergeRecord
    private let notice: OwnerNotice
    private let auth: AuthServices

    /// - Parameter items: must include the head of the account's audit chain.
    init(
        _ auth: AuthServices, _ user: User, _ session: Session, in other: User,
        _ items: ReadItems, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let ended = user.merged(into: other.id, at: now)
        var trail = try auth.audit(.account(user.id), items)
        // The event outlives the account, so it contains nothing about the caller.
        trail.record(.accountMerged, Caller(), detail: other.id.text, at: now)
        let job = MergeRecord(
            user: user.id, into: other.id, mergedAt: now, due: now + DeletionSchedule.lease,
            attempts: 1,
            addressDigest: (user.loginAddress ?? user.emailAddress).map(StoreLayout.addressDigest))
        let notice = try auth.notice(.accountDeleted, to: user, caller, at: now)
        writes =
            [
                .check(
                    StoreLayout.session(session.id, of: user.id),
                    when: SessionRecord.unchanged(session)),
                .put(job.item, when: [.absent]),
                .check(StoreLayout.profile(other.id), when: UserRecord.unchanged(other)),
            ] + AccountDeletion.ending(user, as: ended, auth.policy.accounts, at: now)
            + notice.writes
        self.trail = trail
        self.job = job
        self.notice = notice
        self.auth = auth
    }

    /// Call this once the transaction is committed.
    func deliver() {
        notice.deliver()
        MoveAccount(auth: auth).runAfterReply(job)
    }
}
