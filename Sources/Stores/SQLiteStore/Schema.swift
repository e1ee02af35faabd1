internal import Glibc
internal import KeyValueStore

/// The tables, created by the first process that needs them.
enum Schema {
    /// The version in `user_version`. Increase it for a change of the tables or of `ItemCodec` that
    /// older code cannot read.
    private static let version: Int64 = 2

    // There is no index of the expiry for the sweep: three of the four pages that a refresh wrote
    // belonged to that index, because the keys of a user's rows are close together, but their
    // expiries are not.
    private static let creation: [StaticString] = [
        """
        CREATE TABLE items (
            partition BLOB NOT NULL, sort BLOB NOT NULL, expires INTEGER, attributes BLOB NOT NULL,
            PRIMARY KEY (partition, sort)) WITHOUT ROWID
        """,
        // "LKEY", so that file(1) can identify the database.
        "PRAGMA application_id = 0x4C4B4559",
    ]

    private static let changesAfterVersion1: [StaticString] = [
        "DROP INDEX IF EXISTS items_by_expiry",
        // One row with the key that the sweep has reached.
        "CREATE TABLE sweep (partition BLOB NOT NULL, sort BLOB NOT NULL)",
        "INSERT INTO sweep VALUES (x'', x'')",
        "PRAGMA user_version = 2",
    ]

    /// This costs a single read if the schema exists, which is the usual case in a cold function.
    static func prepare(_ connection: Connection) throws(StoreFailure) {
        if try connection.integer("PRAGMA user_version") == version { return }
        // A file of another application is refused before anything in it is changed.
        let isReady = try connection.transaction(.reading) { () throws(StoreFailure) in
            try missing(connection).isEmpty
        }
        if isReady { return }
        try beginLogging(connection)
        try connection.transaction(.writing) { () throws(StoreFailure) in
            // Several processes can get here; the first one creates the schema.
            for statement in try missing(connection) {
                try connection.unprepared(statement).run()
            }
        }
    }

    /// Upgrades the file to this version; throws for a file of another application. Call this in a
    /// transaction, because another process may be creating the schema.
    private static func missing(
        _ connection: Connection
    ) throws(StoreFailure) -> [StaticString] {
        switch try connection.integer("PRAGMA user_version") {
        case version:
            return []
        case 1:
            return changesAfterVersion1
        case 0:
            guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw connection.failures.unreadable("the database is not one of Latchkey's")
            }
            return creation + changesAfterVersion1
        case let other where other > version:
            throw connection.failures.unreadable(
                "has schema version \(other), this program knows \(version): use a newer one")
        case let other:
            throw connection.failures.unreadable("has the unknown schema version \(other)")
        }
    }

    /// Write-ahead logging is a property of the file: readers and the writer then never wait for
    /// each other. Changing the mode needs exclusive access and can fail immediately despite the
    /// busy timeout.
    private static func beginLogging(_ connection: Connection) throws(StoreFailure) {
        let statement = try connection.unprepared("PRAGMA journal_mode = WAL")
        let deadline = monotonicMilliseconds() + connection.failures.lockWaitMillisecondsMax
        while true {
            do throws(StoreFailure) {
                var mode = ""
                try statement.run { row throws(StoreFailure) in mode = try row.text(0) }
                guard mode == "wal" else {
                    throw connection.failures.refused(
                        "its file system does not support a write-ahead log")
                }
                return
            } catch {
                guard case .unavailable = error, monotonicMilliseconds() < deadline else {
                    throw error
                }
                usleep(2000)
            }
        }
    }

    private static func monotonicMilliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

extension Connection {
    fileprivate func integer(_ sql: StaticString) throws(StoreFailure) -> Int64 {
        var value: Int64?
        try unprepared(sql).run { row throws(StoreFailure) in value = try row.integer(0) }
        guard let value else {
            throw failures.unreadable("the schema cannot be read")
        }
        return value
    }
}
