internal import CSQLite
internal import KeyValueStore

enum SQLValue {
    case null
    case integer(Int64)
    case blob([UInt8])
}

/// A prepared statement, finalised with its owner. Every run leaves it reset, so that no read
/// transaction outlives the call that began it.
final class Statement {
    private let handle: OpaquePointer
    private let failures: SQLiteFailure

    init(_ sql: StaticString, on database: OpaquePointer, failures: SQLiteFailure)
        throws(StoreFailure)
    {
        var handle: OpaquePointer?
        let code = sql.withUTF8Buffer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                sqlite3_prepare_v3(
                    database, text.baseAddress, Int32(text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            }
        }
        try failures.check(code)
        guard let handle else { throw failures.invalid("an empty statement") }
        self.handle = handle
        self.failures = failures
    }

    // It only repeats the failure of the last step, which was reported there.
    deinit { sqlite3_finalize(handle) }

    /// Runs to the end and hands every row to `read`.
    func run(
        _ values: [SQLValue] = [], read: (Row) throws(StoreFailure) -> Void = { _ in }
    ) throws(StoreFailure) {
        defer {
            // Repeats the failure of the step, like finalising.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        while try failures.check(sqlite3_step(handle)) == SQLITE_ROW {
            try read(Row(handle: handle, failures: failures))
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(StoreFailure) {
        switch value {
        case .null: try failures.check(sqlite3_bind_null(handle, index))
        case .integer(let value): try failures.check(sqlite3_bind_int64(handle, index, value))
        case .blob(let bytes):
            try failures.check(
                bytes.withUnsafeBytes {
                    latchkey_bind_copy(handle, index, $0.baseAddress, UInt64($0.count))
                })
        }
    }
}

/// The current row of a statement, until the statement steps on: it stays in the closure that is
/// given it. (Not `~Copyable`, which would say so: the 6.3.1 optimiser crashes on inlining that.)
/// SQLite converts no column for us; one of the wrong type is damage.
struct Row {
    fileprivate let handle: OpaquePointer
    fileprivate let failures: SQLiteFailure

    func integer(_ column: Int32) throws(StoreFailure) -> Int64 {
        try require(SQLITE_INTEGER, column)
        return sqlite3_column_int64(handle, column)
    }

    func integerOrNull(_ column: Int32) throws(StoreFailure) -> Int64? {
        if sqlite3_column_type(handle, column) == SQLITE_NULL { return nil }
        return try integer(column)
    }

    func blob(_ column: Int32) throws(StoreFailure) -> [UInt8] {
        try require(SQLITE_BLOB, column)
        // Null for an empty blob; and asked before its length, as SQLite's manual advises.
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func text(_ column: Int32) throws(StoreFailure) -> String {
        try require(SQLITE_TEXT, column)
        return sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
    }

    private func require(_ type: Int32, _ column: Int32) throws(StoreFailure) {
        guard sqlite3_column_type(handle, column) == type else {
            throw failures.invalid("a stored row has a column of the wrong type")
        }
    }
}
