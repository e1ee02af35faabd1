internal import KeyValueStore
internal import SQLite

/// One connection to the file with its prepared statements. Not thread-safe: one thread at a time
/// has it from the `ConnectionPool`.
final class Connection: @unchecked Sendable {
    let failures: SQLiteFailure
    private let database: SQLiteDatabase
    private let lockWait: LockWait
    /// By the raw value of their `SQL`.
    private var prepared = [Statement?](repeating: nil, count: SQL.allCases.count)
    /// Whether commits are synced; nil while SQLite's default applies.
    private var syncsCommits: Bool?
    /// See `SQLiteStore.sweep`. The first write sweeps, because a process may make only one.
    var writesUntilSweep = 1

    init(path: String, lockWaitMillisecondsMax: Int) throws(StoreFailure) {
        failures = SQLiteFailure(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failures.refused("is not the path of a file")
        }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(file: path)
            lockWait = LockWait(
                file: path + "-lock", millisecondsMax: lockWaitMillisecondsMax)
            try database.setLockWait(lockWait)
        } catch {
            throw failures.failure(error)
        }
        try Schema.prepare(self)
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
        /// Takes no lock that blocks a writer, and waits for none.
        case reading
        /// Holds the write lock, and its commit survives a power failure.
        case writing
        /// Holds the write lock. A power failure can undo its commit, and all such commits after
        /// it, until the next commit of a `writing` transaction.
        case counting
        /// As `counting`, but fails at once if another connection holds the write lock.
        case sweeping
    }

    /// Runs `body` in a transaction. `BEGIN IMMEDIATE` waits for the lock before anything is read,
    /// so that what `body` reads is current and the commit cannot fail with SQLITE_BUSY_SNAPSHOT.
    func transaction<Result>(
        _ kind: Transaction, _ body: () throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        switch kind {
        case .reading: break
        case .writing: try setCommitSync(true)
        case .counting, .sweeping: try setCommitSync(false)
        }
        let writes = kind != .reading
        if writes {
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

    /// In WAL mode, `FULL` syncs the log at each commit and `NORMAL` only at checkpoints; both keep
    /// the file consistent. The pragma takes effect when it is prepared, so its statement cannot be
    /// cached.
    private func setCommitSync(_ syncs: Bool) throws(StoreFailure) {
        guard syncs != syncsCommits else { return }
        try unprepared(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL").run()
        syncsCommits = syncs
    }
}
