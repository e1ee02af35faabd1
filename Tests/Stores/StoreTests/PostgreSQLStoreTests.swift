import PostgreSQL
import PostgreSQLStore

@Suite("PostgreSQL", .hangLimit)
struct PostgreSQLStoreTests {
    private static let never = Instant(milliseconds: .max)

    /// Write skew: each checks that the other's item is absent.
    @Test func `two transactions that check each other's key for absence never both succeed`()
        throws
    {
        let url = try PostgreSQLServer.shared().newURL()
        try PostgreSQL.store(at: url).migrate()
        for round in 0..<20 {
            let keys = ["a", "b"].map { ItemKey("p\(round)", $0) }
            let outcomes = try onThreads(2) { index in
                let store = try PostgreSQL.store(at: url)
                _ = try store.get(keys)
                do throws(StoreFailure) {
                    try store.write([
                        .put(Item(keys[index], [:]), when: []),
                        .check(keys[1 - index], when: [.absent]),
                    ])
                    return true
                } catch .conditionFailed {
                    return false
                }
            }
            expectEqual(outcomes.count { $0 }, 1)
        }
    }

    /// Otherwise the delete would come before the other transaction, and the put after it.
    @Test func `a delete of an absent item waits for a transaction that inserts it`() throws {
        let (server, table, store) = try PostgreSQL.migrated()
        let keys = ["a", "b"].map { ItemKey("p", $0) }
        _ = try onThreads(2) { index in
            guard index == 0 else {
                _ = try server.run(
                    "BEGIN; INSERT INTO \(table) "
                        + "SELECT 'p', convert_to(sort, 'UTF8'), NULL, 1, '{}' "
                        + "FROM unnest(ARRAY['a', 'b']) AS sort; SELECT pg_sleep(0.5); COMMIT")
                return
            }
            let isInserted =
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
                + "AND query LIKE '%\(table)%'"
            while try server.run(isInserted) != "1\n" {}
            try PostgreSQL.store(at: server.url(table: table)).write([
                .delete(keys[0], when: []), .put(Item(keys[1], [:]), when: []),
            ])
        }
        try expectEqual(store.get(keys), [nil, Item(keys[1], [:])])
    }

    @Test func `placeholders and tokens are removed after use`() throws {
        let (server, table, store) = try PostgreSQL.migrated()
        let (a, b) = (ItemKey("p", "a"), ItemKey("p", "b"))
        try store.write([.check(a, when: [.absent]), .delete(b, when: [])])
        #expect(throws: StoreFailure.conditionFailed) {
            try store.write([.put(Item(a, [:]), when: []), .check(b, when: [.present])])
        }
        // The row of the version and the token of the first write.
        try expectEqual(server.run("SELECT count(*) FROM \(table)"), "2\n")
        try expectEqual(server.run("SELECT count(*) FROM \(table) WHERE expires < 0"), "0\n")
    }

    @Test func `concurrent migrations all succeed, and repeating one changes nothing`() throws {
        let url = try PostgreSQLServer.shared().newURL()
        _ = try onThreads(8) { _ in try PostgreSQL.store(at: url).migrate() }
        let store = try PostgreSQL.store(at: url)
        try store.put("p", "s")
        try store.migrate()
        try expectEqual(store.sorts("p"), utf8("s"))
    }

    @Test func `a table of another version is refused before anything is written`() throws {
        let (server, table) = (try PostgreSQLServer.shared(), PostgreSQLServer.newTable())
        let url = server.url(table: table)
        try PostgreSQL.store(at: url).migrate()
        _ = try server.run("UPDATE \(table) SET count = 2")
        let store = try PostgreSQL.store(at: url)
        let calls: [() throws -> Void] = [
            { try store.put("p", "s") }, { _ = try store.get(ItemKey("p", "s")) },
            { try store.migrate() },
        ]
        for call in calls {
            let detail = expectFailure(isRefused: true) { try call() }
            #expect(detail.contains("is of another version"))
        }
        try expectEqual(server.run("SELECT count(*) FROM \(table)"), "1\n")
    }

    @Test func `expired rows are deleted an hour after their expiry, and no others`() throws {
        let (server, table) = (try PostgreSQLServer.shared(), PostgreSQLServer.newTable())
        let clock = MovableClock()
        // Each write sweeps.
        let store = try PostgreSQL.store(
            at: server.url(table: table), clock: clock.wall,
            random: RandomSource { count in
                let unique = RandomSource.system.bytes(count)
                return count == 1 ? [0] : unique
            })
        try store.migrate()
        try store.put("p", "stays")
        let later = clock.now + .minutes(10)
        try store.write([.put(Item(ItemKey("p", "goes"), [:], expiresAt: later), when: [])])
        func rows() throws -> String {
            try server.run(
                "SELECT convert_from(sort, 'UTF8') FROM \(table) "
                    + "WHERE partition = convert_to('p', 'UTF8') ORDER BY sort")
        }
        clock.advance(.minutes(60))
        try store.put("q", "s")
        try expectEqual(rows(), "goes\nstays\n")
        clock.advance(.minutes(11))
        try store.put("q", "s")
        try expectEqual(rows(), "stays\n")
        clock.advance(.days(1))
        try store.put("q", "s")
        // The version, two items, and the tokens of the last write and of the write after which it
        // swept.
        try expectEqual(server.run("SELECT count(*) FROM \(table)"), "4\n")
    }

    @Test func `removal takes at most the given number of rows and skips locked ones`() throws {
        let (server, table, store) = try PostgreSQL.migrated()
        // First, because a commit may also remove expired rows.
        try store.put("q", "stays")
        _ = try server.run(
            "INSERT INTO \(table) SELECT 'p', convert_to(n::text, 'UTF8'), 1000 + n, NULL, '{}' "
                + "FROM generate_series(1, 2500) AS n")
        try expectEqual(store.removeExpired(max: 1000), 1000)
        let oldest = try server.run("SELECT min(expires) FROM \(table)")
        expectEqual(oldest, "2001\n")
        // Two runs at the same time take different rows.
        let counts = try onThreads(2) { _ in try store.removeExpired(max: 1000) }
        #expect(counts.reduce(0, +) <= 1500)
        while try store.removeExpired(max: 1000) > 0 {}
        try expectEqual(server.run("SELECT count(*) FROM \(table) WHERE partition = 'p'"), "0\n")
        try expectEqual(store.sorts("q"), utf8("stays"))
    }
}
