internal import CSQLite

/// An error of SQLite, without the data of any statement: `sqlite3_errmsg` is not used.
package struct SQLiteError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// Another connection held the lock for longer than the wait.
        case locked
        case diskFull
        /// The disk, the memory or the locking protocol failed: a retry may work.
        case interrupted
        case readOnly
        case cannotOpen
        case damaged
        case notADatabase
        /// The type of a stored column is not the requested one.
        case wrongColumnType
        case other
    }

    package let kind: Kind
    /// The extended result code.
    package let code: Int32

    /// A step of I/O. The index is that of the write-ahead log, the file `-shm`.
    package enum Step: Sendable {
        case growingIndex, openingIndex, mappingIndex, reading, writing, locking
    }

    /// The meaning of an extended code of SQLITE_IOERR (https://sqlite.org/rescode.html), because
    /// `text` is the same for all of them.
    package var failedStep: Step? {
        guard code & 0xFF == SQLITE_IOERR else { return nil }
        return switch code >> 8 {
        case 19: .growingIndex
        case 18: .openingIndex
        case 21: .mappingIndex
        case 1, 2, 7: .reading
        case 3, 4, 5, 6: .writing
        case 8, 9, 14, 15, 20: .locking
        default: nil
        }
    }

    /// SQLite's fixed text for the code.
    package var text: String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown failure"
    }

    init(code: Int32) {
        self.code = code
        // The lowest byte of an extended code is the primary code.
        kind =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .locked
            case SQLITE_FULL: .diskFull
            case SQLITE_IOERR, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_PROTOCOL: .interrupted
            case SQLITE_READONLY: .readOnly
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
            case SQLITE_CORRUPT: .damaged
            case SQLITE_NOTADB: .notADatabase
            default: .other
            }
    }

    static let wrongColumnType = SQLiteError(kind: .wrongColumnType, code: SQLITE_MISMATCH)

    private init(kind: Kind, code: Int32) {
        self.kind = kind
        self.code = code
    }

    /// Throws unless the code means success.
    @discardableResult
    static func check(_ code: Int32) throws(SQLiteError) -> Int32 {
        switch code {
        case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return code
        default: throw SQLiteError(code: code)
        }
    }
}
