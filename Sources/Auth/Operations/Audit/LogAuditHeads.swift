internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Writes ends of the audit log's chains into the functions' log, which the table's writers cannot
/// reach: there they show a chain that was put back or removed as a whole, which the table alone
/// does not (`VerifyAudit`).
///
/// Of chains without an account, the end itself, which a verification takes as an anchor: each new
/// one, and all of them once an hour. Of the others how many there are, a part in each run.
struct LogAuditHeads: Sendable {
    private static let chains: [AuditChain] = [.administration, .administrationAttempts, .mail]
    /// A run each minute sees what is younger than two.
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
            // One that cannot be read was changed, which the verification reports.
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

/// How many chains a part of the audit log has.
package struct AuditCensus: Equatable, Sendable {
    /// Of the chains, by a hash of their names.
    package let shard: Int
    package var chains = 0
    /// All that these chains ever had, expired ones too.
    package var events: Int64 = 0
    /// False where there are more chains than a run counts.
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
