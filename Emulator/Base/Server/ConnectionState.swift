internal import Glibc
internal import Synchronization

/// The server's own state of one connection, in addition to libmicrohttpd's.
final class ConnectionState: Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// Between requests, or in a request line: the daemon does not distinguish these.
        case idle
        case receiving
        case handling
    }

    let peer: ServerAddress
    let local: ServerAddress
    let descriptor: Int32
    /// The daemon of the connection.
    let daemon: Daemon
    private let storedPhase = Atomic<Phase>(.idle)
    private let storedSince: Atomic<UInt64>
    /// The number of phase changes: 0 means that there was no request yet.
    private let storedTurn = Atomic<UInt64>(0)

    init(descriptor: Int32, daemon: Daemon) {
        self.descriptor = descriptor
        self.daemon = daemon
        peer = SocketAddress.peer(of: descriptor)
        local = SocketAddress.local(of: descriptor)
        storedSince = Atomic(CoarseClock.seconds)
    }

    func enter(_ next: Phase) {
        storedPhase.store(next, ordering: .relaxed)
        storedSince.store(CoarseClock.seconds, ordering: .relaxed)
        storedTurn.add(1, ordering: .relaxed)
    }

    var phase: Phase { storedPhase.load(ordering: .relaxed) }
    /// When the phase began, in seconds of CLOCK_MONOTONIC_COARSE.
    var since: UInt64 { storedSince.load(ordering: .relaxed) }
    var turn: UInt64 { storedTurn.load(ordering: .relaxed) }

    /// Call this only while the connection is registered. The registration ends just before its
    /// socket is closed.
    func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Makes the end of the connection a TCP reset. Called just before the daemon closes it.
    func resetWhenClosed() {
        var setting = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether the client has closed its sending side.
    var hasHungUp: Bool {
        var entry = pollfd(fd: descriptor, events: PollEvent.hungUp, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents != 0
    }

    /// Makes libmicrohttpd notice the end of the connection. After a short read it waits for
    /// another event, but an end that arrived together with the last bytes causes none. Received
    /// bytes remain readable. Called after each request, and by the sweeper for connections within
    /// a request.
    func repeatEnd() {
        if hasHungUp { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// The total number of bytes received.
    var bytesReceived: UInt64 {
        // struct tcp_info of <linux/tcp.h>; Glibc declares an older, shorter version.
        let fieldOffset = 128
        var info = [UInt8](repeating: 0, count: fieldOffset + 8)
        var size = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0,
            Int(size) == info.count
        else { return 0 }
        return info.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: fieldOffset, as: UInt64.self)
        }
    }
}

enum PollEvent {
    /// POLLRDHUP, which Swift's Glibc module does not export.
    static let hungUp: Int16 = 0x2000
}

enum CoarseClock {
    static var seconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec)
    }
}
