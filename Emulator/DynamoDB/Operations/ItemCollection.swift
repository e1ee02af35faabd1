internal import Bytes
internal import JSON

/// The items of a partition in a table with local indexes. The service limits their total size.
enum ItemCollection {
    /// Nil for a table without local indexes. The size is an estimate with a lower and an upper
    /// bound, in gigabytes.
    static func metrics(_ item: AttributeMap, _ table: TableDefinition) -> JSON? {
        guard table.indexes.contains(where: \.isLocal) else { return nil }
        let key = item.filter { $0.isSame(as: table.schema.hash.name) }
        return [
            "ItemCollectionKey": key.json,
            "SizeEstimateRangeGB": .array([.number(0), .number(1)]),
        ]
    }
}
