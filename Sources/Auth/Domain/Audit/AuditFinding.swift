package import Time

/// A place at which a chain is not as it was written.
package struct AuditFinding: Equatable, Sendable {
    package enum Defect: String, CaseIterable, Sendable {
        /// An event was changed, moved here from elsewhere, or not written with our key.
        case changed
        /// Events are not there that have not expired.
        case missing
        /// An event does not follow the one before it.
        case notLinked
        /// A number was given twice: the head was put back, or an event was inserted.
        case repeated
        /// An event is newer than the head says: the head was put back.
        case beyondHead
        /// There are events, and no head.
        case headMissing
        case headUnreadable
        /// An anchor that was kept elsewhere has no event like it.
        case anchorMissing
    }

    package let chain: String
    package let defect: Defect
    /// The first and the last number that it concerns.
    package let first: Int64
    package let last: Int64

    package init(_ chain: String, _ defect: Defect, _ first: Int64, _ last: Int64? = nil) {
        self.chain = chain
        self.defect = defect
        self.first = first
        self.last = last ?? first
    }
}

/// A head as it was at some time, kept outside of the table.
package struct AuditAnchor: Equatable, Sendable {
    package let chain: String
    package let sequence: Int64
    package let link: [UInt8]
    /// From then on the event may be gone.
    package let expiresAt: Instant

    package init(chain: String, sequence: Int64, link: [UInt8], expiresAt: Instant) {
        self.chain = chain
        self.sequence = sequence
        self.link = link
        self.expiresAt = expiresAt
    }
}
