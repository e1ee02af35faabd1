internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Writes heads of audit chains to the log, which an attacker with write access to the table cannot
/// change. The log reveals a chain that was rolled back or removed as a whole. The table alone does
/// not reveal that (`VerifyAudit`).
///
/// For chains of the deployment, the log has the head itself, which a verification accepts as an
/// anchor: each new head, and all heads once an hour. The log also has the number of all
/// chains; each run counts one shard.
struct LogAuditHeads: Sendable {
    private static let chains: [AuditChain] = [.administration, .administrationAttempts, .mail]
    /// Runs start every minute, so this covers every event.
    private static let recent = Span.minutes(2)
    private static let pageItemsMax = 1000
    private static let pagesMax = 16

    let auth: AuthServices

    func run() throws(AuthError) -> HousekeepingJob.Counts {
        let now = auth.clock.now()
        let minute = now.seconds / 60
        let shard = Int(minute % Int64(StoreLayout.auditHeadShards))
        var query = PartitionQuery(
            StoreLayout.auditHeads(shard: shard), limit: Self.pageItemsMax)
        let opening = try auth.store.read(Self.chains.map(\.headKey), listing: query)
        var logged = 0
        for chain in Self.chains {
            // An unreadable head was changed, which the verification reports.
            guard let item = opening.items[chain.headKey], let head = try? AuditHead(item) else {
                continue
            }
            let at = head.lastExpiresAt - chain.retention
            guard minute % 60 == 0 || now - at < Self.recent else { continue }
            auth.report(.auditHead(head.anchor(of: chain)))
            logged += 1
        }

        var census = AuditCensus(shard: shard)
        var page = opening.page
        for _ in 0..<Self.pagesMax {
            guard let current = page else { break }
            for item in current.items { census.count(item) }
            guard let next = current.next else {
                page = nil
                break
            }
            query.after = next
            page = try auth.store.query(query)
        }
        census.isComplete = page == nil
        auth.report(.auditChains(census))
        return [("heads", logged), ("chains", census.chains)]
    }
}

/// The number of chains in one shard of the audit log.
package struct AuditCensus: Equatable, Sendable {
    /// The shard, by a hash of the chains' names.
    package let shard: Int
    package var chains = 0
    /// All events that these chains ever had, including expired ones.
    package var events: Int64 = 0
    /// False if there are more chains than a run counts.
    package var isComplete = true

    init(shard: Int) { self.shard = shard }

    fileprivate mutating func count(_ item: Item) {
        guard AuditHead.chain(of: item) != nil else { return }
        chains += 1
        events += (try? AuditHead(item))?.sequence ?? 0
    }
}

extension HousekeepingJob {
    package static let logAuditHeads = HousekeepingJob("audit", needs: []) {
        auth, _ throws(AuthError) in
        try LogAuditHeads(auth: auth).run()
    }
}
