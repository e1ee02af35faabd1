internal import CHTTPServer
internal import Glibc

/// One of libmicrohttpd's daemons, without any thread: it works when it is run.
///
/// @unchecked: after the start, one thread at a time uses it, its `Loop`'s until that has ended.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<DaemonContext>
    /// Its own descriptor of the socket that all daemons of a server accept from.
    private let socket: Int32

    /// Rings the bell when there is work for `run` that `events` does not tell of.
    init(_ core: ServerCore, acceptingFrom listener: Int32, bell: Bell) throws(ServerFailure) {
        let socket = fcntl(listener, F_DUPFD_CLOEXEC, 0)
        guard socket >= 0 else { throw .noSocket(code: errno) }
        // Balanced in `stop`, after the last callback, or below when there will be none.
        let context = Unmanaged.passRetained(DaemonContext(core: core, bell: bell))
        // When it fails, it closes the socket: closing it once more would close what another
        // thread has just opened under its number.
        guard let pointer = Self.start(core, context.toOpaque(), socket) else {
            context.release()
            throw .notStarted
        }
        self.pointer = pointer
        self.context = context
        self.socket = socket
    }

    private static func start(
        _ core: ServerCore, _ context: UnsafeMutableRawPointer, _ socket: Int32
    ) -> OpaquePointer? {
        // Each daemon has the whole limit, because connections come to them by chance.
        var settings = latchkey_http_settings(
            listening_socket: socket, connections_max: UInt32(core.limits.connectionsMax),
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

    /// Takes no more connections.
    func quiesce() { _ = MHD_quiesce_daemon(pointer) }

    /// After `quiesce`, which makes closing the socket our affair. Closes every connection.
    func stop() {
        MHD_stop_daemon(pointer)
        close(socket)
        context.release()
    }
}

/// What the callbacks need.
final class DaemonContext: Sendable {
    let core: ServerCore
    let bell: Bell

    init(core: ServerCore, bell: Bell) {
        self.core = core
        self.bell = bell
    }
}
