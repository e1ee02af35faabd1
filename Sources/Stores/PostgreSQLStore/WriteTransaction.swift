internal import KeyValueStore
internal import PostgreSQL
internal import Time

/// The two statements of a transaction of conditional writes, sent together.
///
/// **No update can be lost**, at any isolation level. The first statement locks the row of every
/// key, in the order of the keys: `ON CONFLICT DO UPDATE` locks an existing row even if its `WHERE`
/// is false, and for a key without a row it inserts a placeholder, which makes any other
/// transaction that inserts the same key wait for the end of this one. The second statement decides
/// and writes. At the level READ COMMITTED it sees everything committed before it began, including
/// all writes of the earlier owners of its locks. At a higher level, a row that changed since the
/// transaction began fails the first statement, and the store repeats the transaction. Because
/// every writer takes its locks in the same order, and the sweep waits for none, there are no
/// deadlocks.
///
/// **A lost answer is recognised** by the row of the transaction's token, which the first statement
/// inserts with the number of the attempt, and which is committed with the writes. A repeated
/// attempt waits for an earlier one that is still running, then finds its number and writes
/// nothing; so does an earlier one that arrives late.
struct WriteTransaction {
    enum Outcome: Int64 {
        case conditionFailed = 0
        case written = 1
        /// Written by another attempt.
        case writtenBefore = 2
    }

    /// When the row of a key is deleted.
    private enum Removal: Int64 {
        case placeholderUnlessWritten = 0
        case itemIfWritten = 1
        case placeholder = 2
        case tokenUnlessWritten = 3
    }

    /// How long the attempts of a transaction can be distinguished. The server ends a lost
    /// connection within minutes.
    private static let tokenLifetime = Span.hours(1)
    /// Neither UTF-8 text nor the hash of a long partition begins with this byte.
    static let tokenPartition: [UInt8] = [0xFE]

    private let table: String
    private let writes: [(key: StoredKey, write: Write)]
    private let token: StoredKey
    private let now: Instant

