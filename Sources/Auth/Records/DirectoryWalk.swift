package import KeyValueStore
package import Time

/// Housekeeping's way through the list of accounts, which counts them once a day, and gives those
/// that are older than an index their rows.
package struct DirectoryWalk: Equatable, Sendable {
    /// The row after which the walk continues; nil at the beginning.
    package var after: String?
    package var count: Int64 = 0
    /// The result of the last whole way.
    package var total: Int64?
    package var countedAt: Instant?
    /// Whether every account has its rows.
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
