internal import Bytes
internal import Glibc
package import HTTP
internal import Synchronization
internal import Threads

/// HTTP/1.1 over TCP connections to this machine, for the Runtime API and `LocalHTTPRoutes`.
///
/// A warm invocation consists mostly of two such exchanges, and libcurl spends 110,000 instructions
/// on each. Here an exchange is a `send` and a `recv`. It supports only plain HTTP to a loopback or
/// link-local IPv4 address: no TLS, name resolution, proxy or redirect.
package final class LocalHTTPTransport: Sendable {
    private let base: String
    private let authority: String
    private let address: UInt32
    private let port: UInt16
    private let idle = Mutex<[LocalConnection]>([])

    private static let idleMax = 16

    /// - Parameter authority: `127.0.0.1:9001`. Returns nil for anything but a port at a numeric
    ///   IPv4 address of 127.0.0.0/8 or 169.254.0.0/16.
    package init?(authority: String) {
        let parts = authority.utf8.split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(Substring(parts[1])), port > 0,
            parts[1].allSatisfy(\.isDigit)
        else { return nil }
        var address = in_addr()
        guard inet_pton(AF_INET, String(Substring(parts[0])), &address) == 1 else { return nil }
        let host = UInt32(bigEndian: address.s_addr)
        guard host >> 24 == 127 || host >> 16 == 0xA9FE else { return nil }
        self.authority = authority
        self.address = address.s_addr
        self.port = port
        base = "http://\(authority)"
    }

    package var transport: HTTPTransport {
        HTTPTransport(
            send: { request throws(HTTPFailure) in try self.finish(try self.begin(request)) },
            sendAll: { self.sendAll($0) })
    }

    /// Uses one connection for each request. All requests are sent before it waits for the first
    /// response.
    private func sendAll(_ requests: [HTTPRequest]) -> [HTTPTransport.Outcome] {
        let begun = requests.map { request in
            Result { () throws(HTTPFailure) in try begin(request) }
        }
        return begun.map { exchange in
            Result { () throws(HTTPFailure) in try finish(try exchange.get()) }
        }
    }

    /// A request that has been sent.
    private struct Exchange {
        let request: HTTPRequest
        let message: [UInt8]
        let deadline: Deadline?
        let connection: LocalConnection
        /// Whether the connection has carried other exchanges.
        let wasKept: Bool
    }

    private func begin(_ request: HTTPRequest) throws(HTTPFailure) -> Exchange {
        let message = try encode(request)
        let deadline = request.limits.totalMillisecondsMax.map { Deadline(milliseconds: $0) }
        if let kept = idle.withLock({ $0.popLast() }), kept.isIdle {
            let exchange = Exchange(
                request: request, message: message, deadline: deadline, connection: kept,
                wasKept: true)
            do throws(HTTPFailure) {
                try kept.send(message, deadline)
                return exchange
            } catch {
                return try again(exchange, after: error)
            }
        }
        return try beginAnew(request, message, deadline)
    }

    private func beginAnew(
        _ request: HTTPRequest, _ message: [UInt8], _ deadline: Deadline?
    ) throws(HTTPFailure) -> Exchange {
        let connection = try LocalConnection(
            address: address, port: port,
            deadline: Deadline(milliseconds: request.limits.connectMillisecondsMax))
        try connection.send(message, deadline)
        return Exchange(
            request: request, message: message, deadline: deadline, connection: connection,
            wasKept: false)
    }

    /// Called when the peer has closed a kept connection at the moment of the request: a GET may be
    /// sent again (RFC 9110 section 9.2.2).
    private func again(
        _ exchange: Exchange, after failure: HTTPFailure
    ) throws(HTTPFailure) -> Exchange {
        guard exchange.wasKept, case .interrupted = failure, exchange.request.method == .get
        else { throw failure }
        return try beginAnew(exchange.request, exchange.message, exchange.deadline)
    }

    private func finish(_ exchange: Exchange) throws(HTTPFailure) -> HTTPResponse {
        var response = LocalHTTPResponse(bodyBytesMax: exchange.request.limits.responseBytesMax)
        do throws(HTTPFailure) {
            try Waiting.during { () throws(HTTPFailure) in
                try exchange.connection.receive(&response, exchange.deadline)
            }
        } catch {
            guard !response.hasBegun else { throw error }
            return try finish(try again(exchange, after: error))
        }
        guard let result = response.response else { throw .interrupted(detail: "no response") }
        if response.keepsConnection {
            idle.withLock { if $0.count < Self.idleMax { $0.append(exchange.connection) } }
        }
        return result
    }

    private func encode(_ request: HTTPRequest) throws(HTTPFailure) -> [UInt8] {
        guard request.url.utf8.starts(with: base.utf8) else { throw .invalidURL }
        let target = request.url.utf8.dropFirst(base.utf8.count)
        guard target.first == UInt8(ascii: "/"), target.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw .invalidURL }
        var message: [UInt8] = []
        message.reserveCapacity(320 + request.body.count)
        message += request.method.rawValue.utf8
        message.append(UInt8(ascii: " "))
        message += target
        message += " HTTP/1.1\r\nHost: ".utf8
        // A signed request already contains its host.
        message += (request.headers.value("host") ?? authority).utf8
        for header in request.headers {
            // A line break would inject a header, and a second framing header would inject a
            // message.
            guard header.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }),
                header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
                !header.isNamed("transfer-encoding")
            else { throw .invalidURL }
            if header.isNamed("host") || header.isNamed("content-length") { continue }
            message += "\r\n".utf8
            message += header.name.utf8
            message += ": ".utf8
            message += header.value.utf8
        }
        if request.method != .get || !request.body.isEmpty {
            message += "\r\nContent-Length: ".utf8
            message += String(request.body.count).utf8
        }
        message += "\r\n\r\n".utf8
        message += request.body
        return message
    }
}

