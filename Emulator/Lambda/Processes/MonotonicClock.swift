internal import Glibc

/// The monotonic clock, for deadlines and durations.
package enum MonotonicClock {
    package static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The time of day to the nanosecond, for times of other programs.
package enum WallNanoseconds {
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

package enum ThreadSleep {
    package static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
