internal import CHTTPServer
internal import Synchronization

/// A libmicrohttpd daemon without threads: it works only when it is run.
///
/// Unchecked Sendable: after the start it is used by one thread at a time, that of its `EventLoop`
/// until the loop has ended.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<DaemonContext>

    init(_ context: DaemonContext) throws(ServerFailure) {
        // Balanced in `stop` after the last callback, or below if the start fails.
        let retained = Unmanaged.passRetained(context)
        guard let pointer = Self.start(context.core, retained.toOpaque()) else {
            retained.release()
            throw .notStarted
        }
        self.pointer = pointer
        self.context = retained
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

    /// A descriptor that is readable when there is work.
    var events: Int32 { latchkey_http_events(pointer) }

    /// The time until it must be run; -1 if only an event creates work.
    var millisecondsLeft: Int32 { latchkey_http_milliseconds_left(pointer) }

    /// Does all pending work without blocking.
    func run() { _ = MHD_run(pointer) }

    /// Takes ownership of the socket of a new connection; closes it at the connection limit.
    func add(_ socket: Int32) { latchkey_http_add(pointer, socket) }

    /// Closes every connection.
    func stop() {
        MHD_stop_daemon(pointer)
        context.release()
    }
}

/// The context of the callbacks.
final class DaemonContext: Sendable {
    let core: ServerCore
    let wakeEvent: WakeEvent
    /// The number of connections, including those about to be added.
    let connectionCount = Atomic<Int>(0)

    init(core: ServerCore, wakeEvent: WakeEvent) {
        self.core = core
        self.wakeEvent = wakeEvent
    }
}
