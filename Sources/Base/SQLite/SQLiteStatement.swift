internal import CSQLite

/// A prepared statement, finalised with its owner. Reset it after each run, so that no read
/// transaction outlives the call that began it. Column types are not converted.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    /// Keeps the database open while the statement exists.
    private let database: SQLiteDatabase

    package init(_ sql: StaticString, on database: SQLiteDatabase) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sql.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_prepare_v3(
                    database.handle, text.baseAddress, Int32(text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            }
        }
        try SQLiteError.check(code)
        guard let handle else { throw SQLiteError(code: SQLITE_MISUSE) }
        self.handle = handle
        self.database = database
    }

    // The result only repeats the failure of the last step, which was already reported.
    deinit { sqlite3_finalize(handle) }

    /// Advances to the next row; false at the end.
    package func step() throws(SQLiteError) -> Bool {
        try SQLiteError.check(sqlite3_step(handle)) == SQLITE_ROW
    }

    /// Ends the run and clears the bindings. The result only repeats the failure of the last step.
    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    package func bindNull(at index: Int32) throws(SQLiteError) {
        try SQLiteError.check(sqlite3_bind_null(handle, index))
    }

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try SQLiteError.check(sqlite3_bind_int64(handle, index, value))
    }

    package func bind(_ bytes: [UInt8], at index: Int32) throws(SQLiteError) {
        let code = bytes.withUnsafeBytes {
            latchkey_bind_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
        try SQLiteError.check(code)
    }

    /// Binds the UTF-8 bytes of the text as a blob.
    package func bind(utf8 text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let code = text.withUTF8 {
            latchkey_bind_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
        try SQLiteError.check(code)
    }

    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) throws(SQLiteError) -> Int64 {
        try require(SQLITE_INTEGER, column)
        return sqlite3_column_int64(handle, column)
    }

    package func blob(_ column: Int32) throws(SQLiteError) -> [UInt8] {
        try require(SQLITE_BLOB, column)
        // Null for an empty blob. Called before the length, as SQLite's manual recommends.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    package func text(_ column: Int32) throws(SQLiteError) -> String {
        try require(SQLITE_TEXT, column)
        return sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
    }

    private func require(_ type: Int32, _ column: Int32) throws(SQLiteError) {
        guard sqlite3_column_type(handle, column) == type else {
            throw .wrongColumnType
        }
    }
}
