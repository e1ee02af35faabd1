package import Time

/// The port to the state. Nothing scans, every state change is a conditional write, and an
/// expired item is absent for every call below, even while the backend still holds it.
///
/// What breaks `StoreLimits` is refused as `.invalid` before anything is read or written, by the
/// same code for every backend.
///
/// An operation is meant to open with one `read` and to close with one `write`: two round trips
/// and one durable commit. What the calls cost on DynamoDB, in capacity units:
///
/// | call | price |
/// |---|---|
/// | an item read | 1 read unit per 4 KB begun, also when it is absent |
/// | a page of a query | 1 read unit per 4 KB begun of all its items together |
/// | an addition to a counter | 1 write unit per KB begun of the item |
/// | one put or delete, with conditions or without | 1 write unit per KB begun |
/// | one check | 1 read unit per 4 KB begun |
/// | each of several writes, checks too | 2 write units per KB begun |
///
/// A put or delete is charged for the larger of the item before and the item after, and also when
/// its condition does not hold.
package protocol KeyValueStore: Sendable {
    /// Adds to counters, reads items and lists a page, in one round trip where the backend can.
    ///
    /// At most `StoreLimits.keysPerReadMax` keys and `StoreLimits.countersPerReadMax` counters.
    /// No counter may be added to twice in one call, nor also be read or listed by it: DynamoDB
    /// does the parts at the same time, so neither order would be right.
    ///
    /// Items and sums are in the order asked. Each item is current: it shows every write
    /// acknowledged before the call. Several items are not a snapshot, since DynamoDB reads them
    /// one by one; conditions decide, reads inform. A sum includes its own addition. The page is
    /// what `query` would return, and may be shorter.
    ///
    /// A failure says nothing about the counters, whatever its case: any of them may have been
    /// added to, so a caller that tries again may count twice. A power failure may lose additions
    /// that were acknowledged, but never a `write`: counters serve rate limits, which it does not
    /// harm. A sum outside `Int64`, or a `count` that is not an integer, is `.invalid`.
    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead

    /// The items of one partition whose sort key begins with `prefix`, ascending by UTF-8 bytes.
    ///
    /// A page may hold fewer items than `limit`, even none, and still name a `next`.
    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page

    /// All of the writes or none of them: `.conditionFailed` when any condition does not hold.
    /// At most `StoreLimits.writesPerTransactionMax` writes, each to another key. An acknowledged
    /// write survives a power failure.
    ///
    /// `.unavailable` can mean that the writes were made and the answer was lost.
    ///
    /// `.conditionFailed` for exactly one write can mean the same: DynamoDB gives a single write
    /// no token, so a request that is repeated after a lost answer meets its own effect. A caller
    /// that must know puts a mark of its own into the item and reads it again. Two writes or more
    /// are a transaction under a token, and their `.conditionFailed` means that nothing was
    /// written.
    func write(_ writes: [Write]) throws(StoreFailure)
}

extension KeyValueStore {
    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement]
    ) throws(StoreFailure) -> CountedRead { try read(keys, counting: counters, listing: nil) }

    /// The items that exist, in the order asked, as `read` gives them.
    package func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?] {
        try read(keys, counting: []).items
    }

    package func get(_ key: ItemKey) throws(StoreFailure) -> Item? { try get([key])[0] }

    /// Adds to one counter, as `read` does, and returns the sum.
    package func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant)
        throws(StoreFailure) -> Int64
    {
        let counter = CounterIncrement(key, by: amount, expiresAt: expiresAt)
        return try read([], counting: [counter]).sums[0]
    }
}

/// An addition to the integer attribute `count` of an item. The item is created with `expiresAt`
/// when it is absent; otherwise it keeps its expiry and its other attributes.
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
    /// Present when a page was asked for.
    package let page: Page?

    package init(items: [Item?], sums: [Int64], page: Page? = nil) {
        self.items = items
        self.sums = sums
        self.page = page
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
