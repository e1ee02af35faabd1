internal import CPosix
internal import Glibc

/// All connections: accepts and reads, keeps complete requests until they are answered, sends the
/// rest of responses that could not be sent at once, and closes connections that are too slow.
///
/// Only one thread uses it at a time.
struct ServerLoop {
    private let events: EventSet
    private var listeners: [Listener]
    private let limits: ServerLimits
    private let wake: WakeEvent
    private let dates: DateField
    private let counters: ServerCounters?
    private let queueClock: @Sendable () -> Int
    private let immediate: @Sendable (ReceivedRequest) -> ServerResponse?

    private var connections: [UInt64: Connection] = [:]
    /// The connections whose requests are complete, the oldest first.
    private var requests: [Connection] = []
    private var slow: SlowLane
    private var nextToken = Self.firstConnectionToken
    private var bytesHeld = 0
    private var isAccepting = false
    private var acceptsAgainAt: Int?
    private var stopRequested: Int?
    private(set) var stopDeadline: Int?
    private var now = Monotonic.milliseconds
    private var lastCheck = 0

    private static let wakeToken: UInt64 = 0
    private static let firstConnectionToken: UInt64 = 1_000
    private static let acceptsMax = 64
    /// The precision of the time limits.
    private static let tick = 250
    private static let stopTick: Int32 = 20
    /// How long a client that is still sending may pause after the last response, and how long it
    /// may send in total. If the connection were closed at once, the kernel would reset it, and the
    /// client would lose the response.
    private static let drainPause = 2_000
    private static let drainTime = 20_000
    /// How long idle connections stay open while stopping: closing at once would lose a request
    /// that is on its way.
    private static let lastIdleTime = 500
    private static let acceptPause = 100

    init(
        _ listeners: [Listener], _ events: EventSet, limits: ServerLimits, wake: WakeEvent,
        dates: DateField, counters: ServerCounters?,
        queueClock: @escaping @Sendable () -> Int, slow: SlowRequests,
        immediate: @escaping @Sendable (ReceivedRequest) -> ServerResponse?
    ) {
        self.slow = SlowLane(slow, connectionsMax: limits.connectionsMax)
        self.events = events
        self.listeners = listeners
        self.limits = limits
        self.wake = wake
        self.dates = dates
        self.counters = counters
        self.queueClock = queueClock
        self.immediate = immediate
        events.add(wake.descriptor, Self.wakeToken)
    }

    mutating func begin() { accept(true) }

    mutating func handle(_ tokens: ArraySlice<UInt64>) {
        now = Monotonic.milliseconds
        for token in tokens {
            switch token {
            case Self.wakeToken: wake.clear()
            case ..<Self.firstConnectionToken:
                if Int(token) <= listeners.count { acceptAll(from: listeners[Int(token) - 1]) }
            default: if let connection = connections[token] { handleEvent(of: connection) }
            }
        }
        if now - lastCheck >= Self.tick || stopDeadline != nil { checkDeadlines() }
    }

    var hasRequests: Bool { !requests.isEmpty || slow.next != nil }

    mutating func nextRequest() -> Connection? {
        if let next = slow.next, requests.first.map({ next.queuedAt <= $0.queuedAt }) ?? true {
            return slow.begin()
        }
        return requests.isEmpty ? nil : requests.removeFirst()
    }

    mutating func didAnswer(
        _ connection: Connection, _ result: Connection.SendResult, after microseconds: Int
    ) {
        now = Monotonic.milliseconds
        slow.end(connection, after: microseconds)
        didSend(connection, result)
    }

    /// Stops if that was requested. Returns how the server ends, once that is known.
    mutating func end(stops: Int) -> Server.End? {
        switch stops {
        case 0: break
        case 1: stopIfDue()
        default: return .cutOff
        }
        guard let stopDeadline else { return nil }
        if connections.isEmpty { return .finished }
        return now >= stopDeadline ? .cutOff : nil
    }

    var timeout: Int32 {
        // The wait is limited: another thread may accept a connection, or stop the server.
        stopRequested != nil ? Self.stopTick : Int32(Self.tick)
    }

    // MARK: Accepting

    private mutating func accept(_ accepts: Bool) {
        guard accepts != isAccepting else { return }
        isAccepting = accepts
        for (index, listener) in listeners.enumerated() {
            if accepts {
                events.add(listener.descriptor, UInt64(index + 1))
            } else {
                events.remove(listener.descriptor)
            }
        }
    }

