internal import Glibc

enum Monotonic {
    static var milliseconds: Int { microseconds / 1000 }

    static var microseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
