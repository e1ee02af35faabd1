internal import Bytes
package import KeyValueStore
internal import PostgreSQL
internal import Time

extension PostgreSQLStore {
    /// Items after a key, in the order of their keys, for tools.
    package func scan(after key: ItemKey?, limit: Int) throws(StoreFailure)
        -> (items: [Item], next: ItemKey?)
    {
        let now = clock.now()
        var sql = StatementText(
            "SELECT partition, sort, expires, count, attributes FROM \(table) WHERE ")
        // No partition is empty.
        let start = key.map(StoredKey.init) ?? StoredKey(partition: [], sort: [])
        sql += "(partition, sort) > \(sql.row(start.values))"
        // Not the tokens of transactions and the version; but what is stored under a hash.
        sql += " AND (partition < \(sql.value(.bytes(WriteTransaction.tokenPartition)))"
        sql += " OR partition > \(sql.value(.bytes(StoredRow.version.partition))))"
        sql += " AND (expires IS NULL OR expires > \(sql.value(.integer(now.milliseconds))))"
        sql += " ORDER BY partition, sort LIMIT \(sql.value(.integer(Int64(limit))))"
        let statement = sql.statement
        let rows = try run(repeatsIfLost: true) { _ in [statement] }
        guard let found = rows.last else { throw failures.unreadable }
        var items: [Item] = []
        for row in 0..<found.count {
            items.append(try scanned(found, row))
        }
        return (items, items.count < limit ? nil : items.last?.key)
    }

    private func scanned(_ rows: PostgreSQLRows, _ row: Int) throws(StoreFailure) -> Item {
        let (first, second) = try reading { () throws(PostgreSQLError) in
            (try rows.bytes(row, 0), try rows.bytes(row, 1))
        }
        guard let partition = String(checkingUTF8: first.span),
            let sort = String(checkingUTF8: second.span)
        else {
            throw failures.invalid(
                "a partition key of more than 1,024 bytes is stored as its hash and cannot be read")
        }
        return try item(ItemKey(partition, sort), rows, row, from: 2)
    }
}
