internal import SQLite
internal import Time

/// The database with its statements.
///
/// Unchecked, because `ObjectStore` is the only one that has it, and hands it to nobody but what
/// runs under its lock. (The compiler cannot see that through a closure.)
final class Database: @unchecked Sendable {
    enum Value {
        case integer(Int64)
        case bytes([UInt8])
        case null
    }

    private let connection: SQLiteDatabase
    private var statements: [SQL: SQLiteStatement] = [:]
    /// Numbers are never used twice in a run, so that whoever reads by one cannot get another's.
    private var lastContent: Int64 = 0
    /// Files to remove once the transaction that let go of them is committed.
    private var released: [Int64] = []

    /// nil keeps it in memory.
    init(file: String?) throws(StorageFailure) {
        do throws(SQLiteError) {
            if let file {
                connection = try SQLiteDatabase(file: file)
            } else {
                connection = try .inMemory()
            }
            for statement in SQL.schema { try connection.execute(statement) }
        } catch {
            throw .database(error)
        }
        try run(.lastContent) { row throws(SQLiteError) in self.lastContent = try row.integer(0) }
    }

    /// Runs a statement to its end and hands each row to `read`.
    func run(
        _ sql: SQL, _ values: Value...,
        read: (SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(StorageFailure) {
        do throws(SQLiteError) {
            let statement = try prepared(sql)
            defer { statement.reset() }
            for (index, value) in values.enumerated() {
                switch value {
                case .integer(let value): try statement.bind(value, at: Int32(index + 1))
                case .bytes(let bytes): try statement.bind(bytes, at: Int32(index + 1))
                case .null: try statement.bindNull(at: Int32(index + 1))
                }
            }
            while try statement.step() { try read(statement) }
        } catch {
            throw .database(error)
        }
    }

    private func prepared(_ sql: SQL) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try SQLiteStatement(sql.text, on: connection)
        statements[sql] = statement
        return statement
    }

    /// All of `body` or nothing. Gives the files that nothing needs any more.
    func transaction<Result>(
        _ body: () throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> (result: Result, released: [Int64]) {
        released = []
        try run(.begin)
        do throws(StorageFailure) {
            let result = try body()
            try run(.commit)
            return (result, released)
        } catch {
            if connection.isInTransaction { try run(.rollback) }
            throw error
        }
    }

    // MARK: Contents

    /// A place for bytes: their own row, or with nil the promise of a file that a crash between
    /// now and its use leaves to the next start to remove.
    func addContent(_ bytes: [UInt8]?, as id: Int64) throws(StorageFailure) {
        try run(
            .addContent, .integer(id), bytes.map { .bytes($0) } ?? .null,
            .integer(bytes == nil ? 1 : 0))
    }

    /// A number for bytes that are about to be added.
    func reserveContent() -> Int64 {
        lastContent += 1
        return lastContent
    }

    func content(_ id: Int64) throws(StorageFailure) -> StoredContent {
        var content = StoredContent.gone
        try run(.readContent, .integer(id)) { row throws(SQLiteError) in
            content = row.isNull(0) ? .inFile : .bytes(try row.blob(0))
        }
        return content
    }

    /// From now on an object or part has the file.
    func adopt(_ id: Int64) throws(StorageFailure) { try run(.setLoose, .integer(id), .integer(0)) }

    func release(_ segments: [Segment]) throws(StorageFailure) {
        for segment in segments {
            var isFile = false
            try run(.readContentKind, .integer(segment.content)) { row throws(SQLiteError) in
                isFile = try row.integer(0) == 1
            }
            if isFile {
                try run(.setLoose, .integer(segment.content), .integer(1))
                released.append(segment.content)
            } else {
                try run(.deleteContent, .integer(segment.content))
            }
        }
    }
}

enum StoredContent {
    case bytes([UInt8])
    case inFile
    case gone
}
