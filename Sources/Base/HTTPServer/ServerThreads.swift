internal import Glibc
internal import Threads

/// The threads of a server. Each waits for the events of all connections and answers the requests
/// that it finds: handing a request to another thread costs more than a short answer.
///
/// Only as many threads run as there are processors, because every further one would take turns
/// with the others. A thread that waits for something else reports that (`Waiting`), and another
/// one runs in the meantime. There is one thread more than there are responders, so that
/// connections are accepted and read even while all requests wait.
///
/// The variables are only used while `lock` is held.
final class ServerThreads: @unchecked Sendable {
    private let lock = Lock()
    private let wakes = Condition()
    /// Wakes the thread that watches the others.
    private let guardWakes = Condition()
    private let ended = Condition()

    private var loop: ServerLoop
    private let events: EventSet
    private let wake: WakeEvent
    private let stops: () -> Int
    private let serve: (Connection, Responder) -> Connection.SendResult
    /// Idle responders.
    private var responders: [Responder]

    private let runningMax = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// The number of threads that neither sleep nor wait for something else, including those that
    /// wait for events.
    private var running = 0
    /// Running threads that wait for events.
    private var polling = 0
    private var sleeping = 0
    /// Whether one of the sleeping threads watches the others.
    private var isGuarded = false
    /// Threads that were woken and still sleep. They also count as running.
    private var woken = 0
    private var threads = 0
    /// A moving average of how long requests take.
    private var answerMicroseconds = 0
    private var end: Server.End?

    /// The number is small, so that another thread can soon take one of the requests.
    private static let eventsMax = 8
    private static let looks = 60
    private static let furtherLooks = 20
    /// If an answer takes less time than this, no other thread is woken to wait for events.
    private static let shortMicroseconds = 1_000
    private static let guardMilliseconds = 250

    /// - Parameters:
    ///   - stops: returns how often the server was told to stop. `wake` is signalled each time.
    ///   - serve: answers the request of a connection.
    init(
        _ loop: ServerLoop, _ events: EventSet, _ responders: [Responder], wake: WakeEvent,
        stops: @escaping () -> Int,
        serve: @escaping (Connection, Responder) -> Connection.SendResult
    ) {
        self.loop = loop
        self.events = events
        self.responders = responders
        self.wake = wake
        self.stops = stops
        self.serve = serve
    }

    /// Returns when the server has stopped.
    func run() throws(ListenFailure) -> Server.End {
        lock.lock()
        defer { lock.unlock() }
        loop.begin()
        for _ in 0...responders.count {
            threads += 1
            running += 1
            guard PosixThread.detached({ [self] in work() }) else {
                threads -= 1
                finish(.cutOff)
                throw ListenFailure(call: "pthread_create", code: EAGAIN)
            }
        }
        while true {
            if let end, end == .cutOff || threads == 0 { return end }
            if let deadline = loop.stopDeadline, end != nil, Monotonic.milliseconds >= deadline {
                return .cutOff
            }
            if end == nil {
                ended.wait(lock)
            } else {
                ended.wait(lock, milliseconds: Self.guardMilliseconds)
            }
        }
    }

    // MARK: Threads

    private func work() {
        Waiting.observe(
            willWait: { [self] in
                lock.lock()
                running -= 1
                if polling == 0 || canAnswer { wakeOne() }
                lock.unlock()
            },
            didWait: { [self] in
                lock.lock()
                running += 1
                lock.unlock()
            })
        var tokens = [UInt64](repeating: 0, count: Self.eventsMax)
        lock.lock()
        var isNeeded = false
        var tookLong = false
        while end == nil {
            if canAnswer {
                tookLong = answer(with: responders.removeLast())
            } else if running > runningMax, !isNeeded {
                isNeeded = sleep()
            } else if poll(&tokens, afterLongAnswer: tookLong) {
                (isNeeded, tookLong) = (false, false)
            } else {
                (isNeeded, tookLong) = (sleep(), false)
            }
        }
        running -= 1
        threads -= 1
        ended.signal()
        lock.unlock()
    }

