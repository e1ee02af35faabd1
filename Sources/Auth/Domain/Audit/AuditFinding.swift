package import Time

/// A place where a chain differs from what was written.
package struct AuditFinding: Equatable, Sendable {
    package enum Defect: String, CaseIterable, Sendable {
        /// An event was changed, moved from another place, or written without the audit key.
        case changed
        /// Events that have not expired are missing.
        case missing
        /// An event does not follow the one before it.
        case notLinked
        /// A number occurs twice: the head was reset to an earlier one, or an event was inserted.
        case repeated
        /// An event is newer than the head: the head was reset to an earlier one.
        case beyondHead
        /// There are events but no head.
        case headMissing
        case headUnreadable
        /// An anchor that was kept elsewhere matches no event.
        case anchorMissing
    }

    package let chain: String
    package let defect: Defect
    /// The first and the last sequence number concerned.
    package let first: Int64
    package let last: Int64

    package init(_ chain: String, _ defect: Defect, _ first: Int64, _ last: Int64? = nil) {
        self.chain = chain
        self.defect = defect
        self.first = first
        self.last = last ?? first
    }
}

/// An earlier head of a chain, kept outside the table.
package struct AuditAnchor: Equatable, Sendable {
    package let chain: String
    package let sequence: Int64
    package let link: [UInt8]
    /// From this instant on, the event may have expired.
    package let expiresAt: Instant

    package init(chain: String, sequence: Int64, link: [UInt8], expiresAt: Instant) {
        self.chain = chain
        self.sequence = sequence
        self.link = link
        self.expiresAt = expiresAt
    }
}
