internal import CPosix
internal import Glibc
internal import Synchronization

/// Accepts connections and gives each to the event loop with the fewest.
///
/// If the loops accepted connections themselves, the one that is awake would take most of them, and
/// others would stay idle.
final class Acceptor: Sendable {
    let descriptor: Int32
    private let connectionsMax: Int
    private let loops = Mutex<[EventLoop]>([])
    private let isClosed = Atomic<Bool>(false)

    /// Limits a batch, so that the loop's other work is not delayed.
    private static let batchMax = 64

    /// Takes ownership of the socket, which must be listening.
    init(_ descriptor: Int32, connectionsMax: Int) {
        self.descriptor = descriptor
        self.connectionsMax = connectionsMax
    }

    deinit { close() }

    /// Starts to serve these loops. Each of them has this acceptor and calls `admit`.
    func serve(_ loops: [EventLoop]) { self.loops.withLock { $0 = loops } }

    /// Call this when no loop uses the acceptor any more.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        Glibc.close(descriptor)
        // The loops refer to this acceptor too.
        serve([])
    }

    /// Called on the thread of `loop`, which takes the connection unless another loop has fewer.
    /// False if the connection limit is reached.
    func admit(for loop: EventLoop) -> Bool {
        // Only one thread at a time accepts, so that the connection counts are current.
        loops.withLock { loops in
            guard !loops.isEmpty else { return true }
            for _ in 0..<Self.batchMax {
                guard loops.reduce(0, { $0 + $1.connectionCount }) < connectionsMax else {
                    return false
                }
                let socket = latchkey_accept(descriptor)
                guard socket >= 0 else {
                    switch -socket {
                    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return false
                    // The client has disconnected already.
                    case EINTR, ECONNABORTED: continue
                    default: return true
                    }
                }
                let idlest = loops.reduce(loop) {
                    $0.connectionCount <= $1.connectionCount ? $0 : $1
                }
                idlest.take(socket, isOwnThread: idlest === loop)
            }
            return true
        }
    }
}
