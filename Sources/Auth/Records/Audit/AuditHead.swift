package import AuthDomain
package import KeyValueStore
package import Time

/// The head of a chain: the number and link of the last event. The transaction that adds an event
/// advances it, on the condition that the head still has the link that the event refers to.
///
/// Heads are in separate partitions, so that all chains can be listed.
package struct AuditHead: Equatable, Sendable {
    package let sequence: Int64
    package let link: [UInt8]
    /// When the last event expires. No later event expires earlier.
    package let lastExpiresAt: Instant

    package init(sequence: Int64, link: [UInt8], lastExpiresAt: Instant) {
        self.sequence = sequence
        self.link = link
        self.lastExpiresAt = lastExpiresAt
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            sequence: try read.integer("sequence"), link: try read.bytes("link"),
            lastExpiresAt: try read.instant("lastExpiresAt"))
    }

    /// The chain of a head that was listed.
    package static func chain(of item: Item) -> AuditChain? {
        guard let chain = AuditChain(named: item.key.sort), chain.headKey == item.key else {
            return nil
        }
        return chain
    }

    /// The anchor for a later verification to compare with.
    package func anchor(of chain: AuditChain) -> AuditAnchor {
        AuditAnchor(
            chain: chain.name, sequence: sequence, link: link, expiresAt: lastExpiresAt)
    }

    /// The head expires a day after its last event: an event without a head is a sign of tampering.
    private static let margin = Span.days(1)

    /// - Parameter previous: nil for the first event of the chain.
    package func replacing(_ previous: AuditHead?, of chain: AuditChain) -> Write {
        var attributes: Attributes = [
            "sequence": .integer(sequence), "link": .bytes(link),
        ]
        attributes.set("lastExpiresAt", lastExpiresAt)
        let item = Item(chain.headKey, attributes, expiresAt: lastExpiresAt + Self.margin)
        return .put(
            item, when: [previous.map { .equals("link", .bytes($0.link)) } ?? .absent])
    }
}
