package import Cryptography
package import KeyValueStore
package import PostgreSQL
internal import Synchronization
package import Time

/// `postgres://…`: one table, shared by any number of machines.
///
/// A call is one round trip on one connection, which is kept. Concurrent calls use one connection
/// each. A call is one transaction and leaves no state in the session, so that it works through a
/// pooler that changes the server process after each transaction.
package final class PostgreSQLStore: KeyValueStore {
    /// The time for one call with its repetitions. A function with a limit of ten seconds makes two
    /// calls and must still answer.
    private static let callMillisecondsMax: Int64 = 4_500
    /// Limits for waiting for a locked row and for a statement. They are shorter than a call and
    /// enforced by the server, which must not keep waiting for a disconnected client.
    private static let timeLimits =
        ", set_config('lock_timeout', '3s', true), set_config('statement_timeout', '4s', true)"
    private static let noSync = ", set_config('synchronous_commit', 'off', true)"
    /// Makes the server look up every row by its key: a plan that was made while the table was
    /// small is kept (`PreparedNames`), and must not scan the whole table when it is large.
    static let byKey = "SELECT set_config('enable_seqscan', 'off', true)"
    private static let conflictsMax = 20
    private static let lossesMax = 3
    /// How long expired rows are kept before they are deleted. Reads check the expiry themselves,
    /// and with the delay a clock that is temporarily ahead destroys nothing.
    private static let sweepDelay = Span.hours(1)
    /// One in this many commits sweeps, chosen at random, because a process may make only one
    /// commit.
    private static let commitsPerSweep: UInt8 = 16
    /// The number is larger than the number of rows that this many commits write, so that rows are
    /// deleted faster than they are written.
    private static let rowsPerSweepMax = 128

    let address: PostgreSQLAddress
    let clock: WallClock
    private let random: RandomSource
    private let pause: @Sendable (Span) -> Void
    let pool: PostgreSQLPool
    /// Whether the table was found to have this program's version.
    private let isChecked = Atomic(false)

    var failures: PostgreSQLFailure {
        PostgreSQLFailure(place: "postgres:\(address.place)", table: address.table)
    }

    var table: String { address.table }

    /// Opens nothing.
    ///
    /// - Parameters:
    ///   - connectionsMax: the maximum number of concurrent calls.
    ///   - authorities: finds the file of trusted authorities, if the address has none.
    ///   - pause: blocks for the given time.
    package init(
        _ address: PostgreSQLAddress, connectionsMax: Int = 1, clock: WallClock,
        random: RandomSource,
        authorities: @escaping @Sendable () -> String?,
        pause: @escaping @Sendable (Span) -> Void
    ) {
        self.address = address
        self.clock = clock
        self.random = random
        pool = PostgreSQLPool(
            address, connectionsMax: connectionsMax, authorities: authorities)
        self.pause = pause
    }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try StoreLimits.check(reading: keys, counting: counters, listing: query)
        let now = clock.now()
        let ordered = counters.enumerated().map { (key: StoredKey($1.key), index: $0) }
            .sorted { $0.key < $1.key }
        // The transaction does not wait for a sync: the sync of a later write includes these
        // additions.
        let settings = Self.byKey + (counters.isEmpty ? "" : Self.timeLimits + Self.noSync)
        var statements = [PostgreSQLStatement(settings)]
        statements += ordered.map { adding(counters[$0.index], to: $0.key, at: now) }
        if !keys.isEmpty { statements.append(reading(keys.map(StoredKey.init), at: now)) }
        if let query { statements.append(listing(query, at: now)) }
        guard statements.count > 1 else { return CountedRead(items: [], sums: []) }
        // An addition must not be made twice.
        let rows = try run(repeatsIfLost: counters.isEmpty, statements)
        return try answer(rows, keys, countingInOrder: ordered.map(\.index), query)
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        guard let page = try read([], counting: [], listing: query).page else {
            throw failures.unreadable
        }
        return page
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        guard !writes.isEmpty else { return }
        let transaction = WriteTransaction(
            writes, in: table, random: random.bytes(8), at: clock.now())
        let statements =
            [PostgreSQLStatement(Self.byKey + Self.timeLimits)] + transaction.statements
        _ = try run(repeatsIfLost: true, statements)
        sweepIfDue()
    }

    /// Sometimes deletes some expired rows. Errors are ignored, because the caller's write has
    /// succeeded.
    private func sweepIfDue() {
        guard random.bytes(1)[0] % Self.commitsPerSweep == 0 else { return }
        _ = try? removeExpired(max: Self.rowsPerSweepMax)
    }

    package func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try probeByWriting(key, at: now)
    }

    package func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try probeByWritingAnItem(key, at: now)
    }

    /// Skips locked rows.
    package func removeExpired(max: Int) throws(StoreFailure) -> Int {
        var sql = StatementText("WITH removed AS (DELETE FROM \(table) AS t USING (")
        let expiry = sql.value(.integer((clock.now() - Self.sweepDelay).milliseconds))
        let count = sql.value(.integer(Int64(max)))
        sql += "SELECT partition, sort FROM \(table) WHERE expires <= \(expiry) "
        sql += "ORDER BY expires LIMIT \(count) FOR UPDATE SKIP LOCKED) AS old "
        sql += "WHERE t.partition = old.partition AND t.sort = old.sort RETURNING 1) "
        sql += "SELECT count(*) FROM removed"
        let statements = [
            PostgreSQLStatement(Self.byKey + Self.timeLimits + Self.noSync), sql.statement,
        ]
        let rows = try run(repeatsIfLost: false, statements)
        guard let last = rows.last, let removed = try? last.integer(0, 0) else {
            throw failures.unreadable
        }
        return Int(removed)
    }
}

