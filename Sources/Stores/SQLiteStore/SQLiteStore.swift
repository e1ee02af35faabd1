package import KeyValueStore
internal import Synchronization
package import Time

/// `sqlite:PATH`: one file, for any number of processes of one machine at once.
///
/// An acknowledged write is on the disk. Readers take no lock that a writer waits for. The file
/// is created, for its owner alone, by the first process that opens it.
package final class SQLiteStore: KeyValueStore {
    /// How long expired rows stay before they are swept. Reading decides by its own clock
    /// anyway, and a clock that is ahead for a while then destroys nothing.
    private static let sweepDelay = Span.hours(1)
    /// Rows swept by a transaction beyond the number of its own writes: what expires is removed
    /// faster than it is written, and no write pays for a heap of it.
    private static let sweptRowsExtra = 4

    private let clock: WallClock
    private let connection: Mutex<Connection>

    /// - Parameter lockWaitMillisecondsMax: how long a write waits for the writers before it.
    package init(path: String, clock: WallClock, lockWaitMillisecondsMax: Int = 10_000)
        throws(StoreFailure)
    {
        self.clock = clock
        connection = Mutex(
            try Connection(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax))
    }

    package func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?] {
        try StoreLimits.check(reading: keys)
        let now = clock.now()
        return try connection.withLock { connection throws(StoreFailure) in
            var items: [Item?] = []
            for key in keys { items.append(try connection.item(key, at: now)) }
            return items
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        let now = clock.now()
        return try connection.withLock { connection throws(StoreFailure) in
            // One row more tells whether there is a next page.
            var items = try connection.items(query, at: now, rowsMax: query.limit + 1)
            guard items.count > query.limit else { return Page(items: items, next: nil) }
            items.removeLast()
            return Page(items: items, next: items.last?.key.sort)
        }
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        guard !writes.isEmpty else { return }
        try connection.withLock { connection throws(StoreFailure) in
            try connection.transaction { () throws(StoreFailure) in
                // The lock may have taken a while: what has expired meanwhile is gone.
                let now = clock.now()
                for write in writes where !write.conditions.isEmpty {
                    let item = try connection.item(write.key, at: now)
                    guard write.conditions.allSatisfy({ $0.holds(for: item) }) else {
                        throw .conditionFailed
                    }
                }
                for write in writes { try connection.perform(write) }
                try sweep(connection, at: now, writes: writes.count)
            }
        }
    }

    package func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant)
        throws(StoreFailure) -> Int64
    {
        try StoreLimits.check(key)
        return try connection.withLock { connection throws(StoreFailure) in
            try connection.transaction { () throws(StoreFailure) in
                let now = clock.now()
                let (item, sum) = try Item.incremented(
                    try connection.item(key, at: now), key, by: amount, expiresAt: expiresAt)
                try connection.put(item)
                try sweep(connection, at: now, writes: 1)
                return sum
            }
        }
    }

    private func sweep(_ connection: Connection, at now: Instant, writes: Int)
        throws(StoreFailure)
    {
        try connection.statement(.sweep).run([
            .integer((now - Self.sweepDelay).milliseconds),
            .integer(Int64(writes + Self.sweptRowsExtra)),
        ])
    }
}
