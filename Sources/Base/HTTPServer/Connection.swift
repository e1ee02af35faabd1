internal import Glibc

/// The connection of one client. Only one thread uses the connection at a time: the thread of the
/// loop, or, while `phase` is `.answering`, the thread that answers.
final class Connection: @unchecked Sendable {
    enum Phase {
        case reading
        /// The request is complete, and waits for its turn (`SlowRequests`).
        case waiting
        case answering
        case writing
        /// The response is sent and our side of the connection is shut down. Further input is read
        /// and dropped: closing with unread bytes would reset the connection, and the client might
        /// lose the response (RFC 9112 section 9.6).
        case draining
    }

    enum Watch { case none, input, output }

    enum SendResult { case sent, blocked, failed }

    let token: UInt64
    let descriptor: Int32
    let peer: String?
    var parser: RequestParser
    var phase = Phase.reading
    var watch = Watch.none
    /// Whether the epoll set has the connection, even if it is watched for no event.
    var isInSet = false
    /// The deadline of the current phase; nil while a request is answered.
    var deadline: Int?
    /// The time at which an ending connection is closed even if its client is still sending.
    var drainsUntil = 0
    /// The phase of the parser to which `deadline` belongs.
    var timedPhase: RequestParser.Phase?
    /// When `timedPhase` began.
    var waitsSince = 0
    var request: ReceivedRequest?
    /// When `request` was complete.
    var queuedAt = 0
    /// The client of a slow request that waits or is being answered.
    var slowClient: String?
    /// Whether a request was ever complete.
    var hasRequested = false
    /// The bytes of this connection that are included in the loop's sum.
    var bytesHeld = 0
    private var closes = false
    private var output: [UInt8] = []
    private var sent = 0

    init(token: UInt64, descriptor: Int32, peer: String?, limits: RequestParser.Limits) {
        self.token = token
        self.descriptor = descriptor
        self.peer = peer
        parser = RequestParser(limits)
    }

    deinit { close(descriptor) }

    /// How much a client would lose with the connection.
    var progress: Int {
        switch parser.phase {
        case .idle: hasRequested ? 0 : 1
        case .head: 1
        case .body: 2
        }
    }

    var isIdle: Bool { phase == .reading && parser.phase == .idle }

    /// Whether the connection ends with the response that was set.
    var endsWithResponse: Bool { closes }

    func respond(_ bytes: [UInt8], closing: Bool) {
        output = bytes
        sent = 0
        closes = closing
    }

    func send() -> SendResult {
        while sent < output.count {
            let count = output.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return .blocked
            } else if errno != EINTR {
                return .failed
            }
        }
        output = []
        sent = 0
        return .sent
    }

    enum Input {
        case bytes([UInt8])
        case nothing
        case end
    }

    func read() -> Input {
        var code: Int32 = 0
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readBytes) { buffer, count in
            received = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            code = received < 0 ? errno : 0
            count = max(0, received)
        }
        if received > 0 { return .bytes(bytes) }
        if received == 0 { return .end }
        return code == EAGAIN || code == EWOULDBLOCK || code == EINTR ? .nothing : .end
    }

    private static let readBytes = 16 << 10
}
