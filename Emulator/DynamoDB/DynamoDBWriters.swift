package import JSON

/// An item that a request wrote last.
package struct WrittenItem: Sendable {
    package let table: String
    /// The key in DynamoDB's JSON.
    package let key: JSON
    package let origin: WriteOrigin
}

// The request that wrote an item last.
extension DynamoDBService {
    private static let writtenMax = 200

    /// The last writer of each item, in DynamoDB's JSON; nil if it is not known.
    package func writers(of items: [JSON], in table: String) -> [WriteOrigin?] {
        let maps = items.map { try? WireReader.map($0) }
        let writers = try? withTables { tables throws(DynamoDBError) in
            let table = try tables.table(table)
            return maps.map { item in
                item.flatMap { table.schema.row(of: $0) }
                    .flatMap { tables.writers[table.space.key($0)] }
            }
        }
        return writers ?? items.map { _ in nil }
    }

    /// The existing items that no other request has written since, in the order of the requests.
    package func items(writtenIn trace: UInt128) -> [WrittenItem] {
        let items = try? withTables { tables throws(DynamoDBError) in
            let written = tables.writers.rows(of: trace).sorted { left, right in
                left.origin.startNanoseconds != right.origin.startNanoseconds
                    ? left.origin.startNanoseconds < right.origin.startNanoseconds
                    : left.row.lexicographicallyPrecedes(right.row)
            }
            var items: [WrittenItem] = []
            for (row, origin) in written.prefix(Self.writtenMax) {
                if let item = try tables.writtenItem(row, origin) { items.append(item) }
            }
            return items
        }
        return items ?? []
    }
}

extension Tables {
    fileprivate func writtenItem(
        _ row: [UInt8], _ origin: WriteOrigin
    ) throws(DynamoDBError) -> WrittenItem? {
        guard let table = definitions.values.first(where: { row.starts(with: $0.space.prefix) }),
            let bytes = try store.value(row)
        else { return nil }
        let key = table.schema.key(of: try Self.decode(bytes))
        return WrittenItem(table: table.name, key: key.json, origin: origin)
    }
}
