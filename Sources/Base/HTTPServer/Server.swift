internal import CPosix
internal import Glibc
internal import Synchronization
package import Time

/// Serves HTTP/1.1 on listening sockets with a thread for each responder and one more.
///
/// Requests are read completely before a thread answers them, so a slow client costs memory and no
/// thread. Connections are kept and may be pipelined; requests of one connection are answered one
/// after the other.
package final class Server: Sendable {
    private let listeners: Mutex<[Listener]>
    private let limits: ServerLimits
    private let responders: [Responder]
    private let slow: SlowRequests
    private let immediate: @Sendable (ReceivedRequest) -> ServerResponse?
    private let clock: WallClock
    private let counters: ServerCounters?
    private let queueClock: @Sendable () -> Int
    private let wake: WakeEvent
    private let stops = Atomic<Int>(0)

    /// - Parameters:
    ///   - responders: one for each request that is answered at the same time, at least one.
    ///   - counters: counts connections and requests for metrics, if set.
    ///   - queueClock: in milliseconds, measures how long requests wait for a responder.
    ///   - slow: requests that wait for their turn without a responder.
    ///   - immediate: answers a request without a responder; if it returns nil, a responder
    ///     answers.
    package init(
        _ listeners: [Listener], limits: ServerLimits = ServerLimits(), responders: [Responder],
        clock: WallClock, counters: ServerCounters? = nil,
        queueClock: @escaping @Sendable () -> Int = { Monotonic.milliseconds },
        slow: SlowRequests? = nil,
        immediate: @escaping @Sendable (ReceivedRequest) -> ServerResponse? = { _ in nil }
    ) throws(ListenFailure) {
        self.listeners = Mutex(listeners)
        self.limits = limits
        self.responders = responders
        self.slow = slow ?? SlowRequests.none
        self.immediate = immediate
        self.clock = clock
        self.counters = counters
        self.queueClock = queueClock
        wake = try WakeEvent()
    }

    package enum End: Sendable {
        case finished
        /// A request was still running at the end of the stop time or at a second `stop`.
        case cutOff
    }

    /// Stops accepting connections. `run` returns when the requests that have begun are answered,
    /// and at once after a second call. Any thread may call it.
    package func stop() {
        stops.add(1, ordering: .releasing)
        wake.signal()
    }

    package var isStopping: Bool { stops.load(ordering: .acquiring) > 0 }

    /// Serves until `stop`. Call it once.
    package func run() throws(ListenFailure) -> End {
        DescriptorLimit.raise()
        let dates = DateField(clock)
        let accepting = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        let events = try EventSet()
        let loop = ServerLoop(
            accepting, events, limits: limits, wake: wake, dates: dates, counters: counters,
            queueClock: queueClock, slow: slow, immediate: immediate)
        let threads = ServerThreads(
            loop, events, responders, wake: wake,
            stops: { [self] in stops.load(ordering: .acquiring) },
            serve: { [self] in serve($0, with: $1, dates) })
        return try threads.run()
    }

    private func serve(
        _ connection: Connection, with responder: Responder, _ dates: DateField
    ) -> Connection.SendResult {
        // Every connection here has a request.
        guard var request = connection.request else { return .failed }
        if queueClock() - connection.queuedAt > limits.queueTime {
            guard connection.slowClient != nil else {
                counters?.didRefuse(ServerResponse.busy.status)
                return send(.busy, to: request, on: connection, dates)
            }
            // The request's turn was expected earlier, so the client is told to try again.
            request.refusedForSeconds = 1
            connection.request = request
        }
        return send(responder.answer(request), to: request, on: connection, dates)
    }

    private func send(
        _ response: ServerResponse, to request: ReceivedRequest, on connection: Connection,
        _ dates: DateField
    ) -> Connection.SendResult {
        let closing = request.closes || isStopping
        connection.respond(
            response.encoded(for: request.method, closing: closing, date: dates.text),
            closing: closing)
        return connection.send()
    }
}

/// An eventfd that wakes a thread that waits for events.
final class WakeEvent: Sendable {
    let descriptor: Int32

    init() throws(ListenFailure) {
        descriptor = latchkey_event_open()
        guard descriptor >= 0 else { throw ListenFailure(call: "eventfd", code: -descriptor) }
    }

    deinit { close(descriptor) }

    func signal() {
        var count: UInt64 = 1
        write(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Clears the signal. Call this before handling the event, so that a later signal is not lost.
    func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

/// The value of `Date`, computed once a second.
final class DateField: Sendable {
    private let clock: WallClock
    private let latest = Mutex<(second: Int64, text: String)?>(nil)

    init(_ clock: WallClock) { self.clock = clock }

    var text: String {
        let now = clock.now()
        return latest.withLock { latest in
            if let latest, latest.second == now.seconds { return latest.text }
            let text = now.httpDate
            latest = (now.seconds, text)
            return text
        }
    }
}

enum DescriptorLimit {
    /// Raises the limit of open files to the hard limit: the soft one is 1,024 for the sake of
    /// select(2), which is not used here.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
