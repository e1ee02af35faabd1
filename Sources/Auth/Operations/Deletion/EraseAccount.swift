internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Erases the data of a deleted account, or revokes the tokens of an identity that was removed from
/// its account. Each step can be repeated, so a run may be interrupted anywhere, and the next run
/// does the rest. A part that fails does not stop the others.
struct EraseAccount: Sendable {
    let auth: AuthServices

    /// - Parameters:
    ///   - job: a job that this run has claimed, so that no other run starts it until it is due
    ///     again.
    ///   - end: no call begins later.
    func run(_ job: DeletionRecord, until end: Instant) throws(AuthError) -> JobOutcome {
        let services = try auth.erasure
        var run = ErasureRun(auth: auth, services: services, job: job, end: end)
        if let identity = job.identity {
            try run.revokeTokens(of: identity)
            return try finish(run)
        }
        guard try run.isDeleted() else { return try close(job, [job.removal], .done) }
        run.eraseApplicationPart()
        try run.eraseRows()
        try run.eraseRegistrations()
        try run.eraseSealedRowEntries()
        run.eraseObjects()
        return try finish(run)
    }

    /// Schedules the next run of the job, or deletes the job.
    private func finish(_ run: ErasureRun) throws(AuthError) -> JobOutcome {
        let (job, now) = (run.job, auth.clock.now())
        guard !run.hasFailed else {
            let next = DeletionSchedule.nextAttempt(after: job.attempts, at: now)
            return try close(job, job.moved(to: next, attempts: job.attempts).writes, .failed)
        }
        guard !run.isOutOfTime else {
            return try close(job, job.moved(to: now, attempts: 0).writes, .outOfTime)
        }
        guard job.identity == nil else { return try close(job, [job.removal], .done) }
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
        _ job: DeletionRecord, _ writes: [Write], _ outcome: JobOutcome,
        recording event: AuditEvent? = nil
    ) throws(AuthError) -> JobOutcome {
        var audit = auth.audit(.account(job.user))
        if let event { audit.record(event, Caller(), at: auth.clock.now()) }
        return try auth.commit(writes, &audit) ? outcome : .movedElsewhere
    }
}

/// One run and its result.
private struct ErasureRun {
    let auth: AuthServices
    let services: ErasureServices
    private(set) var job: DeletionRecord
    let end: Instant
    let startedAt: Instant
    private var mergedInto: UserID?
    private(set) var hasFailed = false
    /// Set if the time is over, or if another request changed a row first: the next run follows at
    /// once.
    private(set) var isOutOfTime = false
    private var firstPage: Page?

    private static let rowsPerTransactionMax = StoreLimits.writesPerTransactionMax
    /// How many refresh token rows of a session are deleted; older rows expire by themselves.
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

    /// False if an operator has restored the account: then nothing may be erased.
    mutating func isDeleted() throws(AuthError) -> Bool {
        let profile = StoreLayout.profile(job.user)
        let read = try auth.store.read([profile], listing: rowsQuery)
        firstPage = read.page
        guard let user = try read.items.user(job.user) else { return true }
        mergedInto = user.mergedInto
        return user.deletedAt != nil
    }

    // MARK: The application

