internal import AuthDomain
package import KeyValueStore
package import Time

/// When to look at a queue of events, as an item. It is written with the change that the event is
/// about. A queue may have several.
package struct DueWebhooks: DueRecord, Equatable, Sendable {
    /// One partition of DynamoDB takes 1,000 write units a second.
    package static let shards = 8

    package let queue: WebhookQueue
    package let due: Instant

    package init(_ queue: WebhookQueue, due: Instant) {
        self.queue = queue
        self.due = due
    }

    package var key: ItemKey {
        StoreLayout.dueWebhooks(
            queue.receiver, queue.chain.name, shards: Self.shards, due: due.iso8601Milliseconds)
    }

    /// Written without a condition: the row has no information beyond its key.
    package var write: Write {
        var attributes: Attributes = [
            "receiver": .text(queue.receiver), "chain": .text(queue.chain.name),
        ]
        attributes.set("due", due)
        return .put(Item(key, attributes), when: [])
    }

    package var removal: Write { .delete(key, when: []) }

    /// The same queue, due at another time.
    package func moved(to due: Instant) -> (row: DueWebhooks, writes: [Write]) {
        let next = DueWebhooks(queue, due: due)
        return (next, next.key == key ? [] : [removal, next.write])
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let chain = AuditChain(named: try read.text("chain")) else {
            throw read.unreadable("chain")
        }
        queue = WebhookQueue(receiver: try read.text("receiver"), chain: chain)
        due = try read.instant("due")
    }

    package static func query(shard: Int, limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.dueWebhooksPartition(shard), limit: limit)
    }
}
