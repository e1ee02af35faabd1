internal import SQLite

/// Where the tables are stored.
package enum StorageLocation: Sendable {
    case memory
    case file(String)
}

/// One ordered map from bytes to bytes, which holds everything: items, index rows, the catalogue of
/// tables, transaction tokens. Not thread-safe.
final class EntryStore {
    private let database: SQLiteDatabase
    private let begin, commit, rollback, select, upsert, delete, deleteRange: SQLiteStatement
    private let ascending, descending, measure: SQLiteStatement

    init(_ location: StorageLocation) throws(DynamoDBError) {
        do throws(SQLiteError) {
            let database = try Self.open(location)
            self.database = database
            func prepare(_ sql: StaticString) throws(SQLiteError) -> SQLiteStatement {
                try SQLiteStatement(sql, on: database)
            }
            begin = try prepare("BEGIN IMMEDIATE")
            commit = try prepare("COMMIT")
            rollback = try prepare("ROLLBACK")
            select = try prepare("SELECT value FROM entries WHERE key = ?1")
            upsert = try prepare(
                """
                INSERT INTO entries (key, value) VALUES (?1, ?2)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """)
            delete = try prepare("DELETE FROM entries WHERE key = ?1")
            deleteRange = try prepare("DELETE FROM entries WHERE key >= ?1 AND key < ?2")
            ascending = try prepare(
                "SELECT key, value FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key")
            descending = try prepare(
                "SELECT key, value FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key DESC")
            measure = try prepare(
                """
                SELECT count(*), coalesce(sum(length(value)), 0)
                FROM entries WHERE key >= ?1 AND key < ?2
                """)
        } catch {
            throw Self.refusal(error)
        }
    }

    private static func open(_ location: StorageLocation) throws(SQLiteError) -> SQLiteDatabase {
        let database: SQLiteDatabase
        switch location {
        case .memory: database = try .inMemory()
        case .file(let path):
            database = try SQLiteDatabase(file: path)
            try database.setLockWait(milliseconds: 2000)
            // Only one emulator uses the file: no shared memory index and no locking per statement,
            // and a second emulator with the same directory is refused.
            try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            // Creating a new file needs no syncs.
            try database.execute("PRAGMA synchronous = OFF")
            try database.execute("PRAGMA journal_mode = WAL")
            // Written data survives `kill -9`; a power failure can lose the last commits but not
            // corrupt the file.
            try database.execute("PRAGMA synchronous = NORMAL")
            // Checkpoint, and sync, once per 16 MB.
            try database.execute("PRAGMA wal_autocheckpoint = 4000")
        }
        try database.execute("PRAGMA cache_size = -8192")
        // "LKDB", so that file(1) can identify the file.
        try database.execute("PRAGMA application_id = 0x4C4B4442")
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL)
            WITHOUT ROWID
            """)
        return database
    }

    private static func refusal(_ error: SQLiteError) -> DynamoDBError {
        .storage("sqlite: \(error.text) (code \(error.code))")
    }

    func value(_ key: [UInt8]) throws(DynamoDBError) -> [UInt8]? {
        var value: [UInt8]?
        try run(select, [key]) { row throws(SQLiteError) in
            value = try row.blob(0)
            return false
        }
        return value
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws(DynamoDBError) {
        try run(upsert, [key, value])
    }

    func delete(_ key: [UInt8]) throws(DynamoDBError) { try run(delete, [key]) }

    func delete(_ range: KeyRange) throws(DynamoDBError) {
        try run(deleteRange, [range.lower, range.upper])
    }

    /// Passes the entries to `body`, in order, until it returns false.
    func read(
        _ range: KeyRange, isAscending: Bool = true,
        _ body: (_ key: [UInt8], _ value: [UInt8]) -> Bool
    ) throws(DynamoDBError) {
        guard range.lower.lexicographicallyPrecedes(range.upper) else { return }
        try run(isAscending ? ascending : descending, [range.lower, range.upper]) {
            row throws(SQLiteError) in
            body(try row.blob(0), try row.blob(1))
        }
    }

    /// The number of entries and the total size of their values.
    func measure(_ range: KeyRange) throws(DynamoDBError) -> (count: Int, bytes: Int) {
        var result = (count: 0, bytes: 0)
        try run(measure, [range.lower, range.upper]) { row throws(SQLiteError) in
            result = (Int(try row.integer(0)), Int(try row.integer(1)))
            return false
        }
        return result
    }

    /// Makes all writes of `body` or none.
    func transaction<Result>(_ body: () throws(DynamoDBError) -> Result) throws(DynamoDBError)
        -> Result
    {
        try run(begin)
        do throws(DynamoDBError) {
            let result = try body()
            try run(commit)
            return result
        } catch {
            // SQLite itself rolls back after some errors.
            if database.isInTransaction { try run(rollback) }
            throw error
        }
    }

    private func run(
        _ statement: SQLiteStatement, _ values: [[UInt8]] = [],
        _ read: (SQLiteStatement) throws(SQLiteError) -> Bool = { _ in true }
    ) throws(DynamoDBError) {
        defer { statement.reset() }
        do throws(SQLiteError) {
            for (index, value) in values.enumerated() {
                try statement.bind(value, at: Int32(index + 1))
            }
            while try statement.step() {
                guard try read(statement) else { return }
            }
        } catch {
            throw Self.refusal(error)
        }
    }
}
