internal import KeyValueStore
internal import SQLite

/// One connection to the file with its prepared statements. Not thread-safe: one thread at a time
/// has it from the `ConnectionPool`.
final class Connection: @unchecked Sendable {
    let failures: SQLiteFailure
    private let database: SQLiteDatabase
    private let lockWait: LockWait
    /// The prepared statements, by the raw value of their `SQL`.
    private var prepared = [Statement?](repeating: nil, count: SQL.allCases.count)
    /// Whether `COMMIT` leaves the sync to the store.
    private var leavesSync = false
    /// See `SQLiteStore.sweep`.
    var writesSinceSweep = 0
    var hasSwept = false

    /// Connections beside the first keep at most 512 KiB of pages instead of SQLite's 2 MB, so that
    /// the memory of a server does not depend on how many calls it ever had at the same time.
    private static let furtherCache: StaticString = "PRAGMA cache_size = -512"

    init(path: String, lockWaitMillisecondsMax: Int, isFirst: Bool) throws(StoreFailure) {
        failures = SQLiteFailure(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failures.refused("is not the path of a file")
        }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(file: path)
            lockWait = LockWait(
                besideDatabase: path, millisecondsMax: lockWaitMillisecondsMax)
            try database.setLockWait(lockWait)
            database.leaveCheckpoints()
        } catch {
            throw failures.failure(error)
        }
        try Schema.prepare(self)
        if !isFirst { try unprepared(Self.furtherCache).run() }
    }

    func statement(_ sql: SQL) throws(StoreFailure) -> Statement {
        if let statement = prepared[sql.rawValue] { return statement }
        let statement = try unprepared(sql.text)
        prepared[sql.rawValue] = statement
        return statement
    }

    /// A statement that is used once.
    func unprepared(_ sql: StaticString) throws(StoreFailure) -> Statement {
        try Statement(sql, on: database, failures: failures)
    }

    enum Transaction {
        /// The transaction takes no lock that blocks a writer, and does not wait for a lock.
        case reading
        /// The transaction holds the write lock. Its commit survives a power failure once the log
        /// is synced.
        case writing
        /// Like `writing`, but fails at once if another connection holds the write lock.
        case sweeping
    }

    /// Runs `body` in a transaction. `BEGIN IMMEDIATE` waits for the lock before anything is read,
    /// so that what `body` reads is current and the commit cannot fail with SQLITE_BUSY_SNAPSHOT.
    func transaction<Result>(
        _ kind: Transaction, _ body: () throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let writes = kind != .reading
        if writes {
            try leaveSync()
            lockWait.willLock()
            lockWait.isOff = kind == .sweeping
        }
        defer { lockWait.isOff = false }
        try statement(writes ? .begin : .beginReading).run()
        defer { if writes { lockWait.didUnlock() } }
        do throws(StoreFailure) {
            let result = try body()
            try statement(.commit).run()
            return result
        } catch {
            // Some errors have rolled back already.
            if isInTransaction { try statement(.rollback).run() }
            throw error
        }
    }

    /// Whether a transaction has begun and not ended. Some errors end it.
    var isInTransaction: Bool { database.isInTransaction }

    /// Runs a part of a transaction. If it fails, only its own writes are undone.
    func undoing(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        try statement(.savepoint).run()
        do throws(StoreFailure) {
            try body()
        } catch {
            if isInTransaction {
                try statement(.rollbackToSavepoint).run()
                try statement(.releaseSavepoint).run()
            }
            throw error
        }
        try statement(.releaseSavepoint).run()
    }

    /// See `LogFile`. The pragma takes effect when it is prepared, so its statement cannot be
    /// cached.
    private func leaveSync() throws(StoreFailure) {
        guard !leavesSync else { return }
        try unprepared("PRAGMA synchronous = NORMAL").run()
        leavesSync = true
    }

    /// The path of the write-ahead log, as SQLite opens it: it follows symbolic links.
    var logPath: String { database.logPath }

    /// The pages of the log after the last commit.
    var logPages: Int { database.logPages }

    /// Copies as much as possible from the log to the file, without waiting for other connections.
    func checkpoint() { database.checkpoint() }
}
