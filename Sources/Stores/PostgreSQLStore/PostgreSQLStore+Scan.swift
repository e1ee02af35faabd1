internal import Bytes
package import KeyValueStore
internal import PostgreSQL
internal import Time

extension PostgreSQLStore {
    /// Items after a key, in the order of their keys, for tools.
    package func scan(after key: ItemKey?, limit: Int) throws(StoreFailure)
        -> (items: [Item], next: ItemKey?)
    {
        let statement = scanning(after: key, limit: limit, at: clock.now())
        let rows = try run(repeatsIfLost: true, [statement])
        let items = try scanned(rows)
        return (items, items.count < limit ? nil : items.last?.key)
    }

    func scanning(after key: ItemKey?, limit: Int, at now: Instant) -> PostgreSQLStatement {
        var sql = StatementText(
            "SELECT partition, sort, expires, count, attributes FROM \(table) WHERE ")
        // The name of a partition is never empty, so an empty name comes before all partitions.
        let start = key.map(StoredKey.init) ?? StoredKey(partition: [], sort: [])
        sql += "(partition, sort) > \(sql.row(start.values))"
        // Excludes transaction tokens and the version, but not partitions stored under a hash.
        sql += " AND (partition < \(sql.value(.bytes(WriteTransaction.tokenPartition)))"
        sql += " OR partition > \(sql.value(.bytes(StoredRow.version.partition))))"
        sql += " AND (expires IS NULL OR expires > \(sql.value(.integer(now.milliseconds))))"
        sql += " ORDER BY partition, sort LIMIT \(sql.value(.integer(Int64(limit))))"
        return sql.statement
    }

    func scanned(_ rows: [PostgreSQLRows]) throws(StoreFailure) -> [Item] {
        guard let found = rows.last else { throw failures.unreadable }
        var items: [Item] = []
        for row in 0..<found.count { items.append(try scanned(found, row)) }
        return items
    }

    /// One search of the index for each partition, however many items it has.
    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        var end = Array(prefix.utf8)
        end.append((end.popLast() ?? 0xFE) + 1)
        var sql = StatementText()
        // The name of a partition is never empty, so an empty name comes before all partitions.
        let last = after.map { StoredKey.partition($0.partition) } ?? []
        let start = "partition >= \(sql.value(.bytes(Array(prefix.utf8))))"
        let rest = "partition < \(sql.value(.bytes(end))) ORDER BY partition LIMIT 1"
        sql += "WITH RECURSIVE found(name) AS ((SELECT partition FROM \(table) WHERE "
        sql += "partition > \(sql.value(.bytes(last))) AND \(start) AND \(rest)) UNION ALL "
        sql += "SELECT (SELECT partition FROM \(table) WHERE partition > found.name AND \(rest)) "
        sql += "FROM found WHERE found.name IS NOT NULL) SELECT name, (SELECT sort FROM \(table) "
        sql += "WHERE partition = name ORDER BY sort LIMIT 1) FROM found WHERE name IS NOT NULL "
        sql += "LIMIT \(sql.value(.integer(Int64(StoreLimits.partitionsPerPageMax))))"
        let statements = [PostgreSQLStatement(Self.byKey), sql.statement]
        let rows = try run(repeatsIfLost: true, statements)
        guard let found = rows.last else { throw failures.unreadable }
        var keys: [ItemKey] = []
        for row in 0..<found.count { keys.append(try key(found, row)) }
        return PartitionPage(
            keys: keys, next: keys.count < StoreLimits.partitionsPerPageMax ? nil : keys.last)
    }

    private func scanned(_ rows: PostgreSQLRows, _ row: Int) throws(StoreFailure) -> Item {
        try item(try key(rows, row), rows, row, from: 2)
    }

    private func key(_ rows: PostgreSQLRows, _ row: Int) throws(StoreFailure) -> ItemKey {
        let (first, second) = try reading { () throws(PostgreSQLError) in
            (try rows.bytes(row, 0), try rows.bytes(row, 1))
        }
        guard let partition = String(checkingUTF8: first.span),
            let sort = String(checkingUTF8: second.span)
        else {
            throw failures.unreadable(
                "a partition key of more than 1,024 bytes is stored as its hash and cannot be read")
        }
        return ItemKey(partition, sort)
    }
}
