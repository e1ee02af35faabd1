internal import KeyValueStore
internal import SQLite

enum SQLValue {
    case null
    case integer(Int64)
    case blob([UInt8])
    /// The UTF-8 bytes of the text, which are bound as a blob.
    case utf8(String)
}

/// A prepared statement that throws `StoreFailure`. It is reset after each run.
final class Statement {
    private let statement: SQLiteStatement
    private let failures: SQLiteFailure

    init(_ sql: StaticString, on database: SQLiteDatabase, failures: SQLiteFailure)
        throws(StoreFailure)
    {
        self.failures = failures
        do throws(SQLiteError) {
            statement = try SQLiteStatement(sql, on: database)
        } catch {
            throw failures.failure(error)
        }
    }

    /// Runs to the end and passes every row to `read`.
    func run(
        _ values: [SQLValue] = [], read: (Row) throws(StoreFailure) -> Void = { _ in }
    ) throws(StoreFailure) {
        defer { statement.reset() }
        do throws(SQLiteError) {
            for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
        } catch {
            throw failures.failure(error)
        }
        while try step() { try read(Row(statement: statement, failures: failures)) }
    }

    private func step() throws(StoreFailure) -> Bool {
        do throws(SQLiteError) {
            return try statement.step()
        } catch {
            throw failures.failure(error)
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(SQLiteError) {
        switch value {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .blob(let bytes): try statement.bind(bytes, at: index)
        case .utf8(let text): try statement.bind(utf8: text, at: index)
        }
    }
}

/// The current row of a statement, valid only inside the closure that receives it.
struct Row {
    fileprivate let statement: SQLiteStatement
    fileprivate let failures: SQLiteFailure

    func integer(_ column: Int32) throws(StoreFailure) -> Int64 {
        try reading { () throws(SQLiteError) in try statement.integer(column) }
    }

    func integerOrNull(_ column: Int32) throws(StoreFailure) -> Int64? {
        if statement.isNull(column) { return nil }
        return try integer(column)
    }

    func blob(_ column: Int32) throws(StoreFailure) -> [UInt8] {
        try reading { () throws(SQLiteError) in try statement.blob(column) }
    }

    func text(_ column: Int32) throws(StoreFailure) -> String {
        try reading { () throws(SQLiteError) in try statement.text(column) }
    }

    private func reading<Value>(_ read: () throws(SQLiteError) -> Value) throws(StoreFailure)
        -> Value
    {
        do throws(SQLiteError) {
            return try read()
        } catch {
            throw failures.failure(error)
        }
    }
}
