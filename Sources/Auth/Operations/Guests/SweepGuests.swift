internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Deletes the guests whose last session has ended: there is no way to sign in to their accounts.
///
/// The write that deletes a guest fails if the account was changed since it was read, so a guest
/// that gets a sign-in method at the same moment is kept. The data is then erased like the data of
/// any deleted account (`FinishDeletions`).
struct SweepGuests: Sendable {
    static let guestsPerRunMax = 500
    /// The minimum time that must be left to begin another guest.
    static let guestMin = Span.seconds(1)

    struct Counts: Equatable, Sendable {
        var deleted = 0
        /// Guests who are still in use; they are checked again when their session may have ended.
        var kept = 0
        /// Accounts that are no longer guests, or that were deleted at their own request.
        var obsolete = 0
        /// Guests whom another request or another run changed or checked at the same time.
        var changedElsewhere = 0

        var total: Int { deleted + kept + obsolete + changedElsewhere }
    }

    let auth: AuthServices

    func run(until end: Instant) throws(AuthError) -> Counts {
        var counts = Counts()
        _ = try auth.forEachDue(GuestRecord.query(), until: end, each: Self.guestMin) {
            (record: GuestRecord) throws(AuthError) in
            counts[keyPath: try look(at: record)] += 1
            return counts.total < Self.guestsPerRunMax
        }
        return counts
    }

    private func look(
        at record: GuestRecord
    ) throws(AuthError) -> WritableKeyPath<Counts, Int> {
        // 1. The account and its sessions.
        let chain = AuditChain.account(record.user)
        let read = try auth.store.read(
            [StoreLayout.profile(record.user), chain.headKey],
            listing: auth.sessionsQuery(record.user))
        let removal = Write.delete(record.key, when: [.present])
        guard let user = try read.items.user(record.user), user.isGuest else {
            return try auth.store.attempt([removal]) ? \.obsolete : \.changedElsewhere
        }
        let sessions = try auth.history(of: user, first: read.page).sessions()
        if let last = sessions.map(\.expiresAt).max() {
            let next = record.moved(to: last + GuestPolicy.sweepDelay)
            return try auth.store.attempt(next) ? \.kept : \.changedElsewhere
        }

        // 2. Delete it, as it was read.
        let now = auth.clock.now()
        let deletion = AccountDeletion(auth, of: user, by: .guestEnded, at: now)
        var audit = try auth.audit(chain, read.items)
        audit.record(.accountDeleted, Caller(), detail: LinkedIdentity.guestProvider, at: now)
        return try auth.commit(deletion.writes + [removal], &audit)
            ? \.deleted : \.changedElsewhere
    }
}

extension HousekeepingJob {
    /// This runs before `finishDeletions`, which erases the data.
    package static let sweepGuests = HousekeepingJob("guests", needs: [.sessions]) {
        auth, end throws(AuthError) in
        let counts = try SweepGuests(auth: auth).run(until: end)
        return [
            ("deleted", counts.deleted), ("kept", counts.kept), ("obsolete", counts.obsolete),
            ("changedElsewhere", counts.changedElsewhere),
        ]
    }
}
