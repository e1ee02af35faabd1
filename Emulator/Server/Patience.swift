internal import Glibc
internal import Synchronization

/// How a thread waits for events: awake for a moment, then asleep.
///
/// A lone client asks again as soon as it has its answer. A thread that has gone to sleep meanwhile
/// has to be woken, and so has the processor that it slept on: of 57 microseconds that an exchange
/// of nothing took on a virtual machine, this was 35, more than most answers cost. So a thread that
/// was lately asked again within a moment stays awake for one. It lets others run all the while,
/// and one processor is always left to them.
struct Patience {
    private static let awakeNanoseconds: UInt64 = 100_000
    /// Whoever is asked after so long would have been asked in time, had it not slept.
    private static let shortNanoseconds: UInt64 = 150_000

    /// How many threads may be awake with nothing to do, in all servers of the process.
    private static let awakeMax = sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1
    private static let awake = Atomic<Int>(0)

    private var sources: [pollfd]
    private var wasShort = false

    init(for events: Int32, and bell: Int32) {
        sources = [events, bell].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Until there is an event, or so many milliseconds are over; with -1 they never are. Whether
    /// the bell rang.
    mutating func wait(milliseconds: Int32) -> Bool {
        guard milliseconds != 0 else { return false }
        let began = Self.nanoseconds
        if !wasShort || !isThereSoon(began) {
            look(milliseconds: milliseconds)
            wasShort = Self.nanoseconds - began < Self.shortNanoseconds
        }
        return sources[1].revents != 0
    }

    private mutating func isThereSoon(_ began: UInt64) -> Bool {
        defer { Self.awake.subtract(1, ordering: .relaxed) }
        guard Self.awake.add(1, ordering: .relaxed).oldValue < Self.awakeMax else { return false }
        repeat {
            if look(milliseconds: 0) { return true }
            sched_yield()
        } while Self.nanoseconds - began < Self.awakeNanoseconds
        return false
    }

    @discardableResult
    private mutating func look(milliseconds: Int32) -> Bool {
        poll(&sources, nfds_t(sources.count), milliseconds) > 0
    }

    private static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
