internal import CHTTPServer
internal import Synchronization

/// Receives the response to one request: once, from any thread, immediately or later.
///
/// If it is released without a response, a 500 is sent, so that no client waits forever.
package final class ResponseSlot: Sendable {
    private enum Receiver: Sendable {
        case client(PendingResponse)
        case observer(ResponseObserver)
        case relay(ResponseRelay)
    }

    private let receiver: Receiver

    init(_ exchange: PendingResponse) { receiver = .client(exchange) }

    /// A slot that passes its response to `observe`, once, instead of to a client.
    package init(observe: @escaping @Sendable (ServerResponse) -> Void) {
        receiver = .observer(ResponseObserver(observe))
    }

    /// Another slot for the same request: `note` is called once with the response, before it is
    /// sent to the client; with nil if the request ends without a response.
    package func noting(
        _ note: @escaping @Sendable (ServerResponse?) -> Void
    ) -> ResponseSlot {
        ResponseSlot(ResponseRelay(self, note))
    }

    private init(_ relay: ResponseRelay) { receiver = .relay(relay) }

    deinit {
        let isOver =
            switch receiver {
            case .client(let exchange): exchange.isAnswered
            case .observer(let observer): observer.isTaken
            case .relay(let relay): relay.isOver
            }
        if !isOver { respond(.refusal(500, "Internal Server Error")) }
    }

    /// Only the first response counts. Returns false if there was one already, or if the client has
    /// disconnected.
    @discardableResult
    package func respond(_ response: ServerResponse) -> Bool {
        switch receiver {
        case .client(let exchange): exchange.answer(.response(response))
        case .observer(let observer): observer.take(response)
        case .relay(let relay): relay.end(response) { $0.respond(response) }
        }
    }

    /// Responds with a body that is written after the head. The stream ends with the connection.
    @discardableResult
    package func respond(_ head: ServerResponse, streaming stream: ResponseStream) -> Bool {
        let isFirst =
            switch receiver {
            case .client(let exchange): exchange.answer(.stream(head, stream))
            case .observer(let observer): observer.take(head)
            case .relay(let relay): relay.end(head) { $0.respond(head, streaming: stream) }
            }
        if !isFirst { stream.end() }
        return isFirst
    }

    /// Closes the client's connection instead of responding, with a TCP reset.
    package func reset() {
        switch receiver {
        case .client(let exchange): exchange.answer(.reset)
        case .observer(let observer): observer.take(.refusal(500, "Connection reset"))
        case .relay(let relay):
            relay.end(nil) { slot in
                slot.reset()
                return true
            }
        }
    }

    /// Called once, on a thread of the server, if the client disconnects before the response;
    /// immediately if it already has. A later response is dropped.
    package func onClose(_ action: @escaping @Sendable () -> Void) {
        switch receiver {
        case .client(let exchange): exchange.onClose(action)
        case .observer: break
        case .relay(let relay): relay.slot.onClose(action)
        }
    }
}

/// Passes the first response on.
private final class ResponseRelay: Sendable {
    let slot: ResponseSlot
    private let note: @Sendable (ServerResponse?) -> Void
    private let isEnded = Atomic<Bool>(false)

    var isOver: Bool { isEnded.load(ordering: .relaxed) }

    init(_ slot: ResponseSlot, _ note: @escaping @Sendable (ServerResponse?) -> Void) {
        self.slot = slot
        self.note = note
    }

    @discardableResult
    func end(_ response: ServerResponse?, _ pass: (ResponseSlot) -> Bool) -> Bool {
        guard !isEnded.exchange(true, ordering: .relaxed) else { return false }
        note(response)
        return pass(slot)
    }
}

/// Receives the first response.
private final class ResponseObserver: Sendable {
    private let observe: Mutex<(@Sendable (ServerResponse) -> Void)?>

    init(_ observe: @escaping @Sendable (ServerResponse) -> Void) { self.observe = Mutex(observe) }

    var isTaken: Bool { observe.withLock { $0 == nil } }

    @discardableResult
    func take(_ response: ServerResponse) -> Bool {
        let first = observe.withLock { stored in
            defer { stored = nil }
            return stored
        }
        first?(response)
        return first != nil
    }
}

