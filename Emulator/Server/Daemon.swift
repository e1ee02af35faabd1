internal import CHTTPServer
internal import Synchronization

/// One of libmicrohttpd's daemons, without any thread: it works when it is run.
///
/// @unchecked: after the start, one thread at a time uses it, its `EventLoop`'s until that has ended.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<DaemonContext>

    init(_ context: DaemonContext) throws(ServerFailure) {
        // Balanced in `stop`, after the last callback, or below when there will be none.
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

    /// Readable when there is work.
    var events: Int32 { latchkey_http_events(pointer) }

    /// When there is work at the latest; -1 where only news make some.
    var millisecondsLeft: Int32 { latchkey_http_milliseconds_left(pointer) }

    /// Does all the work that there is, and waits for nothing.
    func run() { _ = MHD_run(pointer) }

    /// Takes over the socket of a new connection, and closes it where it has no room.
    func add(_ socket: Int32) { latchkey_http_add(pointer, socket) }

    /// Closes every connection.
    func stop() {
        MHD_stop_daemon(pointer)
        context.release()
    }
}

/// What the callbacks need.
final class DaemonContext: Sendable {
    let core: ServerCore
    let wakeEvent: WakeEvent
    /// How many it has, and is about to be given.
    let connectionCount = Atomic<Int>(0)

    init(core: ServerCore, wakeEvent: WakeEvent) {
        self.core = core
        self.wakeEvent = wakeEvent
    }
}
