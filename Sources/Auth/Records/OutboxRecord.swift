internal import Bytes
package import KeyValueStore
package import Time

/// A message that waits to be sent, as an item. Its contents are encrypted, because they include
/// links and codes.
///
/// Changing the time at which the message is due means replacing the row by another.
package struct OutboxRecord: DueRecord, Equatable, Sendable {
    /// One partition of DynamoDB takes 1,000 write units a second, and a message costs about eight
    /// write units.
    package static let shards = 8
    /// How long a row is kept after `validUntil` if housekeeping does not remove it.
    package static let retention = Span.days(1)
    package static let idByteCount = 16

    package let id: [UInt8]
    package let due: Instant
    /// Attempts to send it, including the current one, if any.
    package let attempts: Int64
    /// The message is not sent after this instant.
    package let validUntil: Instant
    package let sealed: [UInt8]

    package init(
        id: [UInt8], due: Instant, attempts: Int64, validUntil: Instant, sealed: [UInt8]
    ) {
        self.id = id
        self.due = due
        self.attempts = attempts
        self.validUntil = validUntil
        self.sealed = sealed
    }

    package var key: ItemKey {
        StoreLayout.outbox(
            shard: Int(id.first ?? 0) % Self.shards, due: due.iso8601Milliseconds,
            id: Hex.encode(id))
    }

    package var item: Item {
        var attributes: Attributes = [
            "id": .bytes(id), "attempts": .integer(attempts), "sealed": .bytes(sealed),
        ]
        attributes.set("due", due)
        attributes.set("validUntil", validUntil)
        return Item(key, attributes, expiresAt: validUntil + Self.retention)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            id: try read.bytes("id"), due: try read.instant("due"),
            attempts: try read.integer("attempts"), validUntil: try read.instant("validUntil"),
            sealed: try read.bytes("sealed"))
    }

    /// The rows of a shard in the order in which they are due, including those not yet due.
    package static func query(shard: Int, limit: Int = 25) -> PartitionQuery {
        PartitionQuery(StoreLayout.outboxPartition(shard), limit: limit)
    }

    /// Deletes the row if it is unchanged since it was read.
    package var removal: Write {
        .delete(key, when: [.equals("attempts", .integer(attempts))])
    }

    /// The same message, due at another time. The writes fail if the row was changed since it was
    /// read.
    package func moved(to due: Instant, attempts: Int64) -> (record: OutboxRecord, writes: [Write])
    {
        let next = OutboxRecord(
            id: id, due: due, attempts: attempts, validUntil: validUntil, sealed: sealed)
        return (next, [removal, .put(next.item, when: [.absent])])
    }
}
