internal import KeyValueStore
internal import Time

extension SQLiteStore {
    /// How long expired rows are kept before they are deleted. Reads check the expiry themselves,
    /// and with the delay a clock that is temporarily ahead destroys nothing.
    private static let sweepDelay = Span.hours(1)
    private static let writesPerSweep = 16
    /// More than two rows per write, so that rows are deleted faster than they are written.
    private static let rowsPerWrite = 3

    /// Deletes some expired rows after `count` writes.
    static func sweep(after count: Int, on connections: ConnectionPool, _ clock: WallClock) {
        guard count > 0 else { return }
        // Only if the lock is free: a writer must not wait for a sweep. Errors are ignored, because
        // the writes have succeeded; the next write reports an error that persists.
        try? connections.withConnection { connection throws(StoreFailure) in
            connection.writesUntilSweep -= count
            guard connection.writesUntilSweep <= 0 else { return }
            let rows = rowsPerWrite * (writesPerSweep - connection.writesUntilSweep)
            connection.writesUntilSweep = writesPerSweep
            try connection.transaction(.sweeping) { () throws(StoreFailure) in
                try connection.statement(.sweep).run([
                    .integer((clock.now() - sweepDelay).milliseconds), .integer(Int64(rows)),
                ])
            }
        }
    }
}
