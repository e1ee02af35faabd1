import KeyValueStore
import SQLiteStore
import Testing
import Time

/// Whether a row is still in the file shows when the clock is set back before its expiry.
@Suite("SQLite: sweeping what has expired")
struct SQLiteSweepTests {
    @Test func `each write sweeps a few rows, an hour after their expiry`() throws {
        try withExpired(50) { store, clock, left in
            clock.advance(.minutes(59))
            try store.put("q", "s")
            #expect(try left() == 50)
            clock.advance(.minutes(2))
            try store.put("q", "s")
            #expect(try left() == 45)
            try store.write((0..<10).map { .put(Item(ItemKey("q", "s\($0)"), [:]), when: []) })
            #expect(try left() == 31)
            _ = try store.increment(ItemKey("q", "n"), by: 1, expiresAt: clock.now + .hours(1))
            #expect(try left() == 26)
            for _ in 0..<10 { try store.put("q", "s") }
            #expect(try left() == 0)
            #expect(try store.sorts("q").count == 12)
        }
    }

    @Test func `reads and failed writes sweep nothing`() throws {
        try withExpired(10) { store, clock, left in
            clock.advance(.days(1))
            _ = try store.sorts("p")
            _ = try store.get(ItemKey("p", "s0"))
            #expect(throws: StoreFailure.conditionFailed) {
                try store.write([.check(ItemKey("p", "s0"), when: [.present])])
            }
            #expect(try left() == 10)
        }
    }

    @Test func `the oldest go first, and what does not expire stays`() throws {
        try withStore { store, clock in
            try store.put("p", "stays")
            for minutes in [30, 10, 20, 60, 50, 40] {
                let item = Item(
                    ItemKey("p", "s\(minutes)"), [:],
                    expiresAt: clock.now + .minutes(Int64(minutes)))
                try store.write([.put(item, when: [])])
            }
            clock.advance(.days(1))
            try store.put("q", "s")
            clock.advance(-.days(1))
            #expect(try store.sorts("p") == utf8("s60", "stays"))
        }
    }

    private func withExpired(
        _ count: Int,
        _ body: (SQLiteStore, MovableClock, _ left: () throws -> Int) throws -> Void
    ) throws {
        try withStore { store, clock in
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

    private func withStore(_ body: (SQLiteStore, MovableClock) throws -> Void) throws {
        let clock = MovableClock()
        try withTemporaryDirectory { directory in
            try body(SQLiteStore(path: directory + "/store.db", clock: clock.wall), clock)
        }
    }
}
