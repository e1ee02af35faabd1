internal import Glibc
internal import Synchronization

/// Waits for events adaptively: spins for a moment, then blocks.
///
/// A lone client asks again as soon as it has its answer. A thread that has gone to sleep meanwhile
/// has to be woken, and so has the processor that it slept on: of 57 microseconds that an exchange
/// of nothing took on a virtual machine, this was 35, more than most answers cost. So a thread that
/// expects to be asked within a moment stays awake for one. It lets others run all the while, and
/// one processor is always left to them.
struct AdaptivePoller {
    private static let awakeNanoseconds: UInt64 = 100_000
    /// An event within this time would have arrived while spinning.
    private static let shortNanoseconds: UInt64 = 150_000

    /// How many threads may be awake with nothing to do, in all servers of the process.
    private static let awakeMax = sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1
    private static let awake = Atomic<Int>(0)

    private var sources: [pollfd]
    private let listener: Int32
    private var forecast = WaitForecast()
    private var delaysAdmission = false

    /// A listener that is not admitted to is ready all the time.
    private static let admissionMilliseconds: Int32 = 50

    init(for events: Int32, _ wakeEvent: Int32, and listener: Int32) {
        sources = [events, wakeEvent, listener].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        self.listener = listener
    }

    /// The next wait is a short one, and not for connections.
    mutating func delayAdmission() { delaysAdmission = true }

    /// Until there is an event, or so many milliseconds are over; with -1 they never are.
    mutating func wait(
        milliseconds: Int32, admitting: Bool
    ) -> (wakeEvent: Bool, connections: Bool) {
        // A negative descriptor is passed over.
        sources[2].fd = admitting && !delaysAdmission ? listener : -1
        var milliseconds = milliseconds
        if delaysAdmission {
            let most = Self.admissionMilliseconds
            milliseconds = milliseconds < 0 ? most : min(milliseconds, most)
        }
        delaysAdmission = false
        let began = Self.nanoseconds
        if milliseconds == 0 || !forecast.isShort || !isThereSoon(began) {
            look(milliseconds: milliseconds)
        }
        if milliseconds != 0 {
            forecast.learn(isShort: Self.nanoseconds - began < Self.shortNanoseconds)
        }
        return (sources[1].revents != 0, sources[2].revents != 0)
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
