internal import Glibc

/// The event loop of a listener's thread.
///
/// Not `Sendable`: only its thread uses it.
final class SMTPLoop {
    private static let tickMilliseconds: Int32 = 1000
    private static let readBytesMax = 256 << 10

    private let listener: Int32
    private let port: UInt16
    private let wake: Int32
    private let limits: SMTPLimits
    private let deliver: SMTPDelivery
    private var connections: [Int32: SMTPConnection] = [:]
    private var buffer = [UInt8](repeating: 0, count: readBytesMax)
    /// Set when no descriptors are left. Accepting continues when some may be free again.
    private var isAcceptPaused = false

    init(
        listener: Int32, port: UInt16, wake: Int32, limits: SMTPLimits,
        deliver: @escaping SMTPDelivery
    ) {
        self.listener = listener
        self.port = port
        self.wake = wake
        self.limits = limits
        self.deliver = deliver
    }

    func run() {
        while step() {}
        for descriptor in Array(connections.keys) + [listener, wake] { close(descriptor) }
    }

    /// Returns false if the loop should stop.
    private func step() -> Bool {
        var polled = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            // poll(2) ignores negative descriptors.
            pollfd(fd: isAcceptPaused ? -1 : listener, events: Int16(POLLIN), revents: 0),
        ]
        for (descriptor, connection) in connections {
            polled.append(pollfd(fd: descriptor, events: connection.events, revents: 0))
        }
        let isIdle = connections.isEmpty && !isAcceptPaused
        let ready = unsafe poll(&polled, nfds_t(polled.count), isIdle ? -1 : Self.tickMilliseconds)
        guard ready >= 0 else { return errno == EINTR }
        isAcceptPaused = false
        guard polled[0].revents == 0 else { return false }
        let now = SMTPSocket.seconds
        for entry in polled.dropFirst(2) {
            serve(entry.fd, entry.revents, now)
        }
        if polled[1].revents != 0 { acceptAll(now) }
        return true
    }

    private func acceptAll(_ now: Int) {
        while true {
            guard let (descriptor, clientPort) = SMTPSocket.accept(listener) else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                isAcceptPaused = errno == EMFILE || errno == ENFILE
                return
            }
            SMTPSocket.prepare(descriptor)
            guard connections.count < limits.connectionsMax else {
                _ = SMTPSocket.write(
                    Array("421 4.3.2 Too many connections\r\n".utf8)[...], to: descriptor)
                close(descriptor)
                continue
            }
            var connection = SMTPConnection(
                session: SMTPSession(limits: limits), output: SMTPSession.greeting, activeAt: now,
                clientPort: clientPort)
            if connection.flush(descriptor) {
                connections[descriptor] = connection
            } else {
                close(descriptor)
            }
        }
    }

    private func serve(_ descriptor: Int32, _ revents: Int16, _ now: Int) {
        // The connection is removed from the dictionary while it is used, so that its buffers are
        // not copied.
        guard var connection = connections.removeValue(forKey: descriptor) else { return }
        var isOpen = true
        if revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            isOpen = read(descriptor, &connection, now)
        } else if revents & Int16(POLLNVAL) != 0 {
            isOpen = false
        }
        if isOpen, connection.isExpired(now, limits) { isOpen = connection.expire(now) }
        if isOpen { isOpen = connection.flush(descriptor) }
        if isOpen {
            connections[descriptor] = connection
        } else {
            close(descriptor)
        }
    }

    private func read(
        _ descriptor: Int32, _ connection: inout SMTPConnection, _ now: Int
    ) -> Bool {
        switch SMTPSocket.read(descriptor, into: &buffer) {
        case .end: return false
        case .nothing: return true
        case .bytes(let bytes):
            guard !connection.session.isOver else { return true }
            connection.activeAt = now
            // A pooled connection may have been idle for long.
            if connection.session.transaction == nil {
                connection.messageStart = SMTPSocket.nanoseconds
            }
            var start = connection.messageStart
            connection.output += connection.session.receive(bytes) { mail in
                var mail = mail
                mail.connection = SMTPConnectionInfo(
                    clientPort: connection.clientPort, serverPort: port, startNanoseconds: start)
                defer { start = SMTPSocket.nanoseconds }
                return deliver(mail)
            }
            connection.messageStart = start
            let held = connections.values.reduce(connection.session.heldBytes) {
                $0 + $1.session.heldBytes
            }
            if held > limits.heldBytesMax {
                connection.output += connection.session.interrupt(
                    "421 4.3.1 Too many messages at once")
            }
            if connection.session.isOver { connection.activeAt = now }
            return true
        }
    }
}

/// The connection of one client.
struct SMTPConnection {
    /// How long a client may take to receive the last reply and to close.
    private static let lingerSeconds = 2
    /// Reading stops while this much output is pending.
    private static let outputBytesMax = 64 << 10

    var session: SMTPSession
    var output: [UInt8]
    var activeAt: Int
    let clientPort: UInt16
    var messageStart = SMTPSocket.nanoseconds
    private var isShutDown = false

    init(session: SMTPSession, output: [UInt8], activeAt: Int, clientPort: UInt16) {
        self.clientPort = clientPort
        self.session = session
        self.output = output
        self.activeAt = activeAt
    }

    var events: Int16 {
        var events: Int32 = 0
        if output.count < Self.outputBytesMax { events |= POLLIN }
        if !output.isEmpty { events |= POLLOUT }
        return Int16(events)
    }

    func isExpired(_ now: Int, _ limits: SMTPLimits) -> Bool {
        now - activeAt > (session.isOver ? Self.lingerSeconds : limits.idleSecondsMax)
    }

    /// Returns false after the second timeout.
    mutating func expire(_ now: Int) -> Bool {
        guard !session.isOver else { return false }
        output += session.interrupt("421 4.4.2 Idle for too long")
        activeAt = now
        return true
    }

    /// Sends pending output. After the last reply, input is read and discarded until the client
    /// closes, because closing first could lose that reply.
    mutating func flush(_ descriptor: Int32) -> Bool {
        while !output.isEmpty {
            guard let count = SMTPSocket.write(output[...], to: descriptor) else { return false }
            guard count > 0 else { return true }
            output.removeFirst(count)
        }
        if session.isOver, !isShutDown {
            isShutDown = true
            shutdown(descriptor, Int32(SHUT_WR))
        }
        return true
    }
}
