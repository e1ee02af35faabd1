package import Time

/// The one door to state. Nothing scans, every state change is a conditional write, and an
/// expired item is absent for every call below, whatever the backend still holds.
package protocol KeyValueStore: Sendable {
    /// The items that exist, in the order asked; one consistent read. At most
    /// `StoreLimits.keysPerReadMax` keys.
    func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?]

    /// The items of one partition whose sort key begins with `prefix`, ascending by UTF-8 bytes.
    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page

    /// All of the writes or none of them: `.conditionFailed` when any condition does not hold.
    /// At most `StoreLimits.writesPerTransactionMax` writes, each to another key.
    ///
    /// `.unavailable` can mean that the writes were made and the answer was lost.
    func write(_ writes: [Write]) throws(StoreFailure)

    /// Adds to the integer attribute `count` of an item, creating it with `expiresAt` when it is
    /// absent, and returns the sum. An existing item keeps its expiry.
    func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant) throws(StoreFailure)
        -> Int64
}

extension KeyValueStore {
    package func get(_ key: ItemKey) throws(StoreFailure) -> Item? { try get([key])[0] }
}

package enum StoreLimits {
    package static let keysPerReadMax = 100
    package static let writesPerTransactionMax = 100
    package static let itemsPerPageMax = 1000
    package static let itemBytesMax = 400 << 10
    package static let partitionBytesMax = 2048
    package static let sortBytesMax = 1024
}

/// Compared by UTF-8 bytes, as DynamoDB does: `==` on `String` would unify other spellings.
package struct ItemKey: Hashable, Sendable {
    package let partition: String
    package let sort: String

    package init(_ partition: String, _ sort: String) {
        self.partition = partition
        self.sort = sort
    }

    package static func == (left: ItemKey, right: ItemKey) -> Bool {
        left.partition.utf8.elementsEqual(right.partition.utf8)
            && left.sort.utf8.elementsEqual(right.sort.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in partition.utf8 { hasher.combine(byte) }
        hasher.combine(0 as UInt8)
        for byte in sort.utf8 { hasher.combine(byte) }
    }
}

package enum Attribute: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
    case flag(Bool)
}

package struct Item: Equatable, Sendable {
    package let key: ItemKey
    /// Names match `[A-Za-z][A-Za-z0-9]*`.
    package var attributes: [String: Attribute]
    /// From this instant on (inclusive) the item does not exist.
    package var expiresAt: Instant?

    package init(_ key: ItemKey, _ attributes: [String: Attribute], expiresAt: Instant? = nil) {
        self.key = key
        self.attributes = attributes
        self.expiresAt = expiresAt
    }
}

package enum Condition: Equatable, Sendable {
    case absent
    case present
    case equals(String, Attribute)
    /// The item exists, without that attribute.
    case lacks(String)
}

/// One part of a transaction. The conditions of a part must all hold.
package enum Write: Equatable, Sendable {
    /// Replaces the whole item.
    case put(Item, when: [Condition])
    /// Deleting what is absent succeeds.
    case delete(ItemKey, when: [Condition])
    case check(ItemKey, when: [Condition])

    package var key: ItemKey {
        switch self {
        case .put(let item, _): item.key
        case .delete(let key, _), .check(let key, _): key
        }
    }

    package var conditions: [Condition] {
        switch self {
        case .put(_, let conditions), .delete(_, let conditions), .check(_, let conditions):
            conditions
        }
    }
}

package struct PartitionQuery: Equatable, Sendable {
    package var partition: String
    package var prefix: String
    package var limit: Int
    /// Continues after this sort key, the `next` of the page before.
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
