internal import Glibc

/// Measures a duration on the monotonic clock.
package struct Stopwatch: Sendable {
    private let start = Self.now

    package init() {}

    package var nanoseconds: Int64 { Self.now - start }
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The processor time of the calling thread: it does not include the work of other threads.
package enum ThreadTime {
    package static let nanoseconds: @Sendable () -> Int = {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
