package import Time

/// The port for all persistent state. No operation of a client scans, every state change is a
/// conditional write, and an expired item is absent for every call below, even if the backend still
/// holds it.
///
/// Requests that exceed `StoreLimits` fail with `.refused` before anything is read or written, by
/// the same code for every backend.
///
/// An operation should begin with one `read` and end with one `write`: two round trips and one
/// durable commit. Costs on DynamoDB in capacity units:
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
/// A put or delete is charged for the larger of the item before and after, also if its condition
/// fails.
package protocol KeyValueStore: Sendable {
    /// Adds to counters, reads items and lists a page, in one round trip if the backend can.
    ///
    /// At most `StoreLimits.keysPerReadMax` keys and `StoreLimits.countersPerReadMax` counters. One
    /// call must not add to a counter twice, nor add to a counter that it also reads or lists:
    /// DynamoDB processes the parts concurrently, so their order is undefined.
    ///
    /// Items and sums are in the order of the request. Each item is current: it includes every
    /// write acknowledged before the call. Several items are not a snapshot, since DynamoDB reads
    /// them one by one, so decisions belong in the conditions of a write. A sum includes its own
    /// addition. The page is what `query` would return, and may be shorter.
    ///
    /// After any failure, some of the additions may have been made, so a caller that retries may
    /// count twice. A power failure may lose acknowledged additions, but never a `write`: counters
    /// serve rate limits, which tolerate that. A sum outside `Int64`, or a `count` that is not an
    /// integer, is `.refused` or `.unreadable`.
    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead

    /// The items of one partition whose sort key begins with `prefix`, ascending by UTF-8 bytes.
    ///
    /// A page may have fewer items than `limit`, even none, and still have a `next`.
    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page

    /// Lists the partitions whose names begin with `prefix`, from the stored items, a page at a
    /// time. The verification of the audit log uses this, because it must not trust a row that
    /// lists the partitions.
    ///
    /// A page may be empty and still have a `next`, and may name a partition whose items have all
    /// expired. DynamoDB reads the whole table for it, half a read unit per 4 KB, and may miss a
    /// write of a moment ago.
    ///
    /// - Parameter after: a key of an earlier page. The page begins after that key's partition.
    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage

    /// Makes all of the writes or none: throws `.conditionFailed` if any condition does not hold.
    /// At most `StoreLimits.writesPerTransactionMax` writes, each to a different key, are allowed.
    /// An acknowledged write survives a power failure.
    ///
    /// `.unavailable` can mean that the writes were made and the response was lost.
    ///
    /// For exactly one write, so can `.conditionFailed`: DynamoDB has no idempotency token for a
    /// single write, so a request that is repeated after a lost response conflicts with itself. A
    /// caller that must know writes a unique value into the item and reads it again. Two writes or
    /// more are a transaction with a token, and their `.conditionFailed` means that nothing was
    /// written.
    func write(_ writes: [Write]) throws(StoreFailure)

    /// Deletes up to `max` items that expired an hour ago or earlier, in one transaction, and
    /// returns their number: fewer than `max` if none remain.
    ///
    /// Only some backends need this. DynamoDB deletes expired items by itself, SQLite with its
    /// commits, and both return 0. A wrapper must forward the call.
    func removeExpired(max: Int) throws(StoreFailure) -> Int

    /// The readiness probe: fails if requests would fail now. A backend whose disk can be full adds
    /// to a counter; other backends read. A wrapper must forward the call.
    func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure)

    /// The probe after a failed write: a backend whose disk can be full writes an item and deletes
    /// it. A wrapper must forward the call.
    func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure)
}

extension KeyValueStore {
    package func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) { _ = try get(key) }

    /// A probe that writes.
    package func probeByWriting(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        _ = try increment(key, by: 1, expiresAt: now + .minutes(1))
    }

    package func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try probe(key, at: now)
    }

    /// The item is larger than the rows of any request. On a full disk, a counter may still be
    /// written into an existing page.
    package func probeByWritingAnItem(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        let key = ItemKey(key.partition, key.sort + "#SAMPLE")
        let sample = [UInt8](repeating: 0, count: 32 << 10)
        let item = Item(key, ["sample": .bytes(sample)], expiresAt: now + .minutes(1))
        try write([.put(item, when: [])])
        try write([.delete(key, when: [])])
    }

    package func removeExpired(max: Int) throws(StoreFailure) -> Int { 0 }

    /// The default fails, so that a verification never mistakes such a store for one without
    /// partitions.
    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    { throw .refused(detail: "this store cannot list its partitions") }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement]
    ) throws(StoreFailure) -> CountedRead { try read(keys, counting: counters, listing: nil) }

    /// The items, in the order requested, as returned by `read`.
    package func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?] {
        try read(keys, counting: []).items
    }

    package func get(_ key: ItemKey) throws(StoreFailure) -> Item? { try get([key])[0] }

    /// Adds to one counter, like `read`, and returns the sum.
    package func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant)
        throws(StoreFailure) -> Int64
    {
        let counter = CounterIncrement(key, by: amount, expiresAt: expiresAt)
        return try read([], counting: [counter]).sums[0]
    }
}

/// An addition to the integer attribute `count` of an item. An absent item is created with
/// `expiresAt`; an existing one keeps its expiry and its other attributes.
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
    /// Set if a page was requested.
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
    /// Continues after this sort key: the `next` of the previous page. It begins with `prefix`.
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
    /// Set if there may be more.
    package let next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}

/// A page of partitions, each given by the key of one of its items.
package struct PartitionPage: Equatable, Sendable {
    package let keys: [ItemKey]
    /// Set if there may be more.
    package let next: ItemKey?

    package init(keys: [ItemKey], next: ItemKey?) {
        self.keys = keys
        self.next = next
    }
}

package enum StoreFailure: Error, Equatable, Sendable {
    case conditionFailed
    /// The outcome is unknown; the caller may retry.
    case unavailable(detail: String)
    /// The call exceeds a limit, or the store does not permit it, for example because a table or a
    /// permission is missing: a retry will not help.
    case refused(detail: String)
    /// A stored item cannot be read: a retry will not help.
    case unreadable(detail: String)
}
