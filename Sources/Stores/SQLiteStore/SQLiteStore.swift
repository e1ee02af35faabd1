internal import Glibc
package import KeyValueStore
package import Time

/// `sqlite:PATH`: one file, shared by any number of processes on one machine.
///
/// An acknowledged write is on the disk; counters are synced with the next write. Readers take no
/// lock that blocks a writer, and see a write a moment before it is synced and acknowledged. The
/// threads of a process commit together. The first process that opens the file creates it with mode
/// 0600.
package final class SQLiteStore: KeyValueStore {
    private let clock: WallClock
    private let connections: ConnectionPool
    private let commits: GroupCommit
    private let checkpoints: Checkpoints

    /// - Parameters:
    ///   - lockWaitMillisecondsMax: how long a write waits for other processes' writes.
    ///   - sync: writes a file to the disk; see `LogFile`.
    package init(
        path: String, clock: WallClock, lockWaitMillisecondsMax: Int = 10_000,
        sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) throws(StoreFailure) {
        self.clock = clock
        let connections = try ConnectionPool(
            path: path, lockWaitMillisecondsMax: lockWaitMillisecondsMax, sync: sync)
        let checkpoints = Checkpoints()
        self.connections = connections
        self.checkpoints = checkpoints
        commits = GroupCommit(
            commit: { group in
                Self.commit(group, on: connections, checkpoints)
                Self.sweep(after: group.count(where: \.hasSucceeded), on: connections, clock)
            }, sync: { () throws(StoreFailure) in try connections.log.sync() })
    }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try StoreLimits.check(reading: keys, counting: counters, listing: query)
        if counters.isEmpty {
            return try connections.withConnection(for: .reading) {
                connection throws(StoreFailure) in
                try connection.read(keys, query, clock.now())
            }
        }
        defer { checkpoints.copyIfDue(connections) }
        return try commits.perform(isDurable: false) { [clock] connection throws(StoreFailure) in
            // The clock is read after the wait for the lock, so that items that expired during the
            // wait are absent.
            let now = clock.now()
            var sums: [Int64] = []
            for counter in counters {
                let (item, sum) = try counter.added(to: try connection.item(counter.key, at: now))
                try connection.put(item)
                sums.append(sum)
            }
            return CountedRead(
                items: try connection.items(keys, at: now), sums: sums,
                page: try connection.page(query, at: now))
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        return try connections.withConnection(for: .reading) { connection throws(StoreFailure) in
            try connection.page(query, at: clock.now())
        }
    }

    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        try connections.withConnection(for: .reading) { connection throws(StoreFailure) in
            try connection.partitions(withPrefix: prefix, after: after)
        }
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        guard !writes.isEmpty else { return }
        try connections.log.open()
        defer { checkpoints.copyIfDue(connections) }
        _ = try commits.perform(isDurable: true) { [clock] connection throws(StoreFailure) in
            // The clock is read after the wait for the lock, so that items that expired during the
            // wait are absent.
            let now = clock.now()
            for write in writes where !write.conditions.isEmpty {
                let item = try connection.item(write.key, at: now)
                guard write.conditions.allSatisfy({ $0.holds(for: item) }) else {
                    throw .conditionFailed
                }
            }
            for write in writes { try connection.perform(write) }
            return CountedRead(items: [], sums: [])
        }
    }

    package func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try probeByWriting(key, at: now)
    }

    package func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try probeByWritingAnItem(key, at: now)
    }

    /// Items after a key, in the order of their keys, for tools.
    package func scan(after key: ItemKey?, limit: Int) throws(StoreFailure)
        -> (items: [Item], next: ItemKey?)
    {
        let items = try connections.withConnection(for: .reading) {
            connection throws(StoreFailure) in
            try connection.items(after: key, at: clock.now(), limit: limit)
        }
        return (items, items.count < limit ? nil : items.last?.key)
    }

    /// All items as they were at one moment, in the order of their keys, for tools. The write-ahead
    /// log grows during that time.
    package func snapshot(
        itemsPerPage limit: Int, _ take: ([Item]) -> Bool
    ) throws(StoreFailure) {
        let now = clock.now()
        try connections.withConnection(for: .reading) { connection throws(StoreFailure) in
            try connection.transaction(.reading) { () throws(StoreFailure) in
                var key: ItemKey?
                repeat {
                    let items = try connection.items(after: key, at: now, limit: limit)
                    key = items.count < limit ? nil : items.last?.key
                    guard take(items) else { return }
                } while key != nil
            }
        }
    }

    /// Makes the writes of a group in one transaction. A write that fails does not affect the
    /// others, unless the whole transaction fails.
    private static func commit(
        _ group: [PendingWrite], on connections: ConnectionPool, _ checkpoints: Checkpoints
    ) {
        do throws(StoreFailure) {
            try connections.withConnection(for: .writing) { connection throws(StoreFailure) in
                try connection.transaction(.writing) { () throws(StoreFailure) in
                    if group.count == 1 { return try group[0].run(on: connection) }
                    for write in group {
                        do throws(StoreFailure) {
                            try connection.undoing { () throws(StoreFailure) in
                                try write.run(on: connection)
                            }
                        } catch {
                            // Some errors end the transaction, which undoes all of its writes.
                            guard connection.isInTransaction else { throw error }
                            write.fail(error)
                        }
                    }
                }
                checkpoints.didCommit(on: connection)
            }
        } catch {
            for write in group { write.failUnlessFailed(error) }
        }
    }
}
