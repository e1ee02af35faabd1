package import AuthDomain
package import KeyValueStore
package import Time

/// Verifies the events of a chain against its head and against each other, newest first.
package struct AuditWalk {
    package private(set) var findings: [AuditFinding] = []
    package private(set) var events = 0

    private let chain: AuditChain
    private let keys: AuditKeys
    private let head: AuditHead?
    private let isHeadUnreadable: Bool
    /// The number of the next event, the link that it must have, and when it expires; initially nil
    /// if there is no head.
    private var expected: (sequence: Int64, link: [UInt8]?, expiresAt: Instant)?
    private var newest: Int64?

    package init(
        _ chain: AuditChain, _ head: AuditHead?, isHeadUnreadable: Bool = false, _ keys: AuditKeys
    ) {
        self.chain = chain
        self.keys = keys
        self.head = head
        expected = head.map { ($0.sequence, $0.link, $0.lastExpiresAt) }
        self.isHeadUnreadable = isHeadUnreadable
        if isHeadUnreadable { report(.headUnreadable, 0) }
    }

    package mutating func take(_ item: Item) {
        events += 1
        let sequence = StoreLayout.auditSequence(item.key) ?? 0
        if newest == nil {
            newest = sequence
            if head == nil, !isHeadUnreadable { report(.headMissing, sequence) }
        }
        let place = expected ?? (sequence, nil, item.expiresAt ?? Instant(milliseconds: 0))
        if let head, sequence > head.sequence {
            report(.beyondHead, sequence)
            return
        }
        if sequence > place.sequence {
            report(.repeated, sequence)
            return
        }
        if sequence < place.sequence { report(.missing, sequence + 1, place.sequence) }
        guard let record = try? AuditRecord(item), keys.isLinked(item, in: chain),
            record.sequence == sequence
        else {
            report(.changed, sequence)
            expected = (sequence - 1, nil, item.expiresAt ?? Instant(milliseconds: 0))
            return
        }
        if sequence == place.sequence, let link = place.link, link != record.link {
            report(.notLinked, sequence)
        }
        expected = (sequence - 1, record.previous, record.previousExpiresAt)
    }

    /// Reports missing events. The oldest events are not reported, because they may have expired.
    package mutating func finish(at now: Instant) {
        guard let place = expected, place.sequence > 0, now < place.expiresAt else { return }
        report(.missing, 1, place.sequence)
    }

    private mutating func report(
        _ defect: AuditFinding.Defect, _ first: Int64, _ last: Int64? = nil
    ) {
        findings.append(AuditFinding(chain.name, defect, first, last))
    }
}
