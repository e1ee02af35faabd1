internal import EmulatorHTTP
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
    let descriptor: Int32
    /// The one that it belongs to.
    let daemon: Daemon
    private let storedPhase = Atomic<Phase>(.idle)
    private let storedSince: Atomic<UInt64>
    /// How often it has changed its phase: 0 is a connection without any request so far.
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
    /// In seconds of the coarse clock.
    var since: UInt64 { storedSince.load(ordering: .relaxed) }
    var turn: UInt64 { storedTurn.load(ordering: .relaxed) }

    /// Only while the connection is registered, which is until just before its socket is closed.
    func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The client will send no more.
    var hasHungUp: Bool {
        var entry = pollfd(fd: descriptor, events: PollEvent.hungUp, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents != 0
    }

    /// Tells libmicrohttpd of an end that it may have missed: when a read is short, it takes the
    /// socket for empty and waits for news, but an end that came with the last bytes is no news.
    /// What has come and is not read yet stays readable. Asked after each request; the sweeper asks
    /// for those who left in the middle of one.
    func repeatEnd() {
        if hasHungUp { shutdown(descriptor, Int32(SHUT_RD)) }
    }

    /// How much has ever come.
    var bytesReceived: UInt64 {
        // struct tcp_info of <linux/tcp.h>, of which Glibc shows an old, short form.
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
    /// POLLRDHUP, which Glibc does not show.
    static let hungUp: Int16 = 0x2000
}

enum CoarseClock {
    static var seconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec)
    }
}
