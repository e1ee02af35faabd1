internal import AuthDomain
internal import Bytes
package import KeyValueStore
package import Time

/// An event that could not be sent in time, as an item, until an administrator sends it again.
package struct DeadWebhook: Equatable, Sendable {
    /// The row is kept as long as the audit log has the event.
    package static let retention = AuditChain.retentionMax

    package let queue: WebhookQueue
    /// The event's key in the audit log.
    package let place: String
    /// When the attempts ended.
    package let diedAt: Instant

    package init(_ queue: WebhookQueue, place: String, diedAt: Instant) {
        self.queue = queue
        self.place = place
        self.diedAt = diedAt
    }

    /// The latest events come first. If an event fails again, it gets another row.
    package var id: String {
        StoreLayout.deadWebhookID(
            queue.receiver, queue.chain.name, place: place, diedAt: diedAt)
    }

    package var key: ItemKey { StoreLayout.deadWebhook(id) }

    /// nil if the text cannot be an ID.
    package static func key(_ id: String) -> ItemKey? {
        let isID =
            (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x5F }
        return isID ? StoreLayout.deadWebhook(id) : nil
    }

    package var item: Item {
        var attributes: Attributes = [
            "receiver": .text(queue.receiver), "chain": .text(queue.chain.name),
            "place": .text(place),
        ]
        attributes.set("diedAt", diedAt)
        return Item(key, attributes, expiresAt: diedAt + Self.retention)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let chain = AuditChain(named: try read.text("chain")) else {
            throw read.unreadable("chain")
        }
        self.init(
            WebhookQueue(receiver: try read.text("receiver"), chain: chain),
            place: try read.text("place"), diedAt: try read.instant("diedAt"))
    }

    package static func query(limit: Int, after id: String? = nil) -> PartitionQuery {
        PartitionQuery(StoreLayout.deadWebhooksPartition, limit: limit, after: id)
    }
}