    private mutating func acceptAll(from listener: Listener) {
        for _ in 0..<Self.acceptsMax {
            let isFull = connections.count >= limits.connectionsMax
            let leaving = isFull ? leastNeeded : nil
            // If no connection can be closed, clients wait in the kernel's queue.
            if isFull, leaving == nil { return accept(false) }
            let descriptor = latchkey_accept(listener.descriptor)
            switch -descriptor {
            case ...0:
                // Evict now: another thread may have accepted the client of the event.
                if let leaving { evict(leaving) }
                open(descriptor)
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                guard let least = leastNeeded else {
                    acceptsAgainAt = now + Self.acceptPause
                    return accept(false)
                }
                evict(least)
            default: return
            }
        }
    }

    private mutating func open(_ descriptor: Int32) {
        var one: Int32 = 1
        // Fails for Unix sockets, which have no delay.
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let connection = Connection(
            token: nextToken, descriptor: descriptor, peer: SocketName.peerHost(of: descriptor),
            limits: limits.request)
        nextToken += 1
        connections[connection.token] = connection
        counters?.didOpen()
        // The first request has usually arrived with the connection.
        read(connection)
    }

    private mutating func evict(_ connection: Connection) {
        counters?.didEvict()
        drop(connection)
    }

    /// The connection that has been idle for longest after a request. If there is none, one with an
    /// incomplete request: connections without a complete head come first, and among them the one
    /// that has waited longest. A client that sends nothing more must not exclude others until its
    /// time is over, and a new client must not be closed before it is read. nil if all requests are
    /// complete.
    private var leastNeeded: Connection? {
        connections.values.filter { $0.phase == .reading }.min {
            ($0.progress, $0.waitsSince) < ($1.progress, $1.waitsSince)
        }
    }

    // MARK: Connections

    private mutating func handleEvent(of connection: Connection) {
        // An event is reported once.
        connection.watch = .none
        switch connection.phase {
        case .reading: read(connection)
        case .waiting: watchForEnd(connection)
        case .answering: break
        case .writing: didSend(connection, connection.send())
        case .draining: drain(connection)
        }
    }

    private mutating func read(_ connection: Connection) {
        switch connection.read() {
        case .nothing: proceed(connection)
        // This also applies in the middle of a request: it was never complete, so nothing is lost.
        case .end: drop(connection)
        case .bytes(let bytes):
            connection.parser.receive(bytes)
            proceed(connection)
        }
    }

