internal import Bytes
internal import KeyValueStore
internal import PostgreSQL
internal import Time

extension PostgreSQLStore {
    /// One statement that locks the row, so that concurrent additions are made one after the other.
    func adding(
        _ counter: CounterIncrement, to key: StoredKey, at now: Instant
    ) -> PostgreSQLStatement {
        var sql = StatementText(
            "INSERT INTO \(table) AS t (partition, sort, expires, count, attributes) VALUES ")
        sql += sql.row(
            key.values + [
                .integer(counter.expiresAt.milliseconds), .integer(counter.amount),
                .byteArrays([]),
            ])
        let hasExpired = "t.expires <= \(sql.value(.integer(now.milliseconds)))"
        func after(_ expiry: String, else kept: String) -> String {
            "CASE WHEN \(hasExpired) THEN excluded.\(expiry) ELSE \(kept) END"
        }
        sql += " ON CONFLICT (partition, sort) DO UPDATE SET "
        sql += "expires = \(after("expires", else: "t.expires")), "
        sql += "count = \(after("count", else: "coalesce(t.count, 0) + excluded.count")), "
        sql += "attributes = \(after("attributes", else: "t.attributes")) "
        // An attribute of that name that is not an integer is stored in `attributes`.
        let isNumber = WriteTransaction.without(Item.counterName, &sql, of: "t.")
        sql += "WHERE \(hasExpired) OR \(isNumber) RETURNING t.count"
        return sql.statement
    }

    /// One statement for all keys, which returns the index of each key that has an item.
    ///
    /// `OFFSET 0` makes the server look up each key separately.
    func reading(_ keys: [StoredKey], at now: Instant) -> PostgreSQLStatement {
        var sql = StatementText("SELECT k.index, t.* FROM (VALUES ")
        sql += keys.enumerated().map { index, key in
            sql.row([.integer(Int64(index))] + key.values)
        }.joined(separator: ", ")
        sql += ") AS k (index, partition, sort), LATERAL (SELECT expires, count, attributes"
        sql += " FROM \(table) WHERE partition = k.partition AND sort = k.sort"
        sql += " AND (expires IS NULL OR expires > \(sql.value(.integer(now.milliseconds))))"
        sql += " OFFSET 0) AS t"
        return sql.statement
    }

    func listing(_ query: PartitionQuery, at now: Instant) -> PostgreSQLStatement {
        // The smallest key after `after`, and the smallest key beyond the prefix: UTF-8 does not
        // contain the byte 0xFF, so the last byte can always be incremented.
        let lower = query.after.map { Array($0.utf8) + [0] } ?? Array(query.prefix.utf8)
        var upper = Array(query.prefix.utf8)
        upper.append((upper.popLast() ?? 0xFE) + 1)
        var sql = StatementText("SELECT sort, expires, count, attributes FROM \(table) WHERE ")
        sql += "partition = \(sql.value(.bytes(StoredKey.partition(query.partition))))"
        sql += " AND sort >= \(sql.value(.bytes(lower))) AND sort < \(sql.value(.bytes(upper)))"
        sql += " AND (expires IS NULL OR expires > \(sql.value(.integer(now.milliseconds))))"
        // One row more than requested, to learn whether there is a next page.
        sql += " ORDER BY sort LIMIT \(sql.value(.integer(Int64(query.limit + 1))))"
        return sql.statement
    }

    /// - Parameter order: the indices of the counters, in the order of their statements.
    func answer(
        _ rows: [PostgreSQLRows], _ keys: [ItemKey], countingInOrder order: [Int],
        _ query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        // The first result belongs to the settings.
        var rest = rows.dropFirst()
        var sums = [Int64](repeating: 0, count: order.count)
        for index in order {
            guard let counted = rest.popFirst() else { throw failures.unreadable }
            guard counted.count == 1 else { throw .notACounter }
            sums[index] = try reading { () throws(PostgreSQLError) in try counted.integer(0, 0) }
        }
        let items = keys.isEmpty ? [] : try self.items(keys, rest.popFirst())
        guard let query else { return CountedRead(items: items, sums: sums) }
        guard let listed = rest.popFirst() else { throw failures.unreadable }
        return CountedRead(items: items, sums: sums, page: try page(query, listed))
    }

    private func items(_ keys: [ItemKey], _ found: PostgreSQLRows?) throws(StoreFailure) -> [Item?]
    {
        guard let found else { throw failures.unreadable }
        var items = [Item?](repeating: nil, count: keys.count)
        for row in 0..<found.count {
            let index = Int(try reading { () throws(PostgreSQLError) in try found.integer(row, 0) })
            guard items.indices.contains(index) else { throw failures.unreadable }
            items[index] = try item(keys[index], found, row, from: 1)
        }
        return items
    }

    private func page(_ query: PartitionQuery, _ rows: PostgreSQLRows) throws(StoreFailure) -> Page
    {
        var items: [Item] = []
        for row in 0..<min(rows.count, query.limit) {
            let bytes = try reading { () throws(PostgreSQLError) in try rows.bytes(row, 0) }
            // The compiler (6.3.1) crashes on a `try` inside the expression that has the span.
            guard let sort = String(checkingUTF8: bytes.span) else { throw failures.unreadable }
            items.append(try item(ItemKey(query.partition, sort), rows, row, from: 1))
        }
        return Page(items: items, next: rows.count > query.limit ? items.last?.key.sort : nil)
    }

    func item(
        _ key: ItemKey, _ rows: PostgreSQLRows, _ row: Int, from column: Int32
    ) throws(StoreFailure) -> Item {
        let item = try reading { () throws(PostgreSQLError) in
            try StoredRow.item(key, rows, row, from: column)
        }
        guard let item else { throw failures.unreadable }
        return item
    }

    func reading<Value>(_ read: () throws(PostgreSQLError) -> Value) throws(StoreFailure)
        -> Value
    {
        do throws(PostgreSQLError) {
            return try read()
        } catch {
            throw failures.failure(error)
        }
    }
}
