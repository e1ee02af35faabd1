internal import KeyValueStore
internal import PostgreSQL
internal import Time

/// The statements of a transaction of conditional writes, sent together.
///
/// **A statement judges, locks and writes at once.** If its conditions do not hold, it fails
/// (`SQLState.conditionFailed`), which rolls the whole transaction back. Conditions are about the
/// row that the statement writes, so the row need not be read first.
///
/// **No update can be lost**, at any isolation level. Each key is locked from its statement to the
/// end of the transaction: an existing row by its change or `FOR UPDATE`, an absent one by the row
/// that is inserted, which is only a placeholder if the item must remain absent. At the level READ
/// COMMITTED a statement that had to wait for a row judges its newest version. At a higher level it
/// fails, and the store repeats the transaction. Because every writer locks in the order of the
/// keys, and the sweep never waits for a lock, there are no deadlocks.
///
/// **A lost answer is recognised** by the row of the transaction's token, which is inserted first
/// and committed with the writes. A repeated attempt waits for an earlier one that is still
/// running, then fails because the token is there (`SQLState.writtenBefore`), and so does an
/// earlier attempt that arrives late.
struct WriteTransaction {
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

    var statements: [PostgreSQLStatement] {
        // The token comes first, so that no lock is held during the wait for an earlier attempt.
        var statements = [marking]
        var insertion = Insertion(isIfAbsent: false)
        for (key, write) in writes {
            guard let isIfAbsent = Self.inserts(write) else {
                statements += inserting(insertion)
                insertion.rows = []
                statements.append(changing(key, write))
                continue
            }
            if insertion.isIfAbsent != isIfAbsent {
                statements += inserting(insertion)
                insertion = Insertion(isIfAbsent: isIfAbsent)
            }
            insertion.rows.append(key.values + Self.columns(of: write))
        }
        statements += inserting(insertion)
        return statements + writes.filter(Self.leavesPlaceholder).map { removing($0.key) }
    }

    private var marking: PostgreSQLStatement {
        var sql = StatementText(
            "INSERT INTO \(table) AS t (partition, sort, expires, attributes) VALUES ")
        let expiry = (now + Self.tokenLifetime).milliseconds
        sql += sql.row(token.values + [.integer(expiry), .byteArrays([])])
        sql += " ON CONFLICT (partition, sort) DO UPDATE SET expires = "
        // The square root of a negative number.
        sql += "sqrt(-octet_length(t.partition))::bigint"
        return sql.statement
    }
}

// MARK: - Insertions

extension WriteTransaction {
    /// Rows with keys that follow one another, written by one statement.
    private struct Insertion {
        /// Whether a row is inserted only if there is none; otherwise it replaces an existing row.
        let isIfAbsent: Bool
        var rows: [[PostgreSQLValue]] = []
    }

    /// Whether the row of a write is inserted only if absent; nil if there must be one already.
    private static func inserts(_ write: Write) -> Bool? {
        switch write {
        case .put(_, let conditions), .delete(_, let conditions), .check(_, let conditions):
            guard conditions.allSatisfy({ $0 == .absent }) else { return nil }
            return !conditions.isEmpty
        }
    }

    /// Expiry, count and attributes of the row that is inserted.
    private static func columns(of write: Write) -> [PostgreSQLValue] {
        switch write {
        case .put(let item, _): columns(of: item)
        case .delete, .check: [.integer(StoredRow.placeholder), .integer(nil), .byteArrays([])]
        }
    }

    private static func columns(of item: Item) -> [PostgreSQLValue] {
        [
            .integer(item.expiresAt?.milliseconds), .integer(StoredRow.count(of: item)),
            .byteArrays(StoredRow.attributes(of: item)),
        ]
    }

    private static func leavesPlaceholder(_ key: StoredKey, _ write: Write) -> Bool {
        if case .put = write { false } else { inserts(write) != nil }
    }

    private func inserting(_ insertion: Insertion) -> [PostgreSQLStatement] {
        guard !insertion.rows.isEmpty else { return [] }
        var sql = StatementText("INSERT INTO \(table) AS t ")
        sql += "(partition, sort, expires, count, attributes) VALUES "
        sql += insertion.rows.map { sql.row($0) }.joined(separator: ", ")
        sql += " ON CONFLICT (partition, sort) DO UPDATE SET expires = "
        if insertion.isIfAbsent {
            // The logarithm of a negative number.
            sql += "CASE WHEN t.expires <= \(sql.value(.integer(now.milliseconds))) "
            sql += "THEN excluded.expires ELSE ln(-octet_length(t.partition))::bigint END"
        } else {
            sql += "excluded.expires"
        }
        sql += ", count = excluded.count, attributes = excluded.attributes"
        return [sql.statement]
    }

    /// No placeholder is ever committed.
    private func removing(_ key: StoredKey) -> PostgreSQLStatement {
        var sql = StatementText("DELETE FROM \(table) WHERE ")
        sql += "partition = \(sql.value(.bytes(key.partition)))"
        sql += " AND sort = \(sql.value(.bytes(key.sort)))"
        return sql.statement
    }
}

// MARK: - Changes of a row that exists

extension WriteTransaction {
    private func changing(_ key: StoredKey, _ write: Write) -> PostgreSQLStatement {
        // The logarithm of zero.
        var sql = StatementText("WITH changed AS (")
        switch write {
        case .put(let item, _):
            let columns = Self.columns(of: item).map { sql.value($0) }
            sql += "UPDATE \(table) AS t SET expires = \(columns[0]), count = \(columns[1]), "
            sql += "attributes = \(columns[2])"
        case .delete: sql += "DELETE FROM \(table) AS t"
        case .check: sql += "SELECT FROM \(table) AS t"
        }
        sql += " WHERE t.partition = \(sql.value(.bytes(key.partition)))"
        sql += " AND t.sort = \(sql.value(.bytes(key.sort)))"
        sql += " AND (t.expires IS NULL OR t.expires > \(sql.value(.integer(now.milliseconds))))"
        for condition in write.conditions { sql += Self.condition(condition, &sql) }
        if case .check = write { sql += " FOR UPDATE" } else { sql += " RETURNING 1" }
        sql += ") SELECT ln(count(*)) FROM changed"
        return sql.statement
    }

    private static func condition(_ condition: Condition, _ sql: inout StatementText) -> String {
        switch condition {
        case .absent:
            return " AND false"
        case .present:
            return ""
        case .equals(let name, let value):
            if StoredRow.isCount(name, value), case .integer(let count) = value {
                return " AND t.count = \(sql.value(.integer(count)))"
            }
            let attribute = sql.value(.bytes(ItemCodec.encode(name, value)))
            return " AND \(attribute) = ANY (t.attributes)"
        case .lacks(let name):
            let lacks = " AND \(without(name, &sql, of: "t."))"
            return StoredRow.isCount(name, .integer(0)) ? lacks + " AND t.count IS NULL" : lacks
        }
    }

    /// The condition that a row has no such attribute in its array.
    static func without(_ name: String, _ sql: inout StatementText, of row: String) -> String {
        let prefix = ItemCodec.prefix(of: name)
        return "NOT EXISTS (SELECT FROM unnest(\(row)attributes) AS a "
            + "WHERE substr(a, 1, \(prefix.count)) = \(sql.value(.bytes(prefix))))"
    }
}