    /// Parses what was received, up to a request for a worker or to the end of the input.
    private mutating func proceed(_ connection: Connection) {
        while connection.phase == .reading {
            do throws(RequestRefusal) {
                switch try connection.parser.next() {
                case .needsInput:
                    count(connection)
                    guard bytesHeld <= limits.bytesHeldMax else { throw .outOfMemory }
                    return waitForInput(connection)
                case .expectsContinue:
                    connection.respond(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), closing: false)
                    // The client has not read the earlier responses.
                    guard connection.send() == .sent else { return drop(connection) }
                case .request(var request):
                    count(connection)
                    request.peer = connection.peer
                    take(request, of: connection)
                }
            } catch {
                refuse(connection, error)
            }
        }
    }

    private mutating func take(_ request: ReceivedRequest, of connection: Connection) {
        connection.timedPhase = nil
        connection.hasRequested = true
        if let response = immediate(request) {
            let closing = request.closes || stopDeadline != nil
            respond(connection, response, to: request.method, closing: closing)
        } else {
            connection.request = request
            connection.queuedAt = queueClock()
            counters?.didBegin()
            connection.deadline = nil
            if slow.accepts(connection) {
                connection.phase = .waiting
                return watch(connection, .input)
            }
            connection.phase = .answering
            requests.append(connection)
        }
    }

    /// Removes a client that closes the connection from the queue, unless it sends further input.
    private mutating func watchForEnd(_ connection: Connection) {
        switch connection.read() {
        case .nothing: watch(connection, .input)
        case .bytes(let bytes):
            connection.parser.receive(bytes)
            count(connection)
        case .end:
            slow.remove(connection)
            didSend(connection, .failed)
        }
    }

    private mutating func refuse(_ connection: Connection, _ refusal: RequestRefusal) {
        counters?.didRefuse(refusal.status)
        connection.parser.discard()
        count(connection)
        respond(connection, ServerResponse(refusal), to: "", closing: true)
    }

    private mutating func respond(
        _ connection: Connection, _ response: ServerResponse, to method: String, closing: Bool
    ) {
        connection.respond(
            response.encoded(for: method, closing: closing, date: dates.text), closing: closing)
        // `proceed` continues with pipelined requests.
        if connection.send() == .sent, !closing { return }
        didSend(connection, connection.send())
    }

    /// Sends the rest, or continues with the next request.
    private mutating func didSend(_ connection: Connection, _ result: Connection.SendResult) {
        if connection.request != nil { counters?.didEnd() }
        connection.request = nil
        switch result {
        case .failed: drop(connection)
        case .blocked:
            if connection.phase != .writing {
                connection.phase = .writing
                connection.deadline = now + limits.responseTime
            }
            watch(connection, .output)
        case .sent where connection.endsWithResponse:
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.phase = .draining
            connection.drainsUntil = now + Self.drainTime
            connection.deadline = now + Self.drainPause
            drain(connection)
        case .sent:
            connection.phase = .reading
            connection.timedPhase = nil
            proceed(connection)
        }
    }

    private mutating func drain(_ connection: Connection) {
        switch connection.read() {
        case .bytes:
            connection.deadline = min(now + Self.drainPause, connection.drainsUntil)
            watch(connection, .input)
        case .nothing: watch(connection, .input)
        case .end: drop(connection)
        }
    }

    private mutating func waitForInput(_ connection: Connection) {
        let phase = connection.parser.phase
        if phase != connection.timedPhase {
            connection.timedPhase = phase
            connection.waitsSince = now
            connection.deadline = now + time(for: phase)
        }
        watch(connection, .input)
    }

    private func time(for phase: RequestParser.Phase) -> Int {
        switch phase {
        case .idle: stopDeadline == nil ? limits.idleTime : Self.lastIdleTime
        case .head: limits.headTime
        case .body: limits.bodyTime
        }
    }

    private mutating func count(_ connection: Connection) {
        let held = connection.parser.bytesHeld
        bytesHeld += held - connection.bytesHeld
        connection.bytesHeld = held
    }

    /// Reports the next event of the connection to one thread.
    private func watch(_ connection: Connection, _ watch: Connection.Watch) {
        guard watch != connection.watch else { return }
        connection.watch = watch
        events.watchOnce(
            connection.descriptor, forOutput: watch == .output, connection.token,
            isNew: !connection.isInSet)
        connection.isInSet = true
    }

    /// The owner closes the descriptor, which also ends watching it.
    private mutating func drop(_ connection: Connection) {
        connection.phase = .draining
        bytesHeld -= connection.bytesHeld
        connection.bytesHeld = 0
        if connection.isInSet { events.remove(connection.descriptor) }
        connection.isInSet = false
        if connections.removeValue(forKey: connection.token) != nil { counters?.didClose() }
        if !isAccepting, acceptsAgainAt == nil, stopDeadline == nil { accept(true) }
    }

    // MARK: Time

    private mutating func checkDeadlines() {
        lastCheck = now
        if let again = acceptsAgainAt, now >= again, stopDeadline == nil {
            acceptsAgainAt = nil
            accept(true)
        }
        for connection in Array(connections.values) {
            guard let deadline = connection.deadline, now >= deadline else { continue }
            if connection.phase == .reading, connection.parser.phase != .idle {
                refuse(connection, .timedOut)
            } else {
                drop(connection)
            }
        }
    }

    private mutating func stopIfDue() {
        guard stopDeadline == nil else { return }
        if stopRequested == nil { now = Monotonic.milliseconds }
        let requested = stopRequested ?? now
        stopRequested = requested
        if now >= requested + limits.drainTime { beginToStop() }
    }

    private mutating func beginToStop() {
        // Connections that the kernel has established are accepted: their clients may have sent a
        // request.
        for listener in listeners { acceptAll(from: listener) }
        accept(false)
        listeners = []
        stopDeadline = now + limits.stopTime
        for connection in Array(connections.values) where connection.isIdle {
            connection.timedPhase = nil
            read(connection)
        }
    }
}
