package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import KeyValueStore
package import Time

/// Detects tampering with the audit log.
///
/// Chains are found by their heads, and chains without a head by their events.
package struct VerifyAudit: Sendable {
    package static let chainsMax = 1000
    package static let anchorsMax = 1000
    /// How long a run may take if the platform sets no deadline.
    package static let durationMax = Span.seconds(50)
    private static let deadlineMargin = Span.seconds(2)
    private static let pageItems = 100
    private static let pagesMax = 10_000
    private static let eventsPrefix = "events"

    let auth: AuthServices

    package struct Report: Equatable, Sendable {
        package var chains = 0
        package var events = 0
        package var findings: [AuditFinding] = []
        /// The heads of the chains. Keep them elsewhere as anchors for a later verification.
        package var heads: [AuditAnchor] = []
        /// Where the next call continues; nil when everything has been verified.
        package var next: String?
    }

    /// - Parameter after: `next` of the previous call.
    package func callAsFunction(
        after: String?, until deadline: Instant?
    ) throws(AuthError) -> Report {
        let latest = auth.clock.now() + Self.durationMax
        let end = deadline.map { min($0 - Self.deadlineMargin, latest) } ?? latest
        var report = Report()
        let place = after?.split(separator: "|", maxSplits: 1).map(String.init) ?? []
        if place.first?.isSame(as: Self.eventsPrefix) == true {
            // Any other text starts at the first partition.
            try events(after: place.last.flatMap(ItemKey.init(cursor:)), until: end, &report)
            return report
        }
        let start = place.first.flatMap { Int($0) } ?? 0
        var sort = place.count == 2 ? place[1] : nil
        for shard in max(0, start)..<max(StoreLayout.auditHeadShards, start) {
            try heads(shard, after: sort, until: end, &report)
            guard report.next == nil else { return report }
            sort = nil
        }
        try events(after: nil, until: end, &report)
        return report
    }

    /// Compares heads that were kept elsewhere with the store: each must be an event of its chain,
    /// or have expired.
    package func callAsFunction(anchors: [AuditAnchor]) throws(AuthError) -> Report {
        var report = Report()
        for anchor in anchors.prefix(Self.anchorsMax) {
            guard let chain = AuditChain(named: anchor.chain) else { continue }
            report.chains += 1
            guard auth.clock.now() < anchor.expiresAt else { continue }
            let query = PartitionQuery(
                chain.partition, prefix: StoreLayout.auditPrefix(sequence: anchor.sequence),
                limit: Self.pageItems)
            let page = try auth.store.query(query)
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
            let page = try auth.store.query(query)
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

    /// Verifies chains without a head, which was removed or has expired. They are found by their
    /// events, because any other row that names a chain could be removed as well.
    private func events(
        after key: ItemKey?, until end: Instant, _ report: inout Report
    ) throws(AuthError) {
        var last = key
        for _ in 0..<Self.pagesMax {
            guard auth.clock.now() < end else { break }
            let after = last
            let page = try auth.store.partitions(withPrefix: StoreLayout.auditPrefix, after: after)
            for start in stride(from: 0, to: page.keys.count, by: Self.pageItems) {
                let keys = page.keys[start..<min(start + Self.pageItems, page.keys.count)]
                guard try headless(keys, until: end, &last, &report) else {
                    report.next = Self.place(last)
                    return
                }
            }
            guard let next = page.next else { return }
            last = next
        }
        report.next = Self.place(last)
    }

    /// Verifies the chains that have no head; false if the time ran out before the last one.
    private func headless(
        _ keys: ArraySlice<ItemKey>, until end: Instant, _ last: inout ItemKey?,
        _ report: inout Report
    ) throws(AuthError) -> Bool {
        let chains = keys.map { StoreLayout.auditChain(ofPartition: $0.partition) }
        let heads = try auth.store.get(chains.compactMap { $0?.headKey })
        for (key, chain) in zip(keys, chains) {
            if let chain, heads[chain.headKey] == nil {
                guard report.chains < Self.chainsMax, auth.clock.now() < end else { return false }
                try verify(chain, &report)
            }
            last = key
        }
        return true
    }

    /// The position in the form `events|<cursor>`.
    private static func place(_ key: ItemKey?) -> String {
        key.map { "\(eventsPrefix)|\($0.cursor)" } ?? eventsPrefix
    }

    /// An event may be added between two reads, so a chain with findings is verified again.
    private func verify(
        _ chain: AuditChain, _ report: inout Report
    ) throws(AuthError) {
        var (walk, head) = try walked(chain)
        if !walk.findings.isEmpty { (walk, head) = try walked(chain) }
        guard head != nil || walk.events > 0 || !walk.findings.isEmpty else { return }
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
        let opening = try auth.store.read([chain.headKey], listing: query)
        let item = opening.items[chain.headKey]
        let head = item.flatMap { try? AuditHead($0) }
        var walk = AuditWalk(chain, head, isHeadUnreadable: item != nil && head == nil, keys)
        var page = opening.page
        while let current = page {
            for item in current.items { walk.take(item) }
            guard let next = current.next else { break }
            query.after = next
            page = try auth.store.query(query)
        }
        walk.finish(at: auth.clock.now())
        return (walk, head)
    }
}

extension AuthServices {
    package var verifyAudit: VerifyAudit { VerifyAudit(auth: self) }
}

extension AuthOperation {
    package static let verifyAudit = AuthOperation("verifyAudit", servedBy: "audit")
}
