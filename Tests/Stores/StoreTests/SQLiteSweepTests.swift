import SQLite
import SQLiteStore

/// Whether a row was deleted is checked by setting the clock back before its expiry.
@Suite("SQLite: sweeping expired items")
struct SQLiteSweepTests {
    @Test func `every sixteenth commit sweeps, an hour after the expiry`() throws {
        try withExpired(100) { store, clock, left in
            // The store has made one commit, which has swept.
            for commit in 2...48 {
                if commit == 17 { clock.advance(.minutes(59)) }
                if commit == 18 { clock.advance(.minutes(2)) }
                switch commit % 3 {
                case 0: try store.put("q", "s")
                case 1:
                    try store.write(
                        (0..<5).map { .put(Item(ItemKey("q", "s\($0)"), [:]), when: []) })
                default:
                    _ = try store.increment(
                        ItemKey("q", "n"), by: 1, expiresAt: clock.now + .hours(1))
                }
                try expectEqual(left(), commit < 33 ? 100 : 0, "commit \(commit)")
            }
            try expectEqual(store.sorts("q").count, 7)
        }
    }

    @Test func `a process with a single commit sweeps too`() throws {
        let clock = MovableClock()
        try withTemporaryDirectory { directory in
            func open() throws -> SQLiteStore {
                try SQLiteStore(path: directory + "/store.db", clock: clock.wall)
            }
            let key = ItemKey("p", "s")
            try open().write([.put(Item(key, [:], expiresAt: clock.now), when: [])])
            clock.advance(.hours(2))
            try open().put("q", "s")
            clock.advance(-.days(1))
            try expectEqual(open().get(key), nil)
        }
    }

    @Test func `reads and failed writes do not sweep`() throws {
        try withExpired(10) { store, clock, left in
            clock.advance(.days(1))
            for _ in 0..<50 {
                _ = try store.sorts("p")
                _ = try store.get([ItemKey("p", "s0"), ItemKey("p", "s1")])
                #expect(throws: StoreFailure.conditionFailed) {
                    try store.write([.check(ItemKey("p", "s0"), when: [.present])])
                }
            }
            try expectEqual(left(), 10)
        }
    }

    @Test func `a sweep continues where the sweep of another process ended`() throws {
        try withStore { store, clock, path in
            try store.write([.put(Item(ItemKey("p", "0 stays"), [:]), when: [])])
            try store.write(
                (100..<140).map { number in
                    let key = ItemKey("p", "s\(number)")
                    return .put(Item(key, [:], expiresAt: clock.now + .minutes(1)), when: [])
                })
            for left in [25, 9, 0, 0] {
                clock.advance(.days(1))
                try SQLiteStore(path: path, clock: clock.wall).put("r", "s")
                clock.advance(-.days(1))
                let sorts = try store.sorts("p")
                expectEqual(sorts.count, left + 1)
                expectEqual(sorts.first, Array("0 stays".utf8))
            }
        }
    }

    @Test func `a file of the first schema version loses its index and is swept`() throws {
        try withStore { store, clock, path in
            try store.write([.put(Item(ItemKey("p", "s"), [:], expiresAt: clock.now), when: [])])
            let database = try SQLiteDatabase(file: path)
            try database.execute("DROP TABLE sweep")
            try database.execute(
                "CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL")
            try database.execute("PRAGMA user_version = 1")
            clock.advance(.days(1))
            let migrated = try SQLiteStore(path: path, clock: clock.wall)
            try migrated.put("q", "s")
            clock.advance(-.days(1))
            try expectEqual(migrated.sorts("p"), [])
            try expectEqual(migrated.sorts("q"), utf8("s"))
            #expect(throws: SQLiteError.self) { try database.execute("DROP INDEX items_by_expiry") }
            try database.execute("DELETE FROM sweep")
        }
    }

    private func withExpired(
        _ count: Int,
        _ body: (SQLiteStore, MovableClock, _ left: () throws -> Int) throws -> Void
    ) throws {
        try withStore { store, clock, _ in
            let expiry = clock.now + .minutes(1)
            try store.write(
                (0..<count).map {
                    .put(Item(ItemKey("p", "s\($0)"), [:], expiresAt: expiry), when: [])
                })
            clock.advance(.minutes(1))
            try body(store, clock) {
                let moved = clock.now - MovableClock.start
                clock.advance(-moved)
                defer { clock.advance(moved) }
                return try store.sorts("p").count
            }
        }
    }

    private func withStore(_ body: (SQLiteStore, MovableClock, _ path: String) throws -> Void)
        throws
    {
        let clock = MovableClock()
        try withTemporaryDirectory { directory in
            let path = directory + "/store.db"
            try body(SQLiteStore(path: path, clock: clock.wall), clock, path)
        }
    }
}
