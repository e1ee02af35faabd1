package import KeyValueStore
internal import Synchronization
package import Time

/// `sqlite:PATH`: one file, shared by any number of processes on one machine.
///
/// An acknowledged write is on the disk; counters are synced with the next write. Readers take no
/// lock that blocks a writer. The first process that opens the file creates it with mode 0600.
package final class SQLiteStore: KeyValueStore {
    /// How long expired rows are kept before they are deleted. Reads check the expiry themselves,
    /// and with the delay a clock that is temporarily ahead destroys nothing.
    private static let sweepDelay = Span.hours(1)
    /// The first commit of a process sweeps, because a process may make only one.
    private static let commitsPerSweep = 16
    /// More than two rows per commit, so that rows are deleted faster than they are written.
    private static let rowsPerSweepMax: Int64 = 48

    private let clock: WallClock
    private let connection: Mutex<Connection>

    /// - Parameter lockWaitMillisecondsMax: how long a write waits for other writers.
    package init(path: String, clock: WallClock, lockWaitMillisecondsMax: Int = 10_000)
        throws(StoreFailure)
    {
        self.clock = clock
        connection = Mutex(
            try Connection(path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax))
    }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try StoreLimits.check(reading: keys, counting: counters, listing: query)
        return try connection.withLock { connection throws(StoreFailure) in
            if counters.isEmpty { return try connection.read(keys, query, clock.now()) }
            let result = try connection.transaction(.counting) { () throws(StoreFailure) in
                // Read the clock after the wait for the lock, so that what expired meanwhile is
                // absent.
                let now = clock.now()
                var sums: [Int64] = []
                for counter in counters {
                    let (item, sum) = try counter.added(
                        to: try connection.item(counter.key, at: now))
                    try connection.put(item)
                    sums.append(sum)
                }
                return CountedRead(
                    items: try connection.items(keys, at: now), sums: sums,
                    page: try connection.page(query, at: now))
            }
            sweepIfDue(connection)
            return result
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        return try connection.withLock { connection throws(StoreFailure) in
            try connection.page(query, at: clock.now())
        }
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        guard !writes.isEmpty else { return }
        try connection.withLock { connection throws(StoreFailure) in
            try connection.transaction(.writing) { () throws(StoreFailure) in
                // Read the clock after the wait for the lock, so that what expired meanwhile is
                // absent.
                let now = clock.now()
                for write in writes where !write.conditions.isEmpty {
                    let item = try connection.item(write.key, at: now)
                    guard write.conditions.allSatisfy({ $0.holds(for: item) }) else {
                        throw .conditionFailed
                    }
                }
                for write in writes { try connection.perform(write) }
            }
            sweepIfDue(connection)
        }
    }

    /// Deletes some expired rows after a commit of the caller.
    private func sweepIfDue(_ connection: Connection) {
        connection.commitsUntilSweep -= 1
        guard connection.commitsUntilSweep <= 0 else { return }
        connection.commitsUntilSweep = Self.commitsPerSweep
        // Only if the lock is free: a writer must not wait for a sweep. Errors are ignored, because
        // the caller's write has succeeded; the next write reports an error that persists.
        try? connection.transaction(.sweeping) { () throws(StoreFailure) in
            try connection.statement(.sweep).run([
                .integer((clock.now() - Self.sweepDelay).milliseconds),
                .integer(Self.rowsPerSweepMax),
            ])
        }
    }
}