/// A deadline on the monotonic clock.
struct Deadline {
    private let milliseconds: Int

    init(milliseconds: Int) { self.milliseconds = Self.now + max(1, milliseconds) }

    /// The timeout for poll(2): 0 after the deadline.
    var millisecondsLeft: Int32 { Int32(clamping: max(0, milliseconds - Self.now)) }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// The owner of one connected socket.
private final class LocalConnection: Sendable {
    private let descriptor: Int32

    private static let bufferBytes = 32 << 10

    init(address: UInt32, port: UInt16, deadline: Deadline) throws(HTTPFailure) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw Self.connectFailed(errno) }
        // The socket is owned from here on: if an error is thrown below, `deinit` closes it.
        self.descriptor = descriptor
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr = in_addr(s_addr: address)
        let code = withUnsafeBytes(of: &target) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        if code != 0 {
            guard errno == EINPROGRESS || errno == EINTR else { throw Self.connectFailed(errno) }
            guard wait(POLLOUT, deadline) else {
                throw .connectFailed(.timedOut, detail: "timed out")
            }
            var failure: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
            guard failure == 0 else { throw Self.connectFailed(failure) }
        }
        // From here on calls block, except those with MSG_DONTWAIT.
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
            throw Self.connectFailed(errno)
        }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// False if the peer has closed the connection or has sent unexpected bytes.
    var isIdle: Bool {
        var byte: UInt8 = 0
        let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
        return recv(descriptor, &byte, 1, flags) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    func send(_ message: [UInt8], _ deadline: Deadline?) throws(HTTPFailure) {
        var sent = 0
        while sent < message.count {
            let count = message.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                guard wait(POLLOUT, deadline) else { throw .timedOut }
            } else if errno != EINTR {
                throw Self.interrupted(errno)
            }
        }
    }

    /// Reads until the response is complete.
    func receive(
        _ response: inout LocalHTTPResponse, _ deadline: Deadline?
    ) throws(HTTPFailure) {
        while true {
            // Without a deadline the call itself blocks: one system call instead of two.
            if let deadline { guard wait(POLLIN, deadline) else { throw .timedOut } }
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.bufferBytes) { buffer, count in
                let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                code = received < 0 ? errno : 0
                count = max(0, received)
            }
            guard code == 0 else {
                guard code == EINTR else { throw Self.interrupted(code) }
                continue
            }
            guard !bytes.isEmpty else {
                guard response.receiveEnd() else {
                    throw .interrupted(detail: "connection closed before the response was complete")
                }
                return
            }
            do throws(LocalHTTPResponse.Failure) {
                if try response.receive(bytes[...]) { return }
            } catch .tooLarge {
                throw .responseTooLarge
            } catch {
                throw .interrupted(detail: "malformed response")
            }
        }
    }

    /// False if the deadline has passed.
    private func wait(_ events: Int32, _ deadline: Deadline?) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let left = deadline?.millisecondsLeft ?? -1
            let count = poll(&entry, 1, left)
            if count > 0 { return true }
            // After a failed poll, the next call reports the error.
            if count == 0 || errno != EINTR { return count != 0 }
        }
    }

    private static func connectFailed(_ code: Int32) -> HTTPFailure {
        let problem: TransportProblem =
            switch code {
            case ECONNREFUSED: .connectionRefused
            case ENETUNREACH, EHOSTUNREACH: .hostUnreachable
            default: .connectFailed
            }
        return .connectFailed(problem, detail: String(cString: strerror(code)))
    }

    private static func interrupted(_ code: Int32) -> HTTPFailure {
        .interrupted(detail: String(cString: strerror(code)))
    }
}
