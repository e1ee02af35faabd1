internal import Bytes

/// The table or index that is read.
struct ReadTarget {
    let table: TableDefinition
    let index: IndexDefinition?

    var space: Keyspace { index?.space ?? table.space }
    var schema: KeySchema { index?.schema ?? table.schema }

    init(_ read: RangeRead, in tables: Tables) throws(DynamoDBError) {
        table = try tables.table(read.tableName)
        guard let name = read.indexName else {
            index = nil
            return
        }
        guard let index = table.index(name) else {
            throw .validation("The table does not have the specified index: \(name)")
        }
        self.index = index
        guard !index.isLocal else { return }
        let missing = (read.projection?.paths.map(\.root) ?? [])
            .filter { !index.projects($0, of: table) }
        guard missing.isEmpty else {
            throw .invalidParameters(
                "Global secondary index \(name) does not project "
                    + "[\(missing.joined(separator: ", "))]")
        }
        if read.isConsistent {
            throw .validation("Consistent reads are not supported on global secondary indexes")
        }
        if read.select == .all, index.projected != .all {
            throw .invalidParameters(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index "
                    + "\(name) because its projection type is not ALL")
        }
    }

    /// Whether the read needs attributes that the index does not have. For a local index, they are
    /// fetched from the table.
    func fetchesItems(for read: RangeRead) -> Bool {
        guard let index, index.isLocal, index.projected != .all else { return false }
        if read.select == .all { return true }
        let wanted = (read.projection?.paths.map(\.root) ?? []) + (read.filter?.roots ?? [])
        return !wanted.allSatisfy { index.projects($0, of: table) }
    }

    /// The item of the table to which a row of the index refers.
    func item(of row: AttributeMap, in tables: Tables) throws(DynamoDBError) -> AttributeMap? {
        guard let key = table.schema.row(of: row) else { return nil }
        return try tables.item(DynamoDBItemKey(bytes: key), in: table)
    }

    /// The attributes that determine an item's position in the range.
    var keyAttributes: [KeyAttribute] {
        guard let index else { return table.schema.attributes }
        return index.schema.attributes
            + table.schema.attributes.filter { !index.schema.contains($0.name) }
    }

    func position(of item: AttributeMap) -> AttributeMap {
        let names = keyAttributes.map(\.name)
        return item.filter { name in names.contains { $0.isSame(as: name) } }
    }

    /// The row of an exclusive start key, which must have exactly the key's attributes with the
    /// right types.
    func row(ofStart key: AttributeMap) throws(DynamoDBError) -> [UInt8] {
        let attributes = keyAttributes
        guard key.count == attributes.count, attributes.allSatisfy({ key[$0.name] != nil }) else {
            throw Self.invalidStart
        }
        guard attributes.allSatisfy({ key[$0.name]?.kind == $0.kind }),
            let place = table.schema.row(of: key)
        else {
            throw .validation(
                "The provided starting key is invalid: "
                    + "The provided key element does not match the schema")
        }
        guard let index else { return space.key(place) }
        guard let row = index.schema.row(of: key) else { throw Self.invalidStart }
        return space.key(row + place)
    }

    static let invalidStart = DynamoDBError.validation("The provided starting key is invalid")
}
