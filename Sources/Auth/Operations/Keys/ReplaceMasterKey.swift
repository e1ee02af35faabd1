internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Migrates to a new master key: re-encrypts secrets in the store that an old key encrypted, and
/// reports when `MASTER_KEY_PREVIOUS` is no longer needed.
///
/// The rows are found through `SealedRowEntry`, so a run reads only the remaining rows. Signing
/// keys are re-encrypted by the functions that read them, and waiting mail is sent or deleted long
/// before the last session under an old key ends.
struct ReplaceMasterKey: Sendable {
    static let rowsPerRunMax = 500
    static let pageItemsMax = 25
    /// Functions receive new settings one after the other: some may still use the old key for this
    /// long.
    static let deploymentMax = Span.days(1)

    let auth: AuthServices

    /// - Returns: nil if there is no previous master key.
    func run(until end: Instant) throws(AuthError) -> MasterKeyReport? {
        let keys = try auth.masterKeyIDs
        let since = try firstUse(of: keys)
        guard !keys.previous.isEmpty else { return nil }
        var report = MasterKeyReport()
        // Start with a random shard: otherwise runs that always end early would never reach the
        // last one.
        let first = Int(auth.random.bytes(1).first ?? 0)
        for offset in 0..<SealedRowEntry.shards {
            let shard = (first + offset) % SealedRowEntry.shards
            try renew(shard, keys.current, until: end, &report)
        }
        for keys in auth.everySigningKey {
            report.left += try keys.stored?.outdatedCount() ?? 0
        }
        let now = auth.clock.now()
        let policy = auth.policy.sessions
        // A rotating refresh token is derived from the new key after its next use.
        let lifetime =
            policy.rotation == .never ? policy.absoluteLifetime : policy.idleLifetime
        report.sessionDaysLeft = Self.days(until: since + Self.deploymentMax + lifetime, at: now)
        report.auditDaysLeft = Self.days(
            until: since + Self.deploymentMax + AuditChain.retentionMax, at: now)
        return report
    }

    /// When a run first saw the key. It is recorded even while no key is being replaced: otherwise
    /// a key that is reinstated later would keep the time of its earlier use.
    private func firstUse(of keys: MasterKeyIDs) throws(AuthError) -> Instant {
        for _ in auth.attempts {
            let item = try auth.store.get(StoreLayout.masterKey)
            let known = try item.map { item throws(AuthError) in
                try decoded(MasterKeyRecord(item))
            }
            if let known, known.keyID == keys.current { return known.since }
            // A wrong key must not be recorded as the right one (`CheckMasterKey`).
            if let known, !keys.contains(known.keyID) { throw .fault(.sealedDataUnreadable) }
            let next = MasterKeyRecord(keyID: keys.current, since: auth.clock.now())
            let unchanged = known.map { Condition.equals("keyID", .bytes($0.keyID)) } ?? .absent
            let isWritten = try auth.store.attempt([.put(next.item, when: [unchanged])])
            if isWritten { return next.since }
        }
        throw .unavailable(.contention)
    }

    private func renew(
        _ shard: Int, _ current: [UInt8], until end: Instant, _ report: inout MasterKeyReport
    ) throws(AuthError) {
        var query = SealedRowEntry.query(shard: shard, limit: Self.pageItemsMax)
        while true {
            let page = try auth.store.query(query)
            var next = page.next
            for item in page.items {
                guard let entry = SealedRowEntry(item.key) else { continue }
                // Skip all entries of the current key.
                if entry.isUnder(current) {
                    next = SealedRowEntry.end(of: current)
                    break
                }
                guard auth.clock.now() < end, report.total < Self.rowsPerRunMax else {
                    report.left += 1
                    return
                }
                try renew(entry, &report)
            }
            guard let next else { return }
            query.after = next
        }
    }

    /// Re-encrypts the row's secret, if an old key encrypted it, and moves its entry.
    private func renew(
        _ entry: SealedRowEntry, _ report: inout MasterKeyReport
    ) throws(AuthError) {
        let item = try auth.store.get(entry.row)
        guard let item else {
            // The row was deleted. It may be written again at this moment.
            try write(
                [.delete(entry.key, when: []), .check(entry.row, when: [.absent])], &report,
                \.forgotten)
            return
        }
        guard case .bytes(let sealed)? = item.attributes["sealed"],
            let rows = try sealing(of: entry.row)
        else {
            report.unreadable += 1
            return
        }
        let moved = [Write.delete(entry.key, when: []), rows.entry(of: entry.row)]
        var next = item
        do throws(AuthError) {
            guard let renewed = try rows.renewed(sealed, in: entry.row) else {
                // Another request has already re-encrypted it.
                let isSame = Write.check(entry.row, when: Self.unchanged(item))
                try write(moved + [isSame], &report, \.renewed)
                return
            }
            next.attributes["sealed"] = .bytes(renewed)
        } catch .fault(.sealedDataUnreadable) {
            report.unreadable += 1
            return
        }
        try write(
            moved + [.put(next, when: Self.unchanged(item))], &report, \.renewed)
    }

    /// If another request changed the row first, the next run handles it.
    private func write(
        _ writes: [Write], _ report: inout MasterKeyReport,
        _ count: WritableKeyPath<MasterKeyReport, Int>
    ) throws(AuthError) {
        let isDone = try auth.store.attempt(writes)
        if isDone { report[keyPath: count] += 1 } else { report.left += 1 }
    }

    /// A row without a revision is compared only by its encrypted secret, which every write
    /// changes.
    private static func unchanged(_ item: Item) -> [Condition] {
        SecondFactorRecord.unchanged(item)
    }

    private func sealing(of row: ItemKey) throws(AuthError) -> RowSealing? {
        if StoreLayout.isGrant(row) { return try auth.providerTokens.rows }
        if StoreLayout.isSecondFactor(row) { return try auth.secondFactors.rows }
        if StoreLayout.isPasskey(row) { return try auth.passkeySealing.rows }
        return nil
    }

    private static func days(until end: Instant, at now: Instant) -> Int {
        let day = Span.days(1).milliseconds
        return Int(max(0, ((end - now).milliseconds + day - 1) / day))
    }
}

/// The progress of a replacement of the master key.
package struct MasterKeyReport: Equatable, Sendable {
    /// Rows re-encrypted by this run.
    package var renewed = 0
    /// Entries of deleted rows, which were removed.
    package var forgotten = 0
    /// The minimum number of rows still encrypted with an old key.
    package var left = 0
    /// Rows that no configured master key can decrypt.
    package var unreadable = 0
    /// How many more days there may be sessions with tokens derived from an old key.
    package var sessionDaysLeft = 0
    /// How many more days the audit log may have events linked with an old key.
    package var auditDaysLeft = 0

    fileprivate var total: Int { renewed + forgotten + left + unreadable }
}

extension HousekeepingJob {
    package static let replaceMasterKey = HousekeepingJob("masterKey", needs: [.sessions]) {
        auth, end throws(AuthError) in
        guard let report = try ReplaceMasterKey(auth: auth).run(until: end) else { return [] }
        auth.report(.masterKeyReplaced(report))
        return [
            ("renewed", report.renewed), ("forgotten", report.forgotten), ("left", report.left),
            ("unreadable", report.unreadable), ("sessionDaysLeft", report.sessionDaysLeft),
            ("auditDaysLeft", report.auditDaysLeft),
        ]
    }
}
