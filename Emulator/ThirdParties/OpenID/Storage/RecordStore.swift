internal import JSON
internal import SQLite
internal import Synchronization
internal import Time

/// The storage of the providers: one table of JSON records by kind and key. Writes are kept even if
/// the process is killed immediately afterwards.
final class RecordStore: Sendable {
    private let records: Mutex<Records>

    /// nil keeps the records in memory.
    init(directory: String?) throws(SQLiteError) {
        records = Mutex(try Records(file: directory.map { $0 + "/identity.sqlite" }))
    }

    func read<Result: Sendable>(
        _ body: (Records) throws(OAuthError) -> Result
    ) throws(OAuthError) -> Result {
        try records.withLock { records throws(OAuthError) in try body(records) }
    }

    /// Runs `body` in an exclusive transaction.
    func write<Result: Sendable>(
        at now: Instant, _ body: (Records) throws(OAuthError) -> Result
    ) throws(OAuthError) -> Result {
        try records.withLock { records throws(OAuthError) in
            try records.transaction(at: now, body)
        }
    }
}

/// Unchecked Sendable: `RecordStore` is its only owner and uses it under a lock, because SQLite's
/// connections and statements are not thread-safe.
final class Records: @unchecked Sendable {
    enum Kind: Int64 {
        case keys = 1
        case account, consent, code, token, transaction, client
    }

    private let database: SQLiteDatabase
    private let begin, commit, rollback: SQLiteStatement
    private let select, upsert, delete, list, count, purge, page, clear: SQLiteStatement
    private var writes = 0

    /// The number of writes between deletions of expired rows.
    private static let writesPerPurge = 256

    init(file: String?) throws(SQLiteError) {
        let database = try Self.open(file)
        self.database = database
        func prepare(_ sql: StaticString) throws(SQLiteError) -> SQLiteStatement {
            try SQLiteStatement(sql, on: database)
        }
        begin = try prepare("BEGIN IMMEDIATE")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")
        select = try prepare("SELECT value FROM records WHERE kind = ?1 AND key = ?2")
        upsert = try prepare(
            """
            INSERT INTO records (kind, key, value, expires) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires = excluded.expires
            """)
        delete = try prepare("DELETE FROM records WHERE kind = ?1 AND key = ?2")
        list = try prepare(
            """
            SELECT value FROM records WHERE kind = ?1 AND key >= ?2 AND key < ?3
            ORDER BY key LIMIT ?4
            """)
        count = try prepare(
            "SELECT count(*) FROM records WHERE kind = ?1 AND key >= ?2 AND key < ?3")
        purge = try prepare("DELETE FROM records WHERE expires <= ?1")
        page = try prepare(
            """
            SELECT kind, key, value, expires FROM records WHERE (kind, key) > (?1, ?2)
            ORDER BY kind, key LIMIT ?3
            """)
        clear = try prepare("DELETE FROM records")
    }

