internal import Bytes
package import KeyValueStore
internal import PostgreSQL
internal import Time

// Transactions of many round trips, for tools: they keep one connection, even behind a pooler.
extension PostgreSQLStore {
    private static let connectMillisecondsMax: Int64 = 10_000
    /// The time for one round trip. It is long, because a commit of many items may wait for the
    /// disk.
    private static let stepMillisecondsMax: Int64 = 600_000

    /// All items as they were at one moment, in the order of their keys.
    package func snapshot(
        itemsPerPage limit: Int, _ take: ([Item]) -> Bool
    ) throws(StoreFailure) {
        let now = clock.now()
        try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
            step throws(StoreFailure) in
            _ = try step([checkingVersion])
            var key: ItemKey?
            repeat {
                let items = try scanned(try step([scanning(after: key, limit: limit, at: now)]))
                key = items.count < limit ? nil : items.last?.key
                guard take(items) else { return false }
            } while key != nil
            return true
        }
    }

    package enum Filling: Equatable, Sendable {
        case filled, ended
        /// Nothing was written, because the table has items that may not be replaced.
        case notEmpty
    }

    /// Fills the table in one transaction: with all items or none. Nobody else can write in the
    /// meantime.
    ///
    /// - Parameters:
    ///   - replacing: whether items that exist are deleted.
    ///   - next: returns some items, an empty list at the end, or nil to give up.
    package func fill(
        replacing: Bool, _ next: () -> [Item]?
    ) throws(StoreFailure) -> Filling {
        let now = clock.now()
        var outcome = Filling.ended
        try transaction("BEGIN ISOLATION LEVEL READ COMMITTED") { step throws(StoreFailure) in
            let waiting = PostgreSQLStatement("SELECT set_config('lock_timeout', '5s', true)")
            let lock = PostgreSQLStatement("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
            _ = try step([waiting, lock, checkingVersion])
            if !replacing {
                let found = try scanned(try step([scanning(after: nil, limit: 1, at: now)]))
                guard found.isEmpty else {
                    outcome = .notEmpty
                    return false
                }
            }
            var deletion = StatementText("DELETE FROM \(table) WHERE (partition, sort) <> ")
            deletion += deletion.row(StoredRow.version.values)
            _ = try step([deletion.statement])
            while let items = next() {
                guard !items.isEmpty else {
                    outcome = .filled
                    return true
                }
                _ = try step([inserting(items)])
            }
            return false
        }
        return outcome
    }

    private func inserting(_ items: [Item]) -> PostgreSQLStatement {
        var sql = StatementText(
            "INSERT INTO \(table) (partition, sort, expires, count, attributes) VALUES ")
        let rows = items.map { item in
            sql.row(
                StoredKey(item.key).values + [
                    .integer(item.expiresAt?.milliseconds), .integer(StoredRow.count(of: item)),
                    .byteArrays(StoredRow.attributes(of: item)),
                ])
        }
        sql += rows.joined(separator: ", ")
        return sql.statement
    }

    private typealias Step = ([PostgreSQLStatement]) throws(StoreFailure) -> [PostgreSQLRows]

    /// Commits if `body` returns true, otherwise nothing has changed.
    private func transaction(
        _ begin: String, _ body: (Step) throws(StoreFailure) -> Bool
    ) throws(StoreFailure) {
        var failure: StoreFailure?
        do throws(PostgreSQLError) {
            try pool.withConnection(until: .after(milliseconds: Self.connectMillisecondsMax)) {
                connection throws(PostgreSQLError) in
                func send(_ statements: [PostgreSQLStatement]) throws(PostgreSQLError)
                    -> [PostgreSQLRows]
                {
                    try connection.run(
                        statements, until: .after(milliseconds: Self.stepMillisecondsMax))
                }
                _ = try send([PostgreSQLStatement(begin)])
                var isDone = false
                do throws(StoreFailure) {
                    isDone = try body { statements throws(StoreFailure) in
                        do throws(PostgreSQLError) {
                            return try send(statements)
                        } catch {
                            throw failures.failure(error)
                        }
                    }
                } catch {
                    failure = error
                }
                _ = try send([PostgreSQLStatement(isDone ? "COMMIT" : "ROLLBACK")])
            }
        } catch {
            throw failure ?? failures.failure(error)
        }
        if let failure { throw failure }
    }
}
