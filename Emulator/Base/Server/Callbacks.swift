internal import CHTTPServer
internal import Synchronization

// The callbacks of libmicrohttpd. Nothing in them throws or traps; if something is missing, they
// end the connection.

/// A connection was opened or is about to be closed.
func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        let state = ConnectionState(
            descriptor: latchkey_http_socket(connection), daemon: daemon)
        daemon.core.connections.insert(state)
        daemon.connectionCount.add(1, ordering: .relaxed)
        // This is balanced when the connection is closed.
        slot.pointee = Unmanaged.passRetained(state).toOpaque()
    } else if let state = slot.pointee {
        slot.pointee = nil
        daemon.connectionCount.subtract(1, ordering: .relaxed)
        daemon.core.connections.remove(
            Unmanaged<ConnectionState>.fromOpaque(state).takeRetainedValue())
    }
}

/// A request line has been received. The result becomes the context of the request.
func startRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target, let connection,
        let state = latchkey_http_connection_context(connection)
    else { return nil }
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    let connectionState = Unmanaged<ConnectionState>.fromOpaque(state).takeUnretainedValue()
    connectionState.enter(.receiving)
    let exchange = PendingResponse(
        connection: connectionState, suspensions: daemon.core.suspensions)
    // This is balanced in `completeRequest`, which the daemon calls for every announced request.
    return Unmanaged.passRetained(
        RequestAssembly(target: target, exchange: exchange)
    ).toOpaque()
}

func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ path: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
    _ pieceBytes: UnsafeMutablePointer<Int>?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let version, let pieceBytes,
        let request = request?.pointee
    else { return .NO }
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    let assembly = Unmanaged<RequestAssembly>.fromOpaque(request).takeUnretainedValue()
    let bytes = UnsafeRawBufferPointer(start: piece, count: pieceBytes.pointee)
    // All bytes count as consumed, even if they are discarded.
    pieceBytes.pointee = 0
    return assembly.step(
        daemon.core, connection, method: method, version: version, piece: bytes)
}

/// The request has ended: with a response, or with its connection.
func completeRequest(
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
