internal import CSQLite
internal import Glibc

/// An open database. Not safe for several threads: one that is shared is held under a lock.
package final class SQLiteDatabase {
    let handle: OpaquePointer
    /// SQLite holds a pointer to it.
    private var lockWait: LockWait?

    /// Opens a file and creates it when it is missing, for its owner alone.
    package init(file path: String) throws(SQLiteError) {
        // So that no name is special to SQLite, as ":memory:" and "file:…" are.
        let file = path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        // What is kept here may be password hashes, and SQLite models the log and the index on
        // the file's mode. `mknod` and not `open`, because closing a descriptor of the file would
        // drop this process's locks on it; and not left to SQLite, which opens for reading only
        // when another process creates the file between its two attempts. What `mknod` cannot do,
        // opening reports better.
        mknod(file, S_IFREG | 0o600, 0)
        handle = try Self.open(file)
    }

    /// A database that is gone with its owner.
    package static func inMemory() throws(SQLiteError) -> SQLiteDatabase {
        SQLiteDatabase(handle: try open(":memory:"))
    }

    private init(handle: OpaquePointer) { self.handle = handle }

    // `v2`, because statements may be finalised after it. The last connection to close moves the
    // log into the database; a process that is killed leaves that to the next one.
    deinit {
        // A statement that is finalised later keeps the connection, but not `lockWait`.
        sqlite3_busy_handler(handle, nil, nil)
        sqlite3_close_v2(handle)
    }

    private static func open(_ name: String) throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            name, &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: code)
        }
        return handle
    }

    /// How long a statement waits for the locks of others.
    package func setLockWait(milliseconds: Int) throws(SQLiteError) {
        try SQLiteError.check(sqlite3_busy_timeout(handle, Int32(clamping: milliseconds)))
    }

    /// How a statement waits for the locks of others.
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

    /// Runs a statement once, for its effect.
    package func execute(_ sql: StaticString) throws(SQLiteError) {
        let statement = try SQLiteStatement(sql, on: self)
        while try statement.step() {}
    }
}
