internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Erases what belonged to a deleted account. Each step can be repeated, so a run may be cut off
/// anywhere: the next one does what is left. A part that fails does not stop the others.
struct EraseAccount: Sendable {
    enum Outcome: Equatable {
        /// Everything of today is done; the job waits for its next run, or is over.
        case done
        case outOfTime
        case failed
        /// Another run has moved the job meanwhile.
        case movedElsewhere
    }

    let auth: AuthServices

    /// - Parameters:
    ///   - job: claimed, so that no other run does the same until it is due.
    ///   - end: no call begins later.
    func run(_ job: DeletionRecord, until end: Instant) throws(AuthError) -> Outcome {
        let services = try auth.erasure
        var run = ErasureRun(auth: auth, services: services, job: job, end: end)
        guard try run.isDeleted() else { return try close(job, [job.removal], .done) }
        try run.eraseRows()
        try run.eraseRegistrations()
        try run.eraseSealedRowEntries()
        run.eraseObjects()
        return try finish(run)
    }

    /// Moves the job to its next run, or ends it.
    private func finish(_ run: ErasureRun) throws(AuthError) -> Outcome {
        let (job, now) = (run.job, auth.clock.now())
        guard !run.hasFailed else {
            let next = DeletionSchedule.nextAttempt(after: job.attempts, at: now)
            return try close(job, job.moved(to: next, attempts: job.attempts).writes, .failed)
        }
        guard !run.isOutOfTime else {
            return try close(job, job.moved(to: now, attempts: 0).writes, .outOfTime)
        }
        let second = job.deletedAt + DeletionSchedule.secondRun
        let last = DeletionSchedule.end(
            of: auth.policy.deletion.retention, deletedAt: job.deletedAt)
        if run.startedAt < second {
            return try close(job, job.moved(to: second, attempts: 0).writes, .done)
        }
        if run.startedAt < last {
            let outcome = try close(
                job, job.moved(to: last, attempts: 0).writes, .done, recording: .accountErased)
            if outcome == .done { run.services.report(.erased(job.user)) }
            return outcome
        }
        let outcome = try close(
            job, [.delete(StoreLayout.profile(job.user), when: []), job.removal], .done)
        if outcome == .done { run.services.report(.removed(job.user)) }
        return outcome
    }

    private func close(
        _ job: DeletionRecord, _ writes: [Write], _ outcome: Outcome,
        recording event: AuditEvent? = nil
    ) throws(AuthError) -> Outcome {
        var audit = auth.audit(.account(job.user))
        if let event { audit.record(event, Caller(), at: auth.clock.now()) }
        return try auth.commit(writes, &audit) ? outcome : .movedElsewhere
    }
}

/// One run: what it does, and what it could not do.
private struct ErasureRun {
    let auth: AuthServices
    let services: ErasureServices
    let job: DeletionRecord
    let end: Instant
    let startedAt: Instant
    private(set) var hasFailed = false
    private(set) var isOutOfTime = false
    private var firstPage: Page?

    /// Of one transaction.
    private static let rowsMax = StoreLimits.writesPerTransactionMax
    /// Rows of refresh tokens that one session leaves behind; older ones expire by themselves.
    private static let generationsMax: Int64 = 10_000

    init(auth: AuthServices, services: ErasureServices, job: DeletionRecord, end: Instant) {
        self.auth = auth
        self.services = services
        self.job = job
        self.end = end
        startedAt = auth.clock.now()
    }

    private var hasTime: Bool { auth.clock.now() < end }

    private mutating func fail(_ part: ErasurePart, _ failure: ErasureFailure) {
        hasFailed = true
        services.report(.failed(job.user, part, failure))
    }

    /// False if an operator has restored the account: then nothing of it may be erased.
    mutating func isDeleted() throws(AuthError) -> Bool {
        let profile = StoreLayout.profile(job.user)
        let read = try stored { () throws(StoreFailure) in
            try auth.store.read([profile], counting: [], listing: rowsQuery)
        }
        firstPage = read.page
        guard let item = read.items[0] else { return true }
        let user = try stored { () throws(StoreFailure) in
            try UserRecord.user(item, id: job.user)
        }
        return user.deletedAt != nil
    }

    // MARK: Rows

    /// Everything in the account's own partition.
    private var rowsQuery: PartitionQuery {
        PartitionQuery(
            StoreLayout.profile(job.user).partition, limit: StoreLimits.itemsPerPageMax)
    }

