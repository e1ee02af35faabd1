internal import CSQLite
internal import KeyValueStore

/// The one reading of SQLite's result codes. A message names the file and the code, never a
/// statement's values: `sqlite3_errmsg` is not used.
struct SQLiteFailure {
    let path: String
    let lockWaitMillisecondsMax: Int

    /// Throws unless the code is one of success.
    @discardableResult
    func check(_ code: Int32) throws(StoreFailure) -> Int32 {
        switch code {
        case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return code
        default: throw failure(code)
        }
    }

    func failure(_ code: Int32) -> StoreFailure {
        // Extended codes keep their primary code in the lowest byte.
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            .unavailable(
                detail: describe(code, "locked for more than \(lockWaitMillisecondsMax) ms"))
        case SQLITE_FULL:
            .unavailable(detail: describe(code, "the disk is full"))
        case SQLITE_IOERR, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_PROTOCOL:
            .unavailable(detail: describe(code, Self.text(code)))
        case SQLITE_READONLY:
            .invalid(detail: describe(code, "the file or its directory is read-only"))
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            .invalid(
                detail: describe(
                    code, "cannot be opened; does its directory exist and admit writing?"))
        case SQLITE_CORRUPT:
            .invalid(detail: describe(code, "the file is damaged"))
        case SQLITE_NOTADB:
            .invalid(detail: describe(code, "the file is not an SQLite database"))
        default:
            .invalid(detail: describe(code, Self.text(code)))
        }
    }

    func invalid(_ reason: String) -> StoreFailure { .invalid(detail: "sqlite:\(path): \(reason)") }

    private func describe(_ code: Int32, _ reason: String) -> String {
        "sqlite:\(path): \(reason) (code \(code))"
    }

    private static func text(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown failure"
    }
}
