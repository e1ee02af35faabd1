internal import CSQLite
internal import Glibc

/// An open database. Not thread-safe: protect a shared one with a lock.
package final class SQLiteDatabase {
    let handle: OpaquePointer
    /// The object must live as long as the connection, because SQLite holds a pointer to it.
    private var lockWait: LockWait?
    private var logPageCount: UnsafeMutablePointer<Int32>?

    /// Opens a file. A missing file is created with mode 0600.
    package init(file path: String) throws(SQLiteError) {
        // The path gets a prefix, so that SQLite does not interpret names such as ":memory:" and
        // "file:…".
        let file = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        // The file may contain password hashes, and SQLite creates the write-ahead log and the
        // index with the database's mode. `mknod` instead of `open`, because closing a descriptor
        // of the file would drop this process's POSIX locks on it. SQLite does not create the file,
        // because it opens the file read-only if another process creates it between its two
        // attempts. If `mknod` fails, opening reports a better error.
        mknod(file, S_IFREG | 0o600, 0)
        handle = try Self.open(file)
    }

    /// A database that exists only as long as its owner.
    package static func inMemory() throws(SQLiteError) -> SQLiteDatabase {
        SQLiteDatabase(handle: try open(":memory:"))
    }

    private init(handle: OpaquePointer) { self.handle = handle }

    // `sqlite3_close_v2` permits statements to be finalised afterwards. The last connection that
    // closes writes the log into the database. After a kill, a later connection writes it.
    deinit {
        // A statement that is finalised later keeps the connection alive, but not `lockWait`.
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_wal_hook(handle, nil, nil)
        sqlite3_close_v2(handle)
        logPageCount?.deallocate()
    }

    /// The length of the log at which it is written into the database: four times SQLite's default.
    /// A sign-in writes a dozen pages: with 1,000, one in a hundred would wait for a checkpoint.
    package static let checkpointPages = 4_000

    private static func open(_ name: String) throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            name, &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code)
        }
        sqlite3_wal_autocheckpoint(handle, Int32(checkpointPages))
        return handle
    }

    /// Leaves the checkpoints to the caller, and counts the pages of the log for it.
    package func leaveCheckpoints() {
        let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        pages.initialize(to: 0)
        logPageCount = pages
        // Replaces the hook that checkpoints automatically.
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, pages)
    }

    /// The pages of the log after the last commit, since `leaveCheckpoints`.
    package var logPages: Int { Int(logPageCount?.pointee ?? 0) }

    /// Copies as much of the log to the database as is possible without waiting for a lock. If it
    /// fails, the log only becomes longer.
    package func checkpoint() {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// The path of the write-ahead log.
    package var logPath: String {
        sqlite3_filename_wal(sqlite3_db_filename(handle, "main")).map { String(cString: $0) } ?? ""
    }

    /// Sets how long a statement waits for locks of other connections.
    package func setLockWait(milliseconds: Int) throws(SQLiteError) {
        try SQLiteError.check(sqlite3_busy_timeout(handle, Int32(clamping: milliseconds)))
    }

    /// Sets how a statement waits for locks of other connections.
    package func setLockWait(_ wait: LockWait) throws(SQLiteError) {
        try SQLiteError.check(
            sqlite3_busy_handler(
                handle,
                { context, attempts in
                    guard let context else { return 0 }
                    let wait = Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
                    return wait.retries(after: Int(attempts)) ? 1 : 0
                }, Unmanaged.passUnretained(wait).toOpaque()))
        lockWait = wait
    }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a statement once and ignores rows.
    package func execute(_ sql: StaticString) throws(SQLiteError) {
        let statement = try SQLiteStatement(sql, on: self)
        while try statement.step() {}
    }
}