    /// - Parameter random: 8 bytes.
    init(_ writes: [Write], in table: String, random: [UInt8], at now: Instant) {
        self.table = table
        self.writes = writes.map { (StoredKey($0.key), $0) }.sorted { $0.key < $1.key }
        // Begins with the time, so that tokens are inserted at the end of the index and not all
        // over it.
        let time = UInt64(bitPattern: now.milliseconds)
        let bytes = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: time >> UInt64($0))
        }
        token = StoredKey(partition: Self.tokenPartition, sort: bytes + random)
        self.now = now
    }

    func statements(attempt: Int) -> [PostgreSQLStatement] {
        let mark = [ItemCodec.encode("attempt", .integer(Int64(attempt)))]
        return [locking(mark), deciding(mark)]
    }

    private func locking(_ mark: [[UInt8]]) -> PostgreSQLStatement {
        var sql = StatementText(
            "INSERT INTO \(table) AS t (partition, sort, expires, attributes) VALUES ")
        let placeholder = sql.value(.integer(StoredRow.placeholder))
        let none = sql.value(.byteArrays([]))
        let tokenExpiry = (now + Self.tokenLifetime).milliseconds
        // The token comes first, so that the statement holds no lock while it waits for an earlier
        // attempt.
        var rows = [sql.row(token.values + [.integer(tokenExpiry), .byteArrays(mark)])]
        for (key, _) in writes {
            let (partition, sort) = (
                sql.value(.bytes(key.partition)), sql.value(.bytes(key.sort))
            )
            rows.append("(\(partition), \(sort), \(placeholder), \(none))")
        }
        sql += rows.joined(separator: ", ")
        sql += " ON CONFLICT (partition, sort) DO UPDATE SET expires = t.expires WHERE false"
        return sql.statement
    }

    private func deciding(_ mark: [[UInt8]]) -> PostgreSQLStatement {
        var sql = StatementText("WITH verdict AS MATERIALIZED (SELECT CASE WHEN NOT EXISTS (")
        sql += row(of: token, &sql)
        sql += " AND attributes = \(sql.value(.byteArrays(mark))))"
        sql += " THEN \(Outcome.writtenBefore.rawValue)"
        let now = sql.value(.integer(self.now.milliseconds))
        var conditions = writes.flatMap { key, write in
            write.conditions.isEmpty
                ? [] : Self.conditions(write.conditions, on: row(of: key, &sql), now, &sql)
        }
        if conditions.isEmpty { conditions = ["true"] }
        sql += " WHEN " + conditions.joined(separator: " AND ")
        sql += " THEN \(Outcome.written.rawValue) ELSE \(Outcome.conditionFailed.rawValue) END"
        sql += "::bigint AS outcome)"
        addPuts(&sql)
        addRemovals(&sql)
        sql += " SELECT outcome FROM verdict"
        return sql.statement
    }

    private func row(of key: StoredKey, _ sql: inout StatementText) -> String {
        let (partition, sort) = (sql.value(.bytes(key.partition)), sql.value(.bytes(key.sort)))
        return "SELECT FROM \(table) WHERE partition = \(partition) AND sort = \(sort)"
    }

    private static func conditions(
        _ conditions: [Condition], on row: String, _ now: String, _ sql: inout StatementText
    ) -> [String] {
        let item = "\(row) AND (expires IS NULL OR expires > \(now))"
        return conditions.map { condition in
            switch condition {
            case .absent:
                return "NOT EXISTS (\(item))"
            case .present:
                return "EXISTS (\(item))"
            case .equals(let name, let value):
                if case .integer = value, StoredRow.isCount(name, value),
                    case .integer(let count) = value
                {
                    return "EXISTS (\(item) AND count = \(sql.value(.integer(count))))"
                }
                let attribute = sql.value(.bytes(ItemCodec.encode(name, value)))
                return "EXISTS (\(item) AND \(attribute) = ANY (attributes))"
            case .lacks(let name):
                var lacking = "\(item) AND \(without(name, &sql))"
                if StoredRow.isCount(name, .integer(0)) { lacking += " AND count IS NULL" }
                return "EXISTS (\(lacking))"
            }
        }
    }

    /// The condition that a row has no such attribute in its array.
    static func without(_ name: String, _ sql: inout StatementText, of row: String = "")
        -> String
    {
        let prefix = ItemCodec.prefix(of: name)
        return "NOT EXISTS (SELECT FROM unnest(\(row)attributes) AS a "
            + "WHERE substr(a, 1, \(prefix.count)) = \(sql.value(.bytes(prefix))))"
    }

    private func addPuts(_ sql: inout StatementText) {
        let rows = writes.compactMap { key, write -> String? in
            guard case .put(let item, _) = write else { return nil }
            return sql.row(
                key.values + [
                    .integer(item.expiresAt?.milliseconds), .integer(StoredRow.count(of: item)),
                    .byteArrays(StoredRow.attributes(of: item)),
                ])
        }
        guard !rows.isEmpty else { return }
        sql += ", put AS (INSERT INTO \(table) (partition, sort, expires, count, attributes)"
        sql += " SELECT p.* FROM (VALUES \(rows.joined(separator: ", ")))"
        sql += " AS p (partition, sort, expires, count, attributes), verdict"
        sql += " WHERE outcome = \(Outcome.written.rawValue)"
        sql += " ON CONFLICT (partition, sort) DO UPDATE SET expires = excluded.expires,"
        sql += " count = excluded.count, attributes = excluded.attributes)"
    }

    /// Deletes the items of `delete` writes and all placeholders, so that no placeholder is ever
    /// committed.
    private func addRemovals(_ sql: inout StatementText) {
        func row(_ key: StoredKey, _ removal: Removal) -> String {
            sql.row(key.values + [.integer(removal.rawValue)])
        }
        let rows =
            writes.map { key, write in
                switch write {
                case .put: row(key, .placeholderUnlessWritten)
                case .delete: row(key, .itemIfWritten)
                case .check: row(key, .placeholder)
                }
            } + [row(token, .tokenUnlessWritten)]
        let written = Outcome.written.rawValue
        let placeholder = sql.value(.integer(StoredRow.placeholder))
        // `OFFSET 0` makes the server look up each key separately: a join was planned as a scan
        // while the table was small, and the plan was kept.
        sql += ", removed AS (DELETE FROM \(table) WHERE ctid = ANY (ARRAY(SELECT t.row"
        sql += " FROM (VALUES \(rows.joined(separator: ", "))) AS r (partition, sort, removal),"
        sql += " verdict, LATERAL (SELECT ctid AS row, expires FROM \(table)"
        sql += " WHERE partition = r.partition AND sort = r.sort OFFSET 0) AS t WHERE "
        sql += "t.expires = \(placeholder)"
        sql += " AND (removal <> \(Removal.placeholderUnlessWritten.rawValue)"
        sql += " OR outcome <> \(written))"
        sql += " OR removal = \(Removal.itemIfWritten.rawValue) AND outcome = \(written)"
        sql += " OR removal = \(Removal.tokenUnlessWritten.rawValue)"
        sql += " AND outcome = \(Outcome.conditionFailed.rawValue))))"
    }
}
