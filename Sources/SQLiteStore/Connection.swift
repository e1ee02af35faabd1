internal import CSQLite
internal import Glibc
internal import KeyValueStore

/// One connection to the file, and the statements prepared on it. Not safe for several threads:
/// `SQLiteStore` holds it under a lock.
final class Connection {
    let failures: SQLiteFailure
    private let database: Database
    private var prepared: [SQL: Statement] = [:]
    private var isReadyToWrite = false

    init(path: String, lockWaitMillisecondsMax: Int) throws(StoreFailure) {
        failures = SQLiteFailure(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax)
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw failures.invalid("is not the path of a file")
        }
        // So that no name is special to SQLite, as ":memory:" and "file:…" are.
        let file = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        database = try Database(file, failures: failures)
        try failures.check(
            sqlite3_busy_timeout(database.handle, Int32(clamping: lockWaitMillisecondsMax)))
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
        try Statement(sql, on: database.handle, failures: failures)
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
            if sqlite3_get_autocommit(database.handle) == 0 { try statement(.rollback).run() }
            throw error
        }
    }
}

/// The open file. Its own type because a class that fails in `init` runs no `deinit`.
private final class Database {
    let handle: OpaquePointer

    init(_ path: String, failures: SQLiteFailure) throws(StoreFailure) {
        // The file holds password hashes, so it is its owner's alone, and so are the log and the
        // index that SQLite models on it. `mknod` and not `open`, because closing a descriptor of
        // the file would drop this process's locks on it; and not left to SQLite, which opens for
        // reading only when another process creates the file between its two attempts. What
        // `mknod` cannot do, opening reports better.
        mknod(path, S_IFREG | 0o600, 0)
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw failures.failure(code)
        }
        self.handle = handle
    }

    // `v2`, because statements may be finalised after it. The last connection to close moves the
    // log into the database; a process that is killed leaves that to the next one.
    deinit { sqlite3_close_v2(handle) }
}
