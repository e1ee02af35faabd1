import KeyValueStore
import SQLiteStore
import Testing
import Time

/// Whether a row was deleted is checked by setting the clock back before its expiry.
@Suite("SQLite: sweeping expired items")
struct SQLiteSweepTests {
    @Test func `the first commit and every sixteenth sweep, an hour after the expiry`() throws {
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
                #expect(try left() == (commit < 33 ? 100 : 52), "commit \(commit)")
            }
            try store.put("q", "s")
            #expect(try left() == 4)
            #expect(try store.sorts("q").count == 7)
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
            #expect(try open().get(key) == nil)
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
            #expect(try left() == 10)
        }
    }

    @Test func `the oldest are deleted first, and items without expiry are kept`() throws {
        try withStore { store, clock, path in
            try store.put("p", "stays")
            for minutes in [30, 10, 20, 60, 50, 40] {
                let item = Item(
                    ItemKey("p", "s\(minutes)"), [:],
                    expiresAt: clock.now + .minutes(Int64(minutes)))
                try store.write([.put(item, when: [])])
            }
            let expired = (0..<44).map { index in
                Item(ItemKey("q", "s\(index)"), [:], expiresAt: clock.now)
            }
            try store.write(expired.map { .put($0, when: []) })
            clock.advance(.days(1))
            // A commit of a new process deletes 48 rows: these 44 and four of the six above.
            try SQLiteStore(path: path, clock: clock.wall).put("r", "s")
            clock.advance(-.days(1))
            #expect(try store.sorts("p") == utf8("s50", "s60", "stays"))
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
