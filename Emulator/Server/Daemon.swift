internal import CHTTPServer
internal import Glibc

/// libmicrohttpd's daemon and its threads.
///
/// @unchecked: the pointer is used by `quiesce` and `stop` only, which `Server` calls once each;
/// the daemon's own threads are libmicrohttpd's affair.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<ServerCore>
    private let socket: Int32

    /// Takes over the socket, also when it fails: libmicrohttpd closes it then, and closing it
    /// once more would close what another thread has just opened under its number.
    init(_ core: ServerCore, listeningOn socket: Int32) throws(ServerFailure) {
        // Balanced in `stop`, after the last callback, or below when there will be none.
        let context = Unmanaged.passRetained(core)
        let started = Workers.wakeable { Self.start(core, context.toOpaque(), socket) }
        guard let pointer = started else {
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
        var settings = latchkey_http_settings(
            listening_socket: socket, threads: UInt32(max(1, core.limits.threads)),
            // Each thread has its share of the limit, and connections come to them by chance.
            connections_max: UInt32(core.limits.connectionsMax * max(1, core.limits.threads)),
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

    /// Takes no more connections.
    func quiesce() { _ = MHD_quiesce_daemon(pointer) }

    func stop() {
        MHD_stop_daemon(pointer)
        close(socket)
        context.release()
    }
}

// The callbacks. Nothing in them throws or traps; what they find missing ends the connection.

/// A connection has come or is about to be closed.
private func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        let state = ConnectionState(descriptor: latchkey_http_socket(connection))
        core.connections.insert(state)
        core.workers.add()
        // Balanced when the same connection is closed.
        slot.pointee = Unmanaged.passRetained(state).toOpaque()
    } else if let state = slot.pointee {
        slot.pointee = nil
        core.connections.remove(Unmanaged<ConnectionState>.fromOpaque(state).takeRetainedValue())
    }
}

/// A request line has been read. The result becomes the context of the request.
private func startRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target, let connection,
        let state = latchkey_http_connection_context(connection)
    else { return nil }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let connectionState = Unmanaged<ConnectionState>.fromOpaque(state).takeUnretainedValue()
    connectionState.enter(.receiving)
    let exchange = Exchange(connection: connectionState, suspensions: core.suspensions)
    // Balanced in `completeRequest`: the daemon calls it for every request it has shown us.
    return Unmanaged.passRetained(
        RequestAssembly(target: target, exchange: exchange)
    ).toOpaque()
}

private func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
    _ pieceBytes: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let version, let pieceBytes,
        let request = request?.pointee
    else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let assembly = Unmanaged<RequestAssembly>.fromOpaque(request).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: piece, count: pieceBytes.pointee)
    // All of it is taken, whatever becomes of it.
    pieceBytes.pointee = 0
    return assembly.step(
        core, connection, method: method, version: version, piece: bytes)
}

/// The request is over: answered, or its connection is.
private func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ reason: MHD_RequestTerminationCode
) {
    guard let pointer = request?.pointee else { return }
    request?.pointee = nil
    let assembly = Unmanaged<RequestAssembly>.fromOpaque(pointer).takeRetainedValue()
    assembly.exchange.connection.enter(.idle)
    assembly.exchange.connection.repeatEnd()
    assembly.exchange.finish()
}
