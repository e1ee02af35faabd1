internal import Glibc
internal import Synchronization

/// What the server remembers of one connection, beside libmicrohttpd.
final class ConnectionState: Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// Between requests, or in a request line: the daemon does not tell these apart.
        case idle
        case receiving
        case handling
    }

    let peer: ServerAddress
    let local: ServerAddress
    private let descriptor: Int32
    private let phase = Atomic<Phase>(.idle)
    private let since: Atomic<UInt64>

    init(descriptor: Int32) {
        self.descriptor = descriptor
        peer = SocketAddress.peer(of: descriptor)
        local = SocketAddress.local(of: descriptor)
        since = Atomic(Self.seconds)
    }

    func enter(_ next: Phase) {
        phase.store(next, ordering: .relaxed)
        since.store(Self.seconds, ordering: .relaxed)
    }

    /// Whether it takes longer than it may. The daemon's own limit ends with each byte that comes;
    /// this one does not.
    func isOverdue(_ limits: ServerLimits) -> Bool {
        let age = Self.seconds &- since.load(ordering: .relaxed)
        switch phase.load(ordering: .relaxed) {
        case .idle:
            return limits.idleSecondsMax > 0
                && age > UInt64(limits.idleSecondsMax + limits.receiveSecondsMax)
        case .receiving: return age > UInt64(limits.receiveSecondsMax)
        case .handling: return false
        }
    }

    /// Only while the connection is registered, which is until just before its socket is closed.
    func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    var hasHungUp: Bool {
        // POLLRDHUP, which Glibc does not show.
        var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents != 0
    }

    private static var seconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec)
    }
}

/// The open connections.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: ConnectionState]>([:])

    func insert(_ connection: ConnectionState) {
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    func remove(_ connection: ConnectionState) {
        open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    var count: Int { open.withLock { $0.count } }

    /// Ends those that take too long.
    func sweep(_ limits: ServerLimits) {
        open.withLock { open in
            for connection in open.values where connection.isOverdue(limits) { connection.cut() }
        }
    }
}