// MARK: - Connection and repetition

extension PostgreSQLStore {
    /// Runs a transaction. Returns no rows if an earlier attempt was committed. A transaction that
    /// the server rolled back because of a conflict is repeated; one with an unknown outcome only
    /// if `repeatsIfLost`.
    func run(
        repeatsIfLost: Bool, checksVersion: Bool = true, _ statements: [PostgreSQLStatement]
    ) throws(StoreFailure) -> [PostgreSQLRows] {
        let deadline = Deadline.after(milliseconds: Self.callMillisecondsMax)
        var (conflicts, losses) = (0, 0)
        while true {
            do throws(PostgreSQLError) {
                return try exchange(statements, checksVersion, deadline)
            } catch {
                switch error {
                case .failed(SQLState.writtenBefore):
                    return []
                case .failed(SQLState.serialization), .failed(SQLState.deadlock):
                    conflicts += 1
                case .failed(SQLState.readOnly):
                    pool.closeIdle()
                    losses += 1
                case .notConnected(.unreachable), .notConnected(.noServer),
                    .notConnected(.refused(_)):
                    losses += 1
                case .lost:
                    losses = repeatsIfLost ? losses + 1 : Self.lossesMax
                case .failed, .notConnected, .malformedAnswer:
                    losses = Self.lossesMax
                }
                let failure = failures.failure(error)
                guard case .unavailable = failure,
                    conflicts < Self.conflictsMax, losses < Self.lossesMax,
                    deadline.millisecondsLeft > 0
                else {
                    throw failure
                }
                pause(delay(after: conflicts + losses))
            }
        }
    }

    private func exchange(
        _ statements: [PostgreSQLStatement], _ checksVersion: Bool, _ deadline: Deadline
    ) throws(PostgreSQLError) -> [PostgreSQLRows] {
        try pool.withConnection(until: deadline) { connection throws(PostgreSQLError) in
            guard checksVersion, !isChecked.load(ordering: .relaxed) else {
                return try connection.run(statements, until: deadline)
            }
            var rows = try connection.run([checkingVersion] + statements, until: deadline)
            rows.removeFirst()
            isChecked.store(true, ordering: .relaxed)
            return rows
        }
    }

    /// Makes the transaction fail (division by zero) if the table has another version.
    var checkingVersion: PostgreSQLStatement {
        var sql = StatementText("SELECT 1 / count(*) FROM \(table) WHERE (partition, sort) = ")
        sql += sql.row(StoredRow.version.values)
        sql += " AND count = \(sql.value(.integer(StoredRow.schemaVersion)))"
        return sql.statement
    }

    /// Exponential backoff with full jitter, so that transactions that conflicted do not conflict
    /// again.
    private func delay(after failures: Int) -> Span {
        let bound = Int64(5) << Int64(min(failures, 5))
        let draw = random.bytes(4).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return .milliseconds(draw % (bound + 1))
    }
}
