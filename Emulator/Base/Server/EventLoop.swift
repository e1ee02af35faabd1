internal import Synchronization
internal import Threads

/// A thread that runs a daemon.
///
/// libmicrohttpd's own threads are not used for two reasons. They block as soon as they are idle
/// (see `AdaptivePoller` for the cost). And version 0.9.75 has a bug: it takes up to 128 events at
/// a time from epoll, and if it gets exactly that many, it waits for more before it handles any,
/// possibly for the whole idle timeout. `MHD_run` never waits.
final class EventLoop: Sendable {
    private let daemon: Daemon
    private let acceptor: Acceptor
    /// Connections assigned by the threads of other loops.
    private let inbox = Mutex<[Int32]>([])
    private let order = Atomic<Order>(.serve)
    private let thread = Mutex<PosixThread?>(nil)

    private enum Order: UInt8, AtomicRepresentable {
        case serve
        case quiesce
        case stop
    }

    init(_ core: ServerCore, _ acceptor: Acceptor) throws(ServerFailure) {
        self.acceptor = acceptor
        daemon = try Daemon(core)
        guard let thread = try? PosixThread({ [self] in run() }) else {
            daemon.stop()
            throw .notStarted
        }
        self.thread.withLock { $0 = thread }
    }

    private func run() {
        var poller = AdaptivePoller(
            for: daemon.events, daemon.wakeEvent.descriptor, and: acceptor.descriptor)
        while true {
            let order = order.load(ordering: .acquiring)
            if order == .stop { return }
            addNewConnections()
            let left = daemon.run()
            let news = poller.wait(milliseconds: left, admitting: order == .serve)
            if news.wakeEvent { daemon.wakeEvent.clear() }
            if news.connections, !acceptor.admit(for: self) { poller.delayAdmission() }
        }
    }

    /// The number of connections, including connections that are being added.
    var connectionCount: Int { daemon.connectionCount.load(ordering: .relaxed) }

    /// Takes a connection from an acceptor.
    func take(_ socket: Int32, isOwnThread: Bool) {
        daemon.connectionCount.add(1, ordering: .relaxed)
        inbox.withLock { $0.append(socket) }
        if !isOwnThread { daemon.wakeEvent.signal() }
    }

    private func addNewConnections() {
        let sockets = inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
        for socket in sockets {
            daemon.add(socket)
            daemon.connectionCount.subtract(1, ordering: .relaxed)
        }
    }

    /// Stops accepting connections on this thread.
    func quiesce() { give(.quiesce) }

    /// Ends the thread and closes every connection.
    func stop() {
        give(.stop)
        guard let thread = thread.withLock({ $0.take() }) else { return }
        thread.join()
        // Connections that were assigned after the last iteration.
        addNewConnections()
        daemon.stop()
    }

    private func give(_ order: Order) {
        self.order.store(order, ordering: .releasing)
        daemon.wakeEvent.signal()
    }
}
