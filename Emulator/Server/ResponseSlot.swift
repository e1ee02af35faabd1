package import EmulatorHTTP
internal import CHTTPServer
internal import Synchronization

/// Where the answer to one request goes: once, from any thread, now or much later.
///
/// A slot that is let go without an answer answers 500, so that no client waits for ever.
package final class ResponseSlot: Sendable {
    private let exchange: PendingResponse

    init(_ exchange: PendingResponse) { self.exchange = exchange }

    deinit { exchange.answer(.refusal(500, "Internal Server Error")) }

    /// The first answer counts; false when there was one, or the client has gone.
    @discardableResult
    package func respond(_ response: ServerResponse) -> Bool { exchange.answer(response) }

    /// Called once, on a thread of the server, when the client hangs up before the answer; at
    /// once when it has already. A response may still be given; it is dropped.
    package func onClose(_ action: @escaping @Sendable () -> Void) { exchange.onClose(action) }
}

/// One request on its way through libmicrohttpd.
///
/// The handler runs on the daemon's thread. When it has answered on return, the response is
/// queued there and then; if not, the connection is suspended until `answer` resumes it.
final class PendingResponse: Sendable {
    private enum State: Sendable {
        /// The daemon's thread is at work on the request.
        case running
        case suspended(SuspendedConnection)
        case answered(ServerResponse)
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

    @discardableResult
    func answer(_ response: ServerResponse) -> Bool {
        let (isFirst, suspended) = state.withLock { state -> (Bool, SuspendedConnection?) in
            switch state {
            case .running:
                state = .answered(response)
                return (true, nil)
            case .suspended(let suspended):
                state = .answered(response)
                return (true, suspended)
            case .answered, .over:
                return (false, nil)
            }
        }
        // Outside of the lock, which the daemon's thread takes as soon as it wakes.
        if let suspended {
            suspended.resume()
            suspensions.remove(self)
        }
        return isFirst
    }

    /// The answer if there is one; otherwise the connection is suspended. On the daemon's thread.
    func takeOrSuspend(_ connection: SuspendedConnection) -> ServerResponse? {
        state.withLock { state in
            switch state {
            case .running:
                guard suspensions.insert(self) else {
                    state = .over
                    return .refusal(503, "Service Unavailable")
                }
                connection.suspend()
                state = .suspended(connection)
                return nil
            case .answered(let response):
                state = .over
                return response
            case .suspended, .over:
                return .refusal(500, "Internal Server Error")
            }
        }
    }

    /// The client has its answer, or is gone.
    func finish() {
        let wasAnswered = state.withLock { state in
            defer { state = .over }
            if case .over = state { return true }
            return false
        }
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

    /// For the sweeper: the action is run once.
    func hungUp() {
        let action = closing.withLock { closing in
            defer { closing = nil }
            return closing
        }
        action?()
    }

    var isHeard: Bool { closing.withLock { $0 != nil } }
}

/// A connection of libmicrohttpd that waits for its answer.
///
/// @unchecked: `MHD_resume_connection` may be called from any thread, and the connection lives
/// until it has been called, because the daemon never closes a suspended connection.
struct SuspendedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    let daemon: Daemon

    /// On the daemon's thread, in its callback.
    func suspend() { MHD_suspend_connection(pointer) }

    func resume() {
        MHD_resume_connection(pointer)
        // The daemon sees it when it is run the next time.
        daemon.runOrWake()
    }
}

/// The exchanges that wait; a daemon must not be stopped while there is one.
final class SuspendedRequests: Sendable {
    private struct State: Sendable {
        var waiting: [ObjectIdentifier: PendingResponse] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// False when there will be no more waiting.
    func insert(_ exchange: PendingResponse) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.waiting[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    /// After the connection has been resumed.
    func remove(_ exchange: PendingResponse) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    func close() { state.withLock { $0.isClosed = true } }

    var all: [PendingResponse] { state.withLock { Array($0.waiting.values) } }
    var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }
}
