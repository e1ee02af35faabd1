internal import CHTTPServer
internal import Glibc
internal import HTTP

/// One request while it is received; libmicrohttpd uses it on one thread at a time.
final class RequestAssembly {
    let exchange: PendingResponse
    private let target: String
    /// The original request target; libmicrohttpd splits it in place later.
    private let targetBytes: UnsafeRawBufferPointer
    private var method = ""
    private var headers: [HTTPHeader]?
    private var body: [UInt8] = []
    private var discardedBytes = 0
    private var isHandled = false

    init(target: UnsafePointer<CChar>, exchange: PendingResponse) {
        self.target = String(cString: target)
        targetBytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
        self.exchange = exchange
    }

    /// One call of the daemon: first with the head, then with each piece of the body, then without
    /// data, and once more after a suspension.
    func step(
        _ server: ServerCore, _ connection: OpaquePointer, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>, piece: UnsafeRawBufferPointer
    ) -> MHD_Result {
        guard let headers else {
            return begin(server, connection, method: method, version: version)
        }
        if !piece.isEmpty { return take(piece, server.limits) }
        if !isHandled {
            isHandled = true
            exchange.connection.enter(.handling)
            let request = request(headers, connection, server)
            if discardedBytes > 0 {
                exchange.answer(.response(server.tooLarge(request)))
            } else {
                server.handler(request, ResponseSlot(exchange))
            }
        }
        let suspended = SuspendedConnection(
            pointer: connection, daemon: exchange.connection.daemon)
        guard let end = exchange.takeOrSuspend(suspended) else { return .YES }
        let isHead = self.method == "HEAD"
        switch end {
        case .response(let response):
            return ResponseQueue.queue(response, on: connection, isHead: isHead)
        case .stream(let head, let stream) where isHead:
            stream.end()
            return ResponseQueue.queue(head, on: connection, isHead: true)
        case .stream(let head, let stream):
            let reader = StreamReader(stream, exchange.connection, suspended, server.streams)
            return ResponseQueue.queue(head, body: reader.response(), on: connection)
        case .reset:
            exchange.connection.resetWhenClosed()
            return .NO
        }
    }

    private func begin(
        _ server: ServerCore, _ connection: OpaquePointer, method: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        let head = ReceivedHead.read(
            connection, method: method, target: targetBytes, version: version)
        let headers = head.headers
        self.headers = headers
        self.method = String(cString: method)
        guard head.isWhole else { return refuse(.refusal(400, "Bad Request"), connection) }
        if let refusal = RequestRules.refusal(
            method: self.method, target: target, version: String(cString: version),
            headers: headers, limits: server.limits)
        {
            return refuse(refusal, connection)
        }
        let discarded = headers.value("expect") == nil ? Self.discardedBytesMax : 0
        if RequestRules.isTooLarge(headers, bytesMax: server.limits.bodyBytesMax + discarded) {
            return refuse(server.tooLarge(request(headers, connection, server)), connection)
        }
        return .YES
    }

    /// Responds before the body was received; the daemon closes the connection afterwards.
    private func refuse(_ response: ServerResponse, _ connection: OpaquePointer) -> MHD_Result {
        isHandled = true
        exchange.answer(.response(response))
        var response = response
        response.headers.append(HTTPHeader("Connection", "close"))
        return ResponseQueue.queue(response, on: connection, isHead: self.method == "HEAD")
    }

    /// How many bytes of a body over the limit are read and discarded. libmicrohttpd cannot respond
    /// in the middle of a body, and a client that is still sending when the connection is closed
    /// loses the error response.
    private static let discardedBytesMax = 16 << 20

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
            body.isEmpty ? [] : ReceivedHead.trailers(of: connection)
        return ServerRequest(
            method: method, target: target, headers: headers, body: body, trailers: trailers,
            peer: exchange.connection.peer, local: exchange.connection.local,
            isSecure: server.identity != nil)
    }
}

/// Passes a response to libmicrohttpd, which sends head and body in one call.
private enum ResponseQueue {
    /// Headers that the server sets itself; duplicates could allow response smuggling.
    private static let serversOwn = ["content-length", "transfer-encoding", "date", "keep-alive"]

    static func queue(
        _ response: ServerResponse, on connection: OpaquePointer, isHead: Bool
    ) -> MHD_Result {
        queue(response, body: isHead ? announced(response) : whole(response), on: connection)
    }

    /// `body` is the response of libmicrohttpd; nil closes the connection.
    static func queue(
        _ response: ServerResponse, body made: OpaquePointer?, on connection: OpaquePointer
    ) -> MHD_Result {
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for header in response.headers where !serversOwn.contains(where: { header.isNamed($0) }) {
            // A header with a line break in its value is ignored, because it would split the
            // response. libmicrohttpd would ignore an empty value too, so a blank is sent; blanks
            // around a value have no meaning (RFC 9110 section 5.5).
            let value = header.value.isEmpty ? " " : header.value
            _ = MHD_add_response_header(made, header.name, value)
        }
        let status = (200...599).contains(response.status) ? response.status : 500
        return MHD_queue_response(connection, UInt32(status), made)
    }

    private static func whole(_ response: ServerResponse) -> OpaquePointer? {
        response.body.withUnsafeBytes { bytes in
            // MUST_COPY: the buffer is never written to, although its type is mutable.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                .RESPMEM_MUST_COPY)
        }
    }

    /// The length in a response to `HEAD` of the body that `GET` would return. The handler may know
    /// it without computing the body.
    private static func announced(_ response: ServerResponse) -> OpaquePointer? {
        let said = response.headers.value("content-length")
        guard let length = said.flatMap({ UInt64($0) }), length <= UInt64(Int64.max) else {
            return whole(response)
        }
        return MHD_create_response_from_callback(length, 1024, { _, _, _, _ in -1 }, nil, nil)
    }
}
