internal import JSON
internal import SQLite
internal import Time

/// The database with its statements.
///
/// Unchecked Sendable: only `Mailbox` uses it, under its lock. The compiler cannot see that,
/// because the lock calls a closure.
final class MailDatabase: @unchecked Sendable {
    enum Value {
        case integer(Int64)
        case bytes([UInt8])
        case null

        static func text(_ text: String) -> Value { .bytes(Array(text.utf8)) }
    }

    private let connection: SQLiteDatabase
    private var statements: [MailSQL: SQLiteStatement] = [:]

    /// nil keeps it in memory.
    init(file: String?) throws(MailboxFailure) {
        do throws(SQLiteError) {
            if let file {
                connection = try SQLiteDatabase(file: file)
            } else {
                connection = try .inMemory()
            }
            for statement in MailSQL.schema { try connection.execute(statement) }
        } catch {
            throw .database(error)
        }
    }

    /// Runs a statement and passes each row to `read`, until that returns false.
    func run(
        _ sql: MailSQL, _ values: [Value] = [],
        read: (SQLiteStatement) throws(MailboxFailure) -> Bool = { _ in true }
    ) throws(MailboxFailure) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            try checked { () throws(SQLiteError) in
                switch value {
                case .integer(let value): try statement.bind(value, at: Int32(index + 1))
                case .bytes(let bytes): try statement.bind(bytes, at: Int32(index + 1))
                case .null: try statement.bindNull(at: Int32(index + 1))
                }
            }
        }
        while try checked({ () throws(SQLiteError) in try statement.step() }) {
            guard try read(statement) else { return }
        }
    }

    private func checked<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(MailboxFailure) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .database(error) }
    }

    private func prepared(_ sql: MailSQL) throws(MailboxFailure) -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        let statement = try checked { () throws(SQLiteError) in
            try SQLiteStatement(sql.text, on: connection)
        }
        statements[sql] = statement
        return statement
    }

    /// Runs `body` in a transaction.
    func transaction<Result>(
        _ body: () throws(MailboxFailure) -> Result
    ) throws(MailboxFailure) -> Result {
        try run(.begin)
        do throws(MailboxFailure) {
            let result = try body()
            try run(.commit)
            return result
        } catch {
            if connection.isInTransaction { try run(.rollback) }
            throw error
        }
    }
}

/// Typed access to the columns.
extension SQLiteStatement {
    func int(_ column: Int32) throws(MailboxFailure) -> Int64 {
        do throws(SQLiteError) { return try integer(column) } catch { throw .database(error) }
    }

    func bytes(_ column: Int32) throws(MailboxFailure) -> [UInt8] {
        do throws(SQLiteError) { return try blob(column) } catch { throw .database(error) }
    }

    /// The columns `id, received, size, summary`.
    func entry() throws(MailboxFailure) -> MailEntry {
        guard let json = try? JSON.parse(try bytes(3), limits: MailDatabase.summaryLimits),
            let summary = MailSummary(json)
        else { throw .damaged }
        return MailEntry(
            id: try int(0), receivedAt: Instant(milliseconds: try int(1)),
            byteCount: Int(clamping: try int(2)), summary: summary)
    }
}

extension MailDatabase {
    static let summaryLimits = JSONLimits(bytesMax: 4 << 20, depthMax: 8)
}

/// All statements, prepared at their first use.
enum MailSQL: Hashable {
    case begin, commit, rollback
    case totals, add, newest, oldest, listDown, listUp, message, byMessageID, delete, deleteAll
    case putDocument, document, documents, deleteDocument

    static let schema: [StaticString] = [
        "PRAGMA locking_mode = EXCLUSIVE",
        // Acknowledged writes survive a kill of the process, because the kernel has the pages; a
        // power failure may lose them. Set before the next pragma, which would otherwise sync a new
        // file.
        "PRAGMA synchronous = OFF",
        "PRAGMA journal_mode = WAL",
        // The content is the last column, so that lists do not read it.
        """
        CREATE TABLE IF NOT EXISTS messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT, received INTEGER NOT NULL,
            size INTEGER NOT NULL, message_id BLOB NOT NULL, recipients BLOB NOT NULL,
            summary BLOB NOT NULL, raw BLOB NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS messages_by_message_id ON messages (message_id)",
        // Templates and identities of SES.
        """
        CREATE TABLE IF NOT EXISTS documents (
            kind BLOB NOT NULL, name BLOB NOT NULL, body BLOB NOT NULL,
            PRIMARY KEY (kind, name)) WITHOUT ROWID
        """,
    ]

    var text: StaticString {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .totals: "SELECT count(*), coalesce(sum(size), 0) FROM messages"
        case .add:
            """
            INSERT INTO messages (id, received, size, message_id, recipients, summary, raw)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        case .newest: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'messages'"
        case .oldest: "SELECT id, size FROM messages ORDER BY id"
        case .listDown:
            """
            SELECT id, received, size, summary FROM messages
            WHERE id > ?1 AND id < ?2 AND received >= ?3
            AND (?4 IS NULL OR instr(recipients, ?4) > 0) ORDER BY id DESC
            """
        case .listUp:
            """
            SELECT id, received, size, summary FROM messages
            WHERE id > ?1 AND id < ?2 AND received >= ?3
            AND (?4 IS NULL OR instr(recipients, ?4) > 0) ORDER BY id
            """
        case .message: "SELECT id, received, size, summary, raw FROM messages WHERE id = ?1"
        case .byMessageID: "SELECT id FROM messages WHERE message_id = ?1 ORDER BY id DESC"
        case .delete: "DELETE FROM messages WHERE id = ?1 RETURNING size"
        case .deleteAll: "DELETE FROM messages"
        case .putDocument:
            """
            INSERT INTO documents (kind, name, body) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, name) DO UPDATE SET body = excluded.body
            """
        case .document: "SELECT body FROM documents WHERE kind = ?1 AND name = ?2"
        case .documents: "SELECT name, body FROM documents WHERE kind = ?1 ORDER BY name"
        case .deleteDocument:
            "DELETE FROM documents WHERE kind = ?1 AND name = ?2 RETURNING 1"
        }
    }
}
