internal import CHTTPServer
internal import Synchronization

/// A libmicrohttpd daemon without threads: it works only while `run` is called.
///
/// The thread of its `EventLoop` runs it on events, and a thread that answers one of its requests
/// runs it too: waking the event loop's thread for each answer cost two thread switches, and often
/// the time that a sleeping processor takes to wake.
final class Daemon: Sendable {
    let core: ServerCore
    let wakeEvent: WakeEvent
    /// The number of connections, including connections that are being added.
    let connectionCount = Atomic<Int>(0)
    /// nil after `stop`. The lock is held while the daemon runs.
    private let started = Mutex<Started?>(nil)
    private let isRunning = Atomic<Bool>(false)

    /// This is `@unchecked`, because it is only used under the lock.
    private struct Started: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// A response is sent in the first round, and the connection is ready for a request in the
    /// third.
    private static let roundsMax = 8

    init(_ core: ServerCore) throws(ServerFailure) {
        self.core = core
        wakeEvent = try WakeEvent()
        // This is balanced in `stop`, after the last callback, or below if there will be no
        // callback.
        let context = Unmanaged.passRetained(self)
        guard let pointer = Self.start(core, context.toOpaque()) else {
            context.release()
            throw .notStarted
        }
        started.withLock { $0 = Started(pointer: pointer) }
    }

    private static func start(
        _ core: ServerCore, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        var settings = latchkey_http_settings(
            connections_max: UInt32(core.limits.connectionsMax),
            idle_seconds_max: UInt32(core.limits.idleSecondsMax),
            connection_bytes_max: core.limits.connectionBytesMax,
            certificate_chain: nil, private_key: nil, tls_priorities: nil,
            handler: handleRequest, completed: completeRequest, connection: noteConnection,
            started: startRequest, context: context)
        guard let identity = core.identity else { return latchkey_http_start(&settings) }
        return identity.withTexts { chain, key, priorities in
            settings.certificate_chain = chain
            settings.private_key = key
            settings.tls_priorities = priorities
            return latchkey_http_start(&settings)
        }
    }

    /// A descriptor that is readable when there is work; -1 when the daemon does not run.
    var events: Int32 { started.withLock { $0.map { latchkey_http_events($0.pointer) } ?? -1 } }

    /// Does all pending work. Blocks only while another thread is doing it.
    ///
    /// Returns the time until the next work in milliseconds; -1 if only an event causes more.
    func run() -> Int32 { started.withLock { work(on: $0) } }

    /// Does the work on this thread, or leaves the rest of it to the loop's thread.
    func runOrWake() {
        // In a callback, this thread itself is running the daemon.
        let isFree = !isRunning.load(ordering: .relaxed)
        let left = isFree ? started.withLockIfAvailable { work(on: $0) } : nil
        if left ?? 0 == 0 { wakeEvent.signal() }
    }

    private func work(on started: Started?) -> Int32 {
        guard let pointer = started?.pointer else { return -1 }
        isRunning.store(true, ordering: .relaxed)
        defer { isRunning.store(false, ordering: .relaxed) }
        for _ in 0..<Self.roundsMax {
            _ = MHD_run(pointer)
            let left = latchkey_http_milliseconds_left(pointer)
            if left != 0 { return left }
        }
        return 0
    }

    /// Takes ownership of the socket of a new connection; closes it if the limit is reached.
    func add(_ socket: Int32) {
        started.withLock { if let started = $0 { latchkey_http_add(started.pointer, socket) } }
    }

    /// Closes every connection.
    func stop() {
        let wasStarted = started.withLock { started in
            defer { started = nil }
            if let started { MHD_stop_daemon(started.pointer) }
            return started != nil
        }
        if wasStarted { Unmanaged.passUnretained(self).release() }
    }
}
