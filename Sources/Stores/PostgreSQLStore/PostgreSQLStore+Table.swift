package import KeyValueStore
internal import PostgreSQL

extension PostgreSQLStore {
    /// Creates the table and its index if they do not exist. Any number of processes may call it at
    /// the same time. Functions need no permission for it: they only read and write rows.
    package func migrate() throws(StoreFailure) {
        var lock = StatementText("SELECT pg_advisory_xact_lock(")
        lock += "\(lock.value(.integer(Self.migrationLock))))"
        var version = StatementText("INSERT INTO \(table) (partition, sort, count, attributes) ")
        version += "VALUES "
        version += version.row(
            StoredRow.version.values + [
                .integer(StoredRow.schemaVersion), .byteArrays([]),
            ])
        version += " ON CONFLICT (partition, sort) DO NOTHING"
        let statements =
            [lock.statement]
            + [
                // Leaves room on each page for new versions of its rows, so that updates need not
                // change the indexes.
                """
                CREATE TABLE IF NOT EXISTS \(table) (
                    partition bytea NOT NULL, sort bytea NOT NULL, expires bigint, count bigint,
                    attributes bytea[] NOT NULL, PRIMARY KEY (partition, sort)
                ) WITH (fillfactor = 80)
                """,
                // The index is only for the sweep.
                """
                CREATE INDEX IF NOT EXISTS \(table)_by_expiry ON \(table) (expires)
                WHERE expires IS NOT NULL
                """,
            ].map { PostgreSQLStatement($0) } + [version.statement]
        _ = try run(repeatsIfLost: true, checksVersion: false, statements)
        // Refuses a table of a newer version.
        _ = try get(ItemKey("-", "-"))
    }

    /// The number of the lock is "LKEY". It is held to the end of the transaction: `IF NOT EXISTS`
    /// without a lock fails if two processes create a table at the same time.
    private static let migrationLock: Int64 = 0x4C4B_4559
}