    mutating func eraseRows() throws(AuthError) {
        let profile = StoreLayout.profile(job.user)
        var query = rowsQuery
        var page = firstPage
        while true {
            let asked = query
            if page == nil {
                page = try stored { () throws(StoreFailure) in try auth.store.query(asked) }
            }
            var keys: [ItemKey] = []
            for item in page?.items ?? [] where item.key != profile {
                if StoreLayout.isGrant(item.key) {
                    try revoke(item)
                } else {
                    keys += refreshTokenRows(item)
                    keys.append(item.key)
                }
            }
            try delete(keys)
            guard let next = page?.next, !isOutOfTime else { return }
            query.after = next
            page = nil
        }
    }

    private mutating func delete(_ keys: [ItemKey]) throws(AuthError) {
        var rest = keys[...]
        while !rest.isEmpty {
            guard hasTime else {
                isOutOfTime = true
                return
            }
            let some = rest.prefix(Self.rowsMax).map { Write.delete($0, when: []) }
            try stored { () throws(StoreFailure) in try auth.store.write(some) }
            rest = rest.dropFirst(Self.rowsMax)
        }
    }

    /// The rows by which refresh tokens of a session are found, in contracts that have them. They
    /// are deleted before the session, from whose seed they are computed.
    private func refreshTokenRows(_ item: Item) -> [ItemKey] {
        guard let id = SessionRecord.id(of: item),
            var family = try? SessionRecord.family(item, id: id, user: job.user)
        else { return [] }
        var keys: [ItemKey] = []
        let newest = family.generation
        for generation in max(0, newest - Self.generationsMax + 1)...max(newest, 0) {
            family.generation = generation
            guard let hash = try? auth.refreshTokens.lookupHash(of: family) else { return [] }
            keys.append(StoreLayout.refreshToken(hash: hash))
        }
        return keys
    }

    /// Registrations of the address that were not completed; later ones are of a new account.
    mutating func eraseRegistrations() throws(AuthError) {
        guard let digest = job.addressDigest, !isOutOfTime else { return }
        let query = PartitionQuery(
            StoreLayout.registrations(addressDigest: digest), limit: StoreLimits.itemsPerPageMax)
        var keys: [ItemKey] = []
        for item in try everyItem(of: auth.store, query) {
            let registration = try? RegistrationRecord.registration(item)
            if registration.map({ $0.createdAt <= job.deletedAt }) ?? true { keys.append(item.key) }
        }
        try delete(keys)
    }

    /// What leads to the encrypted rows, when all of them are gone.
    mutating func eraseSealedRowEntries() throws(AuthError) {
        guard !hasFailed, !isOutOfTime else { return }
        let ids = try auth.masterKeyIDs
        for id in [ids.current] + ids.previous {
            let query = SealedRowEntry.query(
                of: job.user, keyID: id, limit: StoreLimits.itemsPerPageMax)
            try delete(try everyItem(of: auth.store, query).map(\.key))
        }
    }

    // MARK: Outside of the store

    /// Revokes a provider's token, then deletes its row: a run that is cut off in between revokes it
    /// again. A token that cannot be revoked is kept for as long as the account's row.
    private mutating func revoke(_ item: Item) throws(AuthError) {
        guard hasTime else {
            isOutOfTime = true
            return
        }
        do throws(ErasureFailure) {
            try revoked(item)
        } catch {
            let last = DeletionSchedule.end(
                of: auth.policy.deletion.retention, deletedAt: job.deletedAt)
            guard startedAt >= last else { return fail(.providerTokens, error) }
            var audit = auth.audit(.account(job.user))
            audit.record(.providerTokenNotRevoked, Caller(), at: auth.clock.now())
            _ = try auth.commit([.delete(item.key, when: [])], &audit)
            services.report(.providerTokenNotRevoked(job.user))
            return
        }
        try stored { () throws(StoreFailure) in
            try auth.store.write([.delete(item.key, when: [])])
        }
    }

    private func revoked(_ item: Item) throws(ErasureFailure) {
        guard case .text(let provider)? = item.attributes["provider"],
            let grant = try? auth.providerTokens.open(item)
        else { throw .unreadable }
        guard let revoke = services.revoke[provider] else { throw .notConfigured }
        try revoke(grant.token, grant.clientID, auth.clock.now())
    }

    mutating func eraseObjects() {
        guard let eraseObjects = services.eraseObjects else { return }
        guard hasTime else {
            isOutOfTime = true
            return
        }
        do throws(ErasureFailure) {
            if try !eraseObjects(job.user, end) { isOutOfTime = true }
        } catch {
            fail(.objects, error)
        }
    }
}
