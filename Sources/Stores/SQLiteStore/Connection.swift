internal import KeyValueStore
internal import SQLite

/// One connection to the file, and the statements prepared on it. Not safe for several threads:
/// `SQLiteStore` holds it under a lock.
final class Connection {
    let failures: SQLiteFailure
    private let database: SQLiteDatabase
    private var prepared: [SQL: Statement] = [:]
    private var isReadyToWrite = false

    init(path: String, lockWaitMillisecondsMax: Int) throws(StoreFailure) {
        failures = SQLiteFailure(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failures.invalid("is not the path of a file")
        }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(file: path)
            try database.setLockWait(milliseconds: lockWaitMillisecondsMax)
        } catch {
            throw failures.failure(error)
        }
        try Schema.prepare(self)
    }

    func statement(_ sql: SQL) throws(StoreFailure) -> Statement {
        if let statement = prepared[sql] { return statement }
        let statement = try unprepared(sql.text)
        prepared[sql] = statement
        return statement
    }

    /// A statement for one use.
    func unprepared(_ sql: StaticString) throws(StoreFailure) -> Statement {
        try Statement(sql, on: database, failures: failures)
    }

    /// Runs `body` as the only writer: `BEGIN IMMEDIATE` waits for the lock with nothing read
    /// yet, so that what `body` reads is current and the commit cannot fail for being stale.
    func transaction<Result>(
        _ begin: SQL = .begin, _ body: () throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        if !isReadyToWrite {
            // An acknowledged write survives a power failure: each commit syncs the log. It is
            // SQLite's usual default, but a library can be built with another.
            try unprepared("PRAGMA synchronous = FULL").run()
            isReadyToWrite = true
        }
        try statement(begin).run()
        do throws(StoreFailure) {
            let result = try body()
            try statement(.commit).run()
            return result
        } catch {
            // Some failures have rolled back already; then there is nothing left to undo.
            if database.isInTransaction { try statement(.rollback).run() }
            throw error
        }
    }
}
