import BaseTestSupport

extension WallClock {
    /// Calls `body` when it is read for the first time. A SQLite store reads the clock when it
    /// holds the lock.
    static func first(_ body: @escaping @Sendable () -> Void) -> WallClock {
        let isFirst = Mutex(true)
        return WallClock {
            let isNow = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if isNow { body() }
            return Instant(seconds: 1)
        }
    }
}