    private static func open(_ file: String?) throws(SQLiteError) -> SQLiteDatabase {
        let database: SQLiteDatabase
        if let file {
            database = try SQLiteDatabase(file: file)
            try database.setLockWait(milliseconds: 2000)
            try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            // The kernel writes the pages even if this process is killed. Set before the next
            // pragma, which would otherwise sync a new file four times.
            try database.execute("PRAGMA synchronous = OFF")
            try database.execute("PRAGMA journal_mode = WAL")
        } else {
            database = try .inMemory()
        }
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS records (
                kind INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, expires INTEGER,
                PRIMARY KEY (kind, key)) WITHOUT ROWID
            """)
        try database.execute(
            "CREATE INDEX IF NOT EXISTS ends ON records (expires) WHERE expires IS NOT NULL")
        return database
    }

    func transaction<Result>(
        at now: Instant, _ body: (Records) throws(OAuthError) -> Result
    ) throws(OAuthError) -> Result {
        try run(begin)
        do throws(OAuthError) {
            let result = try body(self)
            if writes >= Self.writesPerPurge {
                writes = 0
                try run(purge) { row throws(SQLiteError) in try row.bind(now.milliseconds, at: 1) }
            }
            try run(commit)
            return result
        } catch {
            // SQLite itself rolls back after some errors.
            if database.isInTransaction { try run(rollback) }
            throw error
        }
    }

    func get(_ kind: Kind, _ key: [UInt8]) throws(OAuthError) -> JSONObject? {
        var value: [UInt8]?
        try run(
            select, binding: { row throws(SQLiteError) in try row.bind(kind, key) },
            reading: { row throws(SQLiteError) in value = try row.blob(0) })
        return value.flatMap(Self.parse)
    }

    func put(
        _ kind: Kind, _ key: [UInt8], _ value: JSONObject, until end: Instant? = nil
    ) throws(OAuthError) {
        writes += 1
        try run(upsert) { row throws(SQLiteError) in
            try row.bind(kind, key)
            try row.bind(value.serialized, at: 3)
            if let end { try row.bind(end.milliseconds, at: 4) } else { try row.bindNull(at: 4) }
        }
    }

    func remove(_ kind: Kind, _ key: [UInt8]) throws(OAuthError) {
        try run(delete) { row throws(SQLiteError) in try row.bind(kind, key) }
    }

    /// The records whose keys begin with `prefix`, ordered by key.
    func list(_ kind: Kind, _ prefix: [UInt8], max: Int) throws(OAuthError) -> [JSONObject] {
        var values: [[UInt8]] = []
        try run(
            list,
            binding: { row throws(SQLiteError) in
                try row.bind(kind, prefix)
                try row.bind(prefix + [0xFF], at: 3)
                try row.bind(Int64(max), at: 4)
            }, reading: { row throws(SQLiteError) in values.append(try row.blob(0)) })
        return values.compactMap(Self.parse)
    }

    func count(_ kind: Kind, _ prefix: [UInt8]) throws(OAuthError) -> Int {
        var result = 0
        try run(
            count,
            binding: { row throws(SQLiteError) in
                try row.bind(kind, prefix)
                try row.bind(prefix + [0xFF], at: 3)
            }, reading: { row throws(SQLiteError) in result = Int(try row.integer(0)) })
        return result
    }

    /// Records of all kinds, ordered by kind and key.
    func page(
        afterKind kind: Int64, key: [UInt8], max: Int
    ) throws(OAuthError) -> [PortableRecord] {
        var records: [PortableRecord] = []
        try run(
            page,
            binding: { row throws(SQLiteError) in
                try row.bind(kind, at: 1)
                try row.bind(key, at: 2)
                try row.bind(Int64(max), at: 3)
            },
            reading: { row throws(SQLiteError) in
                let end = row.isNull(3) ? nil : Instant(milliseconds: try row.integer(3))
                records.append(
                    PortableRecord(
                        kind: try row.integer(0), key: try row.blob(1), value: try row.blob(2),
                        endsAt: end))
            })
        return records
    }

    func removeAll() throws(OAuthError) { try run(clear) }

    private static func parse(_ bytes: [UInt8]) -> JSONObject? {
        (try? JSON.parse(bytes, limits: .keySet))?.objectValue
    }

    private func run(
        _ statement: SQLiteStatement,
        binding: (SQLiteStatement) throws(SQLiteError) -> Void = { _ in },
        reading: (SQLiteStatement) throws(SQLiteError) -> Void = { _ in }
    ) throws(OAuthError) {
        defer { statement.reset() }
        do throws(SQLiteError) {
            try binding(statement)
            while try statement.step() { try reading(statement) }
        } catch {
            throw .storage("sqlite: \(error.text) (code \(error.code))")
        }
    }
}

extension SQLiteStatement {
    fileprivate func bind(_ kind: Records.Kind, _ key: [UInt8]) throws(SQLiteError) {
        try bind(kind.rawValue, at: 1)
        try bind(key, at: 2)
    }
}

extension Records {
    /// Joins parts, which contain no control characters, with a separator that is one.
    static func key(_ parts: String...) -> [UInt8] { Array(parts.joined(separator: "\u{0}").utf8) }

    /// The prefix of all keys that begin with these parts.
    static func prefix(_ parts: String...) -> [UInt8] {
        Array(parts.joined(separator: "\u{0}").utf8) + [0]
    }
}