    /// The application's hook is called in each run until it has erased everything. It is called
    /// once more after the last access token has expired, because new data could have been stored
    /// with that token.
    mutating func eraseApplicationPart() {
        guard let erase = services.eraseApplicationPart, !job.isApplicationDone else { return }
        guard hasTime else {
            isOutOfTime = true
            return
        }
        let isLast = startedAt >= job.deletedAt + DeletionSchedule.secondRun
        do throws(ErasureFailure) {
            try erase(EndedAccount(user: job.user, mergedInto: mergedInto, isLast: isLast))
            job.isApplicationDone = isLast
        } catch {
            fail(.application, error)
        }
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
            if page == nil {
                page = try auth.store.query(query)
            }
            var keys: [ItemKey] = []
            for item in page?.items ?? [] where item.key != profile && !waits(item) {
                if StoreLayout.isGrant(item.key) {
                    try revoke(item, identityOf: try owner(of: item))
                } else {
                    keys += refreshTokenRows(item) + clientUserRows(item)
                    keys.append(item.key)
                }
            }
            try delete(keys)
            guard let next = page?.next, !isOutOfTime else { return }
            query.after = next
            page = nil
        }
    }

    /// The rows of sessions contain the third-party clients to notify of the end, which
    /// `SendLogoutNotices` may still need. The second run erases them.
    private func waits(_ row: Item) -> Bool {
        SessionRecord.notifiesClients(row)
            && startedAt < job.deletedAt + DeletionSchedule.secondRun
    }

    private mutating func delete(_ keys: [ItemKey]) throws(AuthError) {
        var rest = keys[...]
        while !rest.isEmpty {
            guard hasTime else {
                isOutOfTime = true
                return
            }
            let some = rest.prefix(Self.rowsPerTransactionMax).map { Write.delete($0, when: []) }
            try auth.store.write(some)
            rest = rest.dropFirst(Self.rowsPerTransactionMax)
        }
    }

    /// The rows by which refresh tokens of a session are found, in contracts that have them. They
    /// are deleted before the session, because they are computed from the session's seed.
    private func refreshTokenRows(_ item: Item) -> [ItemKey] {
        guard let id = SessionRecord.id(of: item),
            var session = try? SessionRecord.session(item, id: id, user: job.user)
        else { return [] }
        var keys: [ItemKey] = []
        let newest = session.generation
        for generation in max(0, newest - Self.generationsMax + 1)...max(newest, 0) {
            session.generation = generation
            guard let hash = try? auth.refreshTokens.lookupHash(of: session) else { return [] }
            keys.append(StoreLayout.refreshToken(hash: hash))
        }
        return keys
    }

    /// The row by which a client's users are listed. It is deleted before the consent, because the
    /// consent contains its key.
    private func clientUserRows(_ item: Item) -> [ItemKey] {
        guard StoreLayout.isConsent(item.key), let consent = try? ConsentRecord(item) else {
            return []
        }
        return [consent.listing(of: job.user)]
    }

    /// Erases pending registrations of the address; later ones belong to a new account.
    mutating func eraseRegistrations() throws(AuthError) {
        guard let digest = job.addressDigest, !isOutOfTime else { return }
        let query = PartitionQuery(
            StoreLayout.registrations(addressDigest: digest), limit: StoreLimits.itemsPerPageMax)
        var keys: [ItemKey] = []
        for item in try auth.store.everyItem(of: query) {
            let registration = try? PendingRegistration(item)
            if registration.map({ $0.createdAt <= job.deletedAt }) ?? true { keys.append(item.key) }
        }
        try delete(keys)
    }

    /// Erases the index entries of the encrypted rows, once all of these are deleted.
    mutating func eraseSealedRowEntries() throws(AuthError) {
        guard !hasFailed, !isOutOfTime else { return }
        let ids = try auth.masterKeyIDs
        for id in [ids.current] + ids.previous {
            let query = SealedRowEntry.query(
                of: job.user, keyID: id, limit: StoreLimits.itemsPerPageMax)
            try delete(try auth.store.everyItem(of: query).map(\.key))
        }
    }

    // MARK: Outside of the store

    /// Revokes the tokens of an identity that was removed from the account, unless it was added
    /// again.
    mutating func revokeTokens(of identity: IdentityDigest) throws(AuthError) {
        let query = StoreLayout.grants(of: identity, in: job.user)
        let ownerKey = StoreLayout.identity(identity)
        let read = try auth.store.read([ownerKey], listing: query)
        let owner = try auth.owner(read.items[ownerKey])
        guard owner != job.user else { return }
        for item in try auth.store.everyItem(of: query, first: read.page) {
            try revoke(item, identityOf: owner)
        }
    }

    /// The current owner of a token's identity.
    private func owner(of item: Item) throws(AuthError) -> UserID? {
        guard case .text(let text)? = item.attributes["identity"] else { return nil }
        let key = StoreLayout.identity(IdentityDigest(text: text))
        return try auth.owner(try auth.store.get(key))
    }

    /// Revokes a provider's token, then deletes its row: if the run is interrupted in between, the
    /// next run revokes it again. A token that cannot be revoked is kept for as long as the row of
    /// a deleted account is kept.
    ///
    /// - Parameter owner: the account that has the identity now, if any.
    private mutating func revoke(
        _ item: Item, identityOf owner: UserID?
    ) throws(AuthError) {
        guard hasTime else {
            isOutOfTime = true
            return
        }
        let grant = try? auth.providerTokens.open(item)
        let isReplaced = try grant.map { grant throws(AuthError) in
            try self.isReplaced(grant, at: owner)
        }
        do throws(ErasureFailure) {
            guard let grant, let isReplaced else { throw .unreadable }
            if !isReplaced { try revoke(grant) }
        } catch {
            let last = DeletionSchedule.end(
                of: auth.policy.deletion.retention, deletedAt: job.deletedAt)
            guard startedAt >= last else { return fail(.providerTokens, error) }
            return try giveUp(item)
        }
        let isDeleted = try auth.store.attempt([Self.deletion(of: item)])
        if !isDeleted { isOutOfTime = true }
    }

    private mutating func giveUp(_ item: Item) throws(AuthError) {
        var audit = auth.audit(.account(job.user))
        audit.record(.providerTokenNotRevoked, Caller(), at: auth.clock.now())
        guard try auth.commit([Self.deletion(of: item)], &audit) else {
            isOutOfTime = true
            return
        }
        services.report(.providerTokenNotRevoked(job.user))
    }

    /// Deletes the row if it still has the revoked token. If the user has linked the identity
    /// again, the newer token remains, and the next run decides about it. A row that was only
    /// re-encrypted with another master key also remains.
    private static func deletion(of item: Item) -> Write {
        .delete(item.key, when: item.attributes["sealed"].map { [.equals("sealed", $0)] } ?? [])
    }

    /// Whether another account of the same provider user has a newer token: revoking the older one
    /// would also revoke the newer token, which must be revoked with its own account.
    private func isReplaced(
        _ grant: ProviderGrant, at owner: UserID?
    ) throws(AuthError) -> Bool {
        guard let owner, owner != job.user else { return false }
        let key = StoreLayout.grant(of: grant.identity, clientID: grant.clientID, in: owner)
        return try auth.store.get(key) != nil
    }

    private func revoke(_ grant: ProviderGrant) throws(ErasureFailure) {
        guard let revoke = services.revoke[grant.provider] else { throw .notConfigured }
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
