internal import SQLite
internal import Time

/// The database with its statements.
///
/// Unchecked Sendable: only `ObjectStore` uses it, under its lock. The compiler cannot see that,
/// because the lock calls a closure.
final class ObjectDatabase: @unchecked Sendable {
    enum Value {
        case integer(Int64)
        case bytes([UInt8])
    }

    private let connection: SQLiteDatabase
    private var statements: [ObjectStoreSQL: SQLiteStatement] = [:]
    /// The segments that the current transaction has released.
    private var released: [Segment] = []

    /// nil keeps it in memory.
    init(file: String?) throws(ObjectStoreFailure) {
        do throws(SQLiteError) {
            if let file {
                connection = try SQLiteDatabase(file: file)
            } else {
                connection = try .inMemory()
            }
            for statement in ObjectStoreSQL.schema { try connection.execute(statement) }
        } catch {
            throw .database(error)
        }
    }

    /// Runs a statement to its end and passes each row to `read`.
    func run(
        _ sql: ObjectStoreSQL, _ values: Value...,
        read: (SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(ObjectStoreFailure) {
        do throws(SQLiteError) {
            let statement = try prepared(sql)
            defer { statement.reset() }
            for (index, value) in values.enumerated() {
                switch value {
                case .integer(let value): try statement.bind(value, at: Int32(index + 1))
                case .bytes(let bytes): try statement.bind(bytes, at: Int32(index + 1))
                }
            }
            while try statement.step() { try read(statement) }
        } catch {
            throw .database(error)
        }
    }

    private func prepared(_ sql: ObjectStoreSQL) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql.text, on: connection)
        statements[sql] = statement
        return statement
    }

    /// Runs `body` in a transaction. Returns the segments that no row owns any more.
    func transaction<Result>(
        _ body: () throws(ObjectStoreFailure) -> Result
    ) throws(ObjectStoreFailure) -> (result: Result, released: [Segment]) {
        released = []
        try run(.begin)
        do throws(ObjectStoreFailure) {
            let result = try body()
            try run(.commit)
            return (result, released)
        } catch {
            if connection.isInTransaction { try run(.rollback) }
            throw error
        }
    }

    func release(_ segments: [Segment]) { released += segments }

    /// The segments of all rows.
    func segments() throws(ObjectStoreFailure) -> [Segment] {
        var segments: [Segment] = []
        try run(.segments) { row throws(SQLiteError) in
            segments += RowCodec.segments(try row.blob(0))
        }
        return segments
    }
}
