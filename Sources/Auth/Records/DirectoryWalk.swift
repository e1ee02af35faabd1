package import KeyValueStore
package import Time

/// The walk of housekeeping through the list of accounts. Once a day, it counts them, and adds
/// missing rows for accounts that are older than an index.
package struct DirectoryWalk: Equatable, Sendable {
    /// The row after which the walk continues; nil at the beginning.
    package var after: String?
    package var count: Int64 = 0
    /// The result of the last complete walk.
    package var total: Int64?
    package var countedAt: Instant?
    /// Whether every account has its rows in the index.
    package var isIndexed = false

    package init() {}

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        after = try read.optionalText("after")
        count = try read.integer("count")
        total = try read.optionalInteger("total")
        countedAt = try read.optionalInteger("countedAt").map { Instant(milliseconds: $0) }
        isIndexed = try read.flag("isIndexed")
    }

    package var item: Item {
        var attributes: Attributes = ["count": .integer(count), "isIndexed": .flag(isIndexed)]
        attributes.set("after", after)
        if let total { attributes["total"] = .integer(total) }
        if let countedAt { attributes["countedAt"] = .integer(countedAt.milliseconds) }
        return Item(StoreLayout.directoryWalk, attributes)
    }
}
