internal import CPosix
internal import Glibc
internal import Synchronization

/// Takes the connections that come and gives each to the loop that has the fewest.
///
/// Left to themselves, the loops would take what they find, and the one that is awake would find
/// all of them: two clients of one thread, and the other thread asleep.
final class Acceptor: Sendable {
    let descriptor: Int32
    private let connectionsMax: Int
    private let loops = Mutex<[EventLoop]>([])
    private let isClosed = Atomic<Bool>(false)

    /// Between two looks at what the loops have to do.
    private static let batchMax = 64

    /// Takes over the socket, on which it listens from now on.
    init(_ descriptor: Int32, connectionsMax: Int) {
        self.descriptor = descriptor
        self.connectionsMax = connectionsMax
    }

    deinit { close() }

    /// Each of them has this acceptor, and asks it to `admit`.
    func serve(_ loops: [EventLoop]) { self.loops.withLock { $0 = loops } }

    /// When no loop asks any more.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        Glibc.close(descriptor)
        // They have this acceptor, too.
        serve([])
    }

    /// On the thread of `loop`, which takes the connection where no other has fewer. False when
    /// the connection limit is reached.
    func admit(for loop: EventLoop) -> Bool {
        // One thread at a time, so that counts are what they were when it decides.
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
                    // It may have left again.
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
