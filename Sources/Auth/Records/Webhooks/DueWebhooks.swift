internal import AuthDomain
package import KeyValueStore
package import Time

/// The time at which a queue of events is handled, as an item. It is written with the change that
/// the event is about. A queue may have several such items.
package struct DueWebhooks: DueRecord, Equatable, Sendable {
    /// One partition of DynamoDB takes 1,000 write units a second.
    package static let shards = 8

    package let queue: WebhookQueue
    package let due: Instant
    /// The event or the run that wrote the row. Another event or run may write a row that is due at
    /// the same time, and each run may remove only its own row. Rows of earlier versions have no
    /// writer.
    private let writer: String?

    package init(_ queue: WebhookQueue, due: Instant, by writer: String?) {
        self.queue = queue
        self.due = due
        self.writer = writer
    }

    package var key: ItemKey {
        StoreLayout.dueWebhooks(
            queue.receiver, queue.chain.name, shards: Self.shards, due: due.iso8601Milliseconds)
    }

    /// The row is written without a condition, because the latest writer needs it.
    package var write: Write {
        var attributes: Attributes = [
            "receiver": .text(queue.receiver), "chain": .text(queue.chain.name),
        ]
        attributes.set("due", due)
        attributes["writer"] = writer.map { .text($0) }
        return .put(Item(key, attributes), when: [])
    }

    /// The write fails if another run or event has written the row since.
    package var removal: Write {
        .delete(key, when: writer.map { [.equals("writer", .text($0))] } ?? [])
    }

    /// The same queue, due at another time.
    ///
    /// - Parameter writer: nil if it does not change.
    package func moved(
        to due: Instant, by writer: String? = nil
    ) -> (row: DueWebhooks, writes: [Write]) {
        let next = DueWebhooks(queue, due: due, by: writer ?? self.writer)
        return (next, (next.key == key ? [] : [.delete(key, when: [])]) + [next.write])
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        guard let chain = AuditChain(named: try read.text("chain")) else {
            throw read.unreadable("chain")
        }
        queue = WebhookQueue(receiver: try read.text("receiver"), chain: chain)
        due = try read.instant("due")
        writer = try read.optionalText("writer")
    }

    package static func query(shard: Int, limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.dueWebhooksPartition(shard), limit: limit)
    }
}
