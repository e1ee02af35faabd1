internal import Glibc
internal import Synchronization

/// Waits for events adaptively: spins for a moment, then blocks.
///
/// A single client sends its next request as soon as it has the response. Waking a blocked thread,
/// and its sleeping processor, took 35 of the 57 microseconds of an empty exchange on a virtual
/// machine, more than most handlers need. So a thread that recently received a request shortly
/// after the last one spins for a moment. While spinning it yields to other threads, and one
/// processor is always left free.
struct AdaptivePoller {
    private static let awakeNanoseconds: UInt64 = 100_000
    /// A wait of at most this time is short: its event would arrive while a thread spins.
    private static let shortNanoseconds: UInt64 = 150_000

    /// The maximum number of spinning threads, over all servers of the process.
    private static let awakeMax = sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1
    private static let awake = Atomic<Int>(0)

    private var sources: [pollfd]
    private let listener: Int32
    private var forecast = WaitForecast()
    private var delaysAdmission = false
    /// How often in a row libmicrohttpd wanted to continue at once, without an event.
    private var idleRounds = 0

    /// More rounds than are needed to read a full socket buffer of 6 MiB.
    private static let idleRoundsMax = 1_000
    private static let idleMilliseconds: Int32 = 10

    /// The longest wait without the listener. The listener is left out because it would be readable
    /// all the time.
    private static let admissionMilliseconds: Int32 = 50

    init(for events: Int32, _ wakeEvent: Int32, and listener: Int32) {
        sources = [events, wakeEvent, listener].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        self.listener = listener
    }

    /// The next wait is short and does not poll the listener.
    mutating func delayAdmission() { delaysAdmission = true }

    /// Waits until there is an event or the timeout expires; -1 means no timeout.
    mutating func wait(
        milliseconds: Int32, admitting: Bool
    ) -> (wakeEvent: Bool, connections: Bool) {
        // poll(2) ignores negative descriptors.
        sources[2].fd = admitting && !delaysAdmission ? listener : -1
        var milliseconds = milliseconds
        // libmicrohttpd continues until the connection expires after some malformed requests, such
        // as a request with a chunk extension that is larger than its buffer.
        let goesOn = milliseconds == 0
        if goesOn, idleRounds >= Self.idleRoundsMax { milliseconds = Self.idleMilliseconds }
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
        let isIdle = goesOn && sources.allSatisfy { $0.revents == 0 }
        idleRounds = isIdle ? idleRounds + 1 : 0
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
