package import Time

/// The one door to state. Nothing scans, every state change is a conditional write, and an
/// expired item is absent for every call below, whatever the backend still holds.
///
/// What breaks `StoreLimits` is refused as `.invalid` before anything is read or written, by the
/// same code for every backend.
package protocol KeyValueStore: Sendable {
    /// The items that exist, in the order asked. At most `StoreLimits.keysPerReadMax` keys.
    ///
    /// Each item is current: it shows every write acknowledged before the call. Several items
    /// are not a snapshot, since DynamoDB reads them one by one; conditions decide, reads inform.
    func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?]

    /// The items of one partition whose sort key begins with `prefix`, ascending by UTF-8 bytes.
    ///
    /// A page may hold fewer items than `limit`, even none, and still name a `next`.
    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page

    /// All of the writes or none of them: `.conditionFailed` when any condition does not hold.
    /// At most `StoreLimits.writesPerTransactionMax` writes, each to another key.
    ///
    /// `.unavailable` can mean that the writes were made and the answer was lost.
    func write(_ writes: [Write]) throws(StoreFailure)

    /// Adds to the integer attribute `count` of an item, creating it with `expiresAt` when it is
    /// absent, and returns the sum. An existing item keeps its expiry and its other attributes.
    ///
    /// `.unavailable` can mean that the amount was added, so a caller that tries again may count
    /// twice. A sum outside `Int64`, or a `count` that is no integer, is `.invalid`.
    func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant) throws(StoreFailure)
        -> Int64
}

extension KeyValueStore {
    package func get(_ key: ItemKey) throws(StoreFailure) -> Item? { try get([key])[0] }

    /// Opens an operation: adds to the counters and reads the items, in one round trip where the
    /// backend can. The sums and the items are in the order asked; a sum includes its own addition.
    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement]
    ) throws(StoreFailure) -> CountedRead {
        var sums: [Int64] = []
        for counter in counters {
            sums.append(
                try increment(counter.key, by: counter.amount, expiresAt: counter.expiresAt))
        }
        return CountedRead(items: keys.isEmpty ? [] : try get(keys), sums: sums)
    }
}

/// An addition to the attribute `count` of an item, which is created when it is absent.
package struct CounterIncrement: Equatable, Sendable {
    package var key: ItemKey
    package var amount: Int64
    package var expiresAt: Instant

    package init(_ key: ItemKey, by amount: Int64 = 1, expiresAt: Instant) {
        self.key = key
        self.amount = amount
        self.expiresAt = expiresAt
    }
}

package struct CountedRead: Equatable, Sendable {
    package let items: [Item?]
    package let sums: [Int64]

    package init(items: [Item?], sums: [Int64]) {
        self.items = items
        self.sums = sums
    }
}

package struct PartitionQuery: Equatable, Sendable {
    package var partition: String
    package var prefix: String
    package var limit: Int
    /// Continues after this sort key, the `next` of the page before. It begins with `prefix`.
    package var after: String?

    package init(_ partition: String, prefix: String = "", limit: Int, after: String? = nil) {
        self.partition = partition
        self.prefix = prefix
        self.limit = limit
        self.after = after
    }
}

package struct Page: Equatable, Sendable {
    package let items: [Item]
    /// Present when there may be more.
    package let next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

package enum StoreFailure: Error, Equatable, Sendable {
    case conditionFailed
    /// Nothing is known about the outcome; the caller may try again.
    case unavailable(detail: String)
    /// The request breaks a limit, or what is stored cannot be read: trying again will not help.
    case invalid(detail: String)
}
