internal import Glibc

/// A moment of the monotonic clock.
package struct Deadline: Sendable {
    private let milliseconds: Int64

    package static func after(milliseconds: Int64) -> Deadline {
        Deadline(milliseconds: now + milliseconds)
    }

    /// The earlier one of this deadline and the given time.
    package func orAfter(milliseconds: Int64) -> Deadline {
        Deadline(milliseconds: min(self.milliseconds, Self.now + milliseconds))
    }

    /// 0 once it has passed.
    package var millisecondsLeft: Int64 { max(0, milliseconds - Self.now) }

    var time: timespec {
        timespec(
            tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000 * 1_000_000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