    /// Handles the next events. Returns false if there are none and another thread waits for them.
    ///
    /// After a long answer this thread waits too: epoll wakes the thread that began to wait last,
    /// so a client's next request comes to this thread. The processor's caches then still have its
    /// data, such as the memory of a password hash.
    private func poll(_ tokens: inout [UInt64], afterLongAnswer: Bool) -> Bool {
        let waits = polling == 0 || afterLongAnswer
        if waits { polling += 1 }
        let timeout = loop.timeout
        lock.unlock()
        let count = wait(&tokens, waits ? timeout : 0)
        lock.lock()
        if waits { polling -= 1 }
        guard end == nil, count > 0 || polling == 0 else { return end != nil }
        loop.handle(tokens.prefix(count))
        if let end = loop.end(stops: stops()) { finish(end) }
        return true
    }

    /// Waking a thread takes longer than most clients need for their next request. So the thread
    /// checks for it a few times before it sleeps.
    private func wait(_ tokens: inout [UInt64], _ timeout: Int32) -> Int {
        for _ in 0..<(timeout == 0 ? Self.furtherLooks : Self.looks) {
            let count = events.wait(&tokens, milliseconds: 0)
            if count > 0 { return count }
            sched_yield()
        }
        return timeout == 0 ? 0 : events.wait(&tokens, milliseconds: timeout)
    }

    /// Returns whether the answer took long.
    private func answer(with responder: Responder) -> Bool {
        let microseconds = answerNext(with: responder)
        lock.unlock()
        responder.afterResponse()
        lock.lock()
        responders.append(responder)
        return microseconds > Self.shortMicroseconds
    }

    /// This is a separate method, because a connection is closed when its last reference is gone.
    private func answerNext(with responder: Responder) -> Int {
        guard let connection = loop.nextRequest() else { return 0 }
        let areLong = answerMicroseconds > Self.shortMicroseconds
        if canAnswer || areLong && polling == 0 { wakeOne() }
        lock.unlock()
        let began = Monotonic.microseconds
        let result = serve(connection, responder)
        let took = Monotonic.microseconds - began
        lock.lock()
        answerMicroseconds += (took - answerMicroseconds) / 8
        loop.didAnswer(connection, result, after: took)
        if let end = loop.end(stops: stops()) { finish(end) }
        return took
    }

    private func finish(_ end: Server.End) {
        guard self.end == nil else { return }
        self.end = end
        wakes.broadcast()
        guardWakes.broadcast()
        ended.signal()
        // This is never cleared, so that all waits end.
        wake.signal()
    }

    // MARK: Sleep

    private func wakeOne() {
        guard running < runningMax, sleeping > woken else { return }
        let isLast = sleeping - woken == 1
        woken += 1
        running += 1
        (isLast && isGuarded ? guardWakes : wakes).signal()
    }

    private var canAnswer: Bool { loop.hasRequests && !responders.isEmpty }

    /// Whether the thread is needed although enough others run.
    private func sleep() -> Bool {
        running -= 1
        sleeping += 1
        defer { sleeping -= 1 }
        var isNeeded = false
        while woken == 0, !isNeeded, end == nil {
            if isGuarded { wakes.wait(lock) } else { isNeeded = guardOthers() }
        }
        if woken > 0 { woken -= 1 } else { running += 1 }
        return isNeeded
    }

    /// Whether the other threads may be waiting for something without reporting it.
    private func guardOthers() -> Bool {
        isGuarded = true
        let isWoken = guardWakes.wait(lock, milliseconds: Self.guardMilliseconds)
        isGuarded = false
        let isNeeded = !isWoken && (polling == 0 || canAnswer)
        // Another sleeping thread becomes the guard.
        if isNeeded || woken > 0 { wakes.signal() }
        return isNeeded
    }
}
