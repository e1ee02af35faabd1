internal import Bytes
package import Time

/// Keys are compared by UTF-8 bytes, as in DynamoDB: `==` on `String` is canonical equivalence.
package struct ItemKey: Hashable, Sendable {
    package let partition: String
    package let sort: String

    package init(_ partition: String, _ sort: String) {
        self.partition = partition
        self.sort = sort
    }

    package static func == (left: ItemKey, right: ItemKey) -> Bool {
        left.partition.isSame(as: right.partition) && left.sort.isSame(as: right.sort)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in partition.utf8 { hasher.combine(byte) }
        // A separator: UTF-8 text never contains this byte.
        hasher.combine(0xFF as UInt8)
        for byte in sort.utf8 { hasher.combine(byte) }
    }
}

/// Values are equal if type and bytes are equal: a condition must not hold for a canonically
/// equivalent text.
package enum Attribute: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
    case flag(Bool)

    package static func == (left: Attribute, right: Attribute) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.flag(let left), .flag(let right)): left == right
        case (.text, _), (.integer, _), (.bytes, _), (.flag, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text):
            hasher.combine(0)
            for byte in text.utf8 { hasher.combine(byte) }
        case .integer(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .bytes(let bytes):
            hasher.combine(2)
            hasher.combine(bytes)
        case .flag(let flag):
            hasher.combine(3)
            hasher.combine(flag)
        }
    }
}

package struct Item: Equatable, Sendable {
    package let key: ItemKey
    /// Names match `[A-Za-z][A-Za-z0-9]*`.
    package var attributes: Attributes
    /// From this instant on (inclusive) the item counts as absent.
    package var expiresAt: Instant?

    package init(_ key: ItemKey, _ attributes: Attributes, expiresAt: Instant? = nil) {
        self.key = key
        self.attributes = attributes
        self.expiresAt = expiresAt
    }
}

extension Item {
    /// The attribute that `CounterIncrement` adds to.
    package static let counterName = "count"

    package func exists(at now: Instant) -> Bool {
        guard let expiresAt else { return true }
        return now < expiresAt
    }
}

extension CounterIncrement {
    /// The item after the addition to `existing` (nil if absent or expired), and the sum. For
    /// backends that read and write in one transaction.
    package func added(to existing: Item?) throws(StoreFailure) -> (item: Item, sum: Int64) {
        var item = existing ?? Item(key, [:], expiresAt: expiresAt)
        let before: Int64
        switch item.attributes[Item.counterName] {
        case nil: before = 0
        case .integer(let value): before = value
        case .text, .bytes, .flag: throw .notACounter
        }
        let (sum, overflows) = before.addingReportingOverflow(amount)
        guard !overflows else { throw .counterOverflow }
        item.attributes[Item.counterName] = .integer(sum)
        try StoreLimits.check(item)
        return (item, sum)
    }
}

extension StoreFailure {
    package static let notACounter = StoreFailure.unreadable(
        detail: "the attribute \(Item.counterName) of the item is not an integer")
    package static let counterOverflow = StoreFailure.refused(
        detail: "the sum of the counter does not fit into 64 bits")
}
