internal import KeyValueStore
internal import Time

extension SQLiteStore {
    /// How long expired rows are kept before they are deleted. Reads check the expiry themselves,
    /// and with the delay a clock that is temporarily ahead destroys nothing.
    private static let sweepDelay = Span.hours(1)
    private static let writesPerSweep = 16
    /// The number of rows for each write. The sweep repeatedly goes through the whole table. An
    /// operation writes about five rows at most, so about one row in six has expired since the last
    /// time.
    private static let rowsPerWrite = 16

    /// After `count` writes, goes through some rows and deletes those that have expired.
    static func sweep(after count: Int, on connections: ConnectionPool, _ clock: WallClock) {
        guard count > 0 else { return }
        // The sweep runs only if the lock is free: a writer must not wait for it. Errors are
        // ignored, because the writes have succeeded; the next write reports an error that
        // persists.
        try? connections.withConnection(for: .writing) { connection throws(StoreFailure) in
            connection.writesSinceSweep += count
            // The first write sweeps, because a process may make only one.
            guard !connection.hasSwept || connection.writesSinceSweep >= writesPerSweep else {
                return
            }
            let rows = rowsPerWrite * connection.writesSinceSweep
            connection.hasSwept = true
            connection.writesSinceSweep = 0
            try connection.transaction(.sweeping) { () throws(StoreFailure) in
                try connection.sweep(rows, expiredBy: clock.now() - sweepDelay)
            }
        }
    }
}

extension Connection {
    private typealias Key = (partition: [UInt8], sort: [UInt8])

    /// Continues where the last sweep ended, even if another process made it.
    fileprivate func sweep(_ rowCount: Int, expiredBy limit: Instant) throws(StoreFailure) {
        var position: Key = ([], [])
        try statement(.sweepStart).run { row throws(StoreFailure) in
            position = (try row.blob(0), try row.blob(1))
        }
        var expired: [Key] = []
        var count = 0
        var last: Key?
        try statement(.sweep).run([
            .blob(position.partition), .blob(position.sort), .integer(Int64(rowCount)),
        ]) { row throws(StoreFailure) in
            count += 1
            let isExpired = try row.integerOrNull(2).map { $0 <= limit.milliseconds } ?? false
            guard isExpired || count == rowCount else { return }
            let key = (try row.blob(0), try row.blob(1))
            if isExpired { expired.append(key) }
            if count == rowCount { last = key }
        }
        for key in expired {
            try statement(.delete).run([.blob(key.partition), .blob(key.sort)])
        }
        // After the last row, the next sweep starts at the beginning.
        position = last ?? ([], [])
        try statement(.sweepProgress).run([.blob(position.partition), .blob(position.sort)])
    }
}
