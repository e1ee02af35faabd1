package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// Looks for changes of the audit log that no function made.
///
/// All chains are found by their heads. Where accounts are listed, an account whose head is gone is
/// found too.
package struct VerifyAudit: Sendable {
    package static let chainsMax = 1000
    package static let anchorsMax = 1000
    /// How long a run may take where the platform sets no deadline.
    package static let durationMax = Span.seconds(50)
    private static let deadlineMargin = Span.seconds(2)
    private static let pageItems = 100
    private static let pagesMax = 10_000
    private static let accountsPrefix = "accounts"

    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package struct Report: Equatable, Sendable {
        package var chains = 0
        package var events = 0
        package var findings: [AuditFinding] = []
        /// To be kept elsewhere, as anchors of a later verification.
        package var heads: [AuditAnchor] = []
        /// Where the next call continues; nil when everything was looked at.
        package var next: String?
    }

    /// - Parameter after: `next` of the call before.
    package func callAsFunction(
        after: String?, until deadline: Instant?
    ) throws(AuthError) -> Report {
        let latest = auth.clock.now() + Self.durationMax
        let end = deadline.map { min($0 - Self.deadlineMargin, latest) } ?? latest
        var report = Report()
        let place = after?.split(separator: "|", maxSplits: 1).map(String.init) ?? []
        let start = place.first.flatMap { Int($0) } ?? 0
        var sort = place.count == 2 ? place[1] : nil
        if place.first != Self.accountsPrefix {
            for shard in max(0, start)..<max(StoreLayout.auditHeadShards, start) {
                try heads(shard, after: sort, until: end, &report)
                guard report.next == nil else { return report }
                sort = nil
            }
        }
        if auth.policy.accounts.isListed { try accounts(after: sort, until: end, &report) }
        return report
    }

    /// What became of heads that were kept elsewhere: each must be an event of its chain, or have
    /// expired.
    package func callAsFunction(anchors: [AuditAnchor]) throws(AuthError) -> Report {
        var report = Report()
        for anchor in anchors.prefix(Self.anchorsMax) {
            guard let chain = AuditChain(named: anchor.chain) else { continue }
            report.chains += 1
            guard auth.clock.now() < anchor.expiresAt else { continue }
            let query = PartitionQuery(
                chain.partition, prefix: StoreLayout.auditPrefix(sequence: anchor.sequence),
                limit: Self.pageItems)
            let page = try stored { () throws(StoreFailure) in try auth.store.query(query) }
            let isThere = page.items.contains { item in
                (try? AuditRecord(item))?.link == anchor.link
            }
            report.events += page.items.count
            if !isThere {
                report.findings.append(
                    AuditFinding(anchor.chain, .anchorMissing, anchor.sequence))
            }
        }
        return report
    }

    private func heads(
        _ shard: Int, after sort: String?, until end: Instant, _ report: inout Report
    ) throws(AuthError) {
        var query = PartitionQuery(StoreLayout.auditHeads(shard: shard), limit: Self.pageItems)
        query.after = sort
        var last = sort
        for _ in 0..<Self.pagesMax {
            let asked = query
            let page = try stored { () throws(StoreFailure) in try auth.store.query(asked) }
            for item in page.items {
                guard report.chains < Self.chainsMax, auth.clock.now() < end else {
                    report.next = "\(shard)\(last.map { "|\($0)" } ?? "")"
                    return
                }
                if let chain = AuditHead.chain(of: item) { try verify(chain, &report) }
                last = item.key.sort
            }
            guard let next = page.next else { return }
            query.after = next
        }
    }

    /// Accounts that have no head: it was removed, or all their events have expired.
    private func accounts(
        after sort: String?, until end: Instant, _ report: inout Report
    ) throws(AuthError) {
        var query = PartitionQuery(StoreLayout.directoryPartition, limit: Self.pageItems)
        query.after = sort.flatMap { StoreLayout.directoryUser($0) == nil ? nil : $0 }
        for _ in 0..<Self.pagesMax {
            guard auth.clock.now() < end else {
                report.next = "\(Self.accountsPrefix)\(query.after.map { "|\($0)" } ?? "")"
                return
            }
            let asked = query
            let page = try stored { () throws(StoreFailure) in try auth.store.query(asked) }
            let users = page.items.compactMap { StoreLayout.directoryUser($0.key.sort) }
            let chains = users.map(AuditChain.account)
            let keys = chains.map(\.headKey)
            if !keys.isEmpty {
                let heads = try stored { () throws(StoreFailure) in try auth.store.get(keys) }
                for (chain, head) in zip(chains, heads) where head == nil {
                    try verify(chain, &report)
                }
            }
            guard let next = page.next else { return }
            query.after = next
        }
    }

    /// An event may be added between two reads, so what is found is looked at once more.
    private func verify(
        _ chain: AuditChain, _ report: inout Report
    ) throws(AuthError) {
        var (walk, head) = try walked(chain)
        if !walk.findings.isEmpty { (walk, head) = try walked(chain) }
        report.chains += 1
        report.events += walk.events
        report.findings += walk.findings
        if let head { report.heads.append(head.anchor(of: chain)) }
    }

    private func walked(
        _ chain: AuditChain
    ) throws(AuthError) -> (AuditWalk, AuditHead?) {
        let keys = try auth.auditKeys
        var query = PartitionQuery(chain.partition, limit: Self.pageItems)
        let first = query
        let opening = try stored { () throws(StoreFailure) in
            try auth.store.read([chain.headKey], counting: [], listing: first)
        }
        let item = opening.items[0]
        let head = item.flatMap { try? AuditHead($0) }
        var walk = AuditWalk(chain, head, isHeadUnreadable: item != nil && head == nil, keys)
        var page = opening.page
        while let current = page {
            for item in current.items { walk.take(item) }
            guard let next = current.next else { break }
            query.after = next
            let asked = query
            page = try stored { () throws(StoreFailure) in try auth.store.query(asked) }
        }
        walk.finish(at: auth.clock.now())
        return (walk, head)
    }
}

extension AuthServices {
    package var verifyAudit: VerifyAudit { VerifyAudit(self) }
}

extension AuthOperation {
    package static let verifyAudit = AuthOperation("verifyAudit", servedBy: "audit")
}