/// How a request ends.
enum RequestEnd: Sendable {
    case response(ServerResponse)
    /// The body of the response is ignored.
    case stream(ServerResponse, ResponseStream)
    /// No response: the connection is closed.
    case reset
}

/// One request that waits for its response.
///
/// The handler runs on the daemon's thread. If it has responded when it returns, the response is
/// queued immediately; otherwise the connection is suspended until `answer` resumes it.
final class PendingResponse: Sendable {
    private enum State: Sendable {
        /// The daemon's thread is processing the request.
        case running
        case suspended(SuspendedConnection)
        case answered(RequestEnd)
        case over
    }

    let connection: ConnectionState
    private let state = Mutex(State.running)
    private let closing = Mutex<(@Sendable () -> Void)?>(nil)
    private let suspensions: SuspendedRequests

    init(connection: ConnectionState, suspensions: SuspendedRequests) {
        self.connection = connection
        self.suspensions = suspensions
    }

    var isAnswered: Bool {
        state.withLock {
            switch $0 {
            case .running, .suspended: false
            case .answered, .over: true
            }
        }
    }

    @discardableResult
    func answer(_ end: RequestEnd) -> Bool {
        let (isFirst, suspended) = state.withLock { state -> (Bool, SuspendedConnection?) in
            switch state {
            case .running:
                state = .answered(end)
                return (true, nil)
            case .suspended(let suspended):
                state = .answered(end)
                return (true, suspended)
            case .answered, .over:
                return (false, nil)
            }
        }
        // This is done after the lock is released, because the daemon's thread takes the lock as
        // soon as it wakes.
        if let suspended {
            suspended.resume()
            suspensions.remove(self)
        }
        return isFirst
    }

    /// Returns the end, or suspends the connection. Called on the daemon's thread.
    func takeOrSuspend(_ connection: SuspendedConnection) -> RequestEnd? {
        state.withLock { state in
            switch state {
            case .running:
                guard suspensions.insert(self) else {
                    state = .over
                    return .response(.refusal(503, "Service Unavailable"))
                }
                connection.suspend()
                state = .suspended(connection)
                return nil
            case .answered(let end):
                state = .over
                return end
            case .suspended, .over:
                return .response(.refusal(500, "Internal Server Error"))
            }
        }
    }

    /// The response was sent or the client has disconnected.
    func finish() {
        let last = state.withLock { state in
            defer { state = .over }
            return state
        }
        let wasAnswered = if case .over = last { true } else { false }
        // The client left before the stream began.
        if case .answered(.stream(_, let stream)) = last { stream.end() }
        let action = closing.withLock { closing in
            defer { closing = nil }
            return closing
        }
        if !wasAnswered { action?() }
    }

    func onClose(_ action: @escaping @Sendable () -> Void) {
        let isSuspended = state.withLock { if case .suspended = $0 { true } else { false } }
        closing.withLock { $0 = action }
        if isSuspended, connection.hasHungUp { hungUp() }
    }

    /// Called by the sweeper when the client has closed the connection. The action runs only once.
    func hungUp() {
        let action = closing.withLock { closing in
            defer { closing = nil }
            return closing
        }
        action?()
    }

    var isHeard: Bool { closing.withLock { $0 != nil } }
}

/// A suspended connection of libmicrohttpd.
///
/// Unchecked Sendable: `MHD_resume_connection` may be called from any thread, and the daemon does
/// not close a connection while it is suspended.
struct SuspendedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    let daemon: Daemon

    /// Call this only on the daemon's thread, in the daemon's callback.
    func suspend() { MHD_suspend_connection(pointer) }

    func resume() {
        MHD_resume_connection(pointer)
        // The daemon notices it when it runs next.
        daemon.runOrWake()
    }
}

/// The suspended requests; a daemon must not be stopped while there are any.
final class SuspendedRequests: Sendable {
    private struct State: Sendable {
        var waiting: [ObjectIdentifier: PendingResponse] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Returns false if the server is stopping.
    func insert(_ exchange: PendingResponse) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    /// Called after the connection was resumed.
    func remove(_ exchange: PendingResponse) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    func close() { state.withLock { $0.isClosed = true } }

    var all: [PendingResponse] { state.withLock { Array($0.waiting.values) } }
    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }
}
