internal import CHTTPServer
internal import HTTP

/// One request while it is received; libmicrohttpd calls with it on one thread at a time.
final class RequestAssembly {
    let exchange: Exchange
    private let target: String
    private var method = ""
    private var headers: [HTTPHeader]?
    private var body: [UInt8] = []
    private var discardedBytes = 0
    private var isHandled = false

    init(target: String, exchange: Exchange) {
        self.target = target
        self.exchange = exchange
    }

    /// One call of the daemon: first with the head, then with each piece of the body, then with
    /// nothing, and after a suspension once more.
    func step(
        _ server: ServerCore, _ connection: OpaquePointer, method: String, version: String,
        piece: UnsafeRawBufferPointer
    ) -> MHD_Result {
        guard let headers else {
            return begin(server, connection, method: method, version: version)
        }
        if !piece.isEmpty {
            exchange.connection.repeatEnd()
            return take(piece, server.limits)
        }
        if !isHandled {
            isHandled = true
            exchange.connection.enter(.handling)
            let request = request(headers, connection, server)
            if discardedBytes > 0 {
                exchange.answer(server.tooLarge(request))
            } else {
                server.handler(request, ResponseSlot(exchange))
            }
        }
        guard let response = exchange.takeOrSuspend(SuspendedConnection(pointer: connection))
        else { return .YES }
        return ResponseQueue.queue(response, on: connection)
    }

    private func begin(
        _ server: ServerCore, _ connection: OpaquePointer, method: String, version: String
    ) -> MHD_Result {
        let headers = HeaderCollector.collect(connection, .HEADER_KIND)
        self.headers = headers
        self.method = method
        if let refusal = RequestRules.refusal(
            method: method, target: target, version: version, headers: headers,
            limits: server.limits)
        {
            return refuse(refusal, connection)
        }
        if RequestRules.isTooLarge(headers, limits: server.limits) {
            return refuse(server.tooLarge(request(headers, connection, server)), connection)
        }
        return .YES
    }

    /// An answer before the body has come; the daemon closes the connection after it.
    private func refuse(_ response: ServerResponse, _ connection: OpaquePointer) -> MHD_Result {
        isHandled = true
        exchange.answer(response)
        var response = response
        response.headers.append(HTTPHeader("Connection", "close"))
        return ResponseQueue.queue(response, on: connection)
    }

    /// What is thrown away of a body over the limit. libmicrohttpd takes no answer in the middle of
    /// a body, so this much is read on for, so that the client can hear why.
    private static let discardedBytesMax = 1 << 20

    private func take(_ piece: UnsafeRawBufferPointer, _ limits: ServerLimits) -> MHD_Result {
        if discardedBytes == 0, body.count + piece.count <= limits.bodyBytesMax {
            body += piece
            return .YES
        }
        body = []
        discardedBytes += piece.count
        return discardedBytes <= Self.discardedBytesMax ? .YES : .NO
    }

    private func request(
        _ headers: [HTTPHeader], _ connection: OpaquePointer, _ server: ServerCore
    ) -> ServerRequest {
        let trailers =
            body.isEmpty ? [] : HeaderCollector.collect(connection, .FOOTER_KIND)
        return ServerRequest(
            method: method, target: target, headers: headers, body: body, trailers: trailers,
            peer: exchange.connection.peer, local: exchange.connection.local,
            isSecure: server.identity != nil)
    }
}

/// Reads a connection's headers, in their order.
private final class HeaderCollector {
    private var headers: [HTTPHeader] = []

    static func collect(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [HTTPHeader] {
        let collector = HeaderCollector()
        collector.headers.reserveCapacity(12)
        // The callback runs before this call returns.
        withExtendedLifetime(collector) {
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, name, value in
                    guard let context, let name else { return .NO }
                    let header = HTTPHeader(
                        String(cString: name), value.map { String(cString: $0) } ?? "")
                    Unmanaged<HeaderCollector>.fromOpaque(context).takeUnretainedValue()
                        .headers.append(header)
                    return .YES
                }, Unmanaged.passUnretained(collector).toOpaque())
        }
        return collector.headers
    }
}

/// Hands a response to libmicrohttpd, which sends head and body in one call.
private enum ResponseQueue {
    /// What the server says itself; said twice it would be a lie or an attack.
    private static let serversOwn = ["content-length", "transfer-encoding", "date", "keep-alive"]

    static func queue(_ response: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
        let made = response.body.withUnsafeBytes { bytes in
            // MUST_COPY: the buffer is never written to, whatever its type says.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for header in response.headers where !serversOwn.contains(where: header.hasName) {
            // Refused when it holds a line break: better without it than a split response.
            _ = MHD_add_response_header(made, header.name, header.value)
        }
        let status = (200...599).contains(response.status) ? response.status : 500
        return MHD_queue_response(connection, UInt32(status), made)
    }
}
