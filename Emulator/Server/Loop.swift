internal import Glibc
internal import Synchronization

/// A thread that runs a daemon.
///
/// Not libmicrohttpd's own threads, because those sleep as soon as they have nothing to do
/// (`Patience` says what that costs), and because they have a fault: version 0.9.75 takes up to 128
/// events at a time from the system, and when it gets exactly as many, it waits for more before it
/// serves any of them, for as long as a connection may be idle. `MHD_run` never waits.
final class Loop: Sendable {
    private let context: DaemonContext
    private let daemon: Daemon
    private let acceptor: Acceptor
    /// Connections that other loops' threads have given to this one.
    private let inbox = Mutex<[Int32]>([])
    private let order = Atomic<Order>(.serve)
    private let thread = Mutex<pthread_t?>(nil)

    private enum Order: UInt8, AtomicRepresentable {
        case serve
        case quiesce
        case stop
    }

    init(_ core: ServerCore, _ acceptor: Acceptor) throws(ServerFailure) {
        self.acceptor = acceptor
        context = DaemonContext(core: core, bell: try Bell())
        daemon = try Daemon(context)
        guard start() else {
            daemon.stop()
            throw .notStarted
        }
    }

    private func start() -> Bool {
        var thread = pthread_t()
        // Balanced by takeRetainedValue on the thread, or below when there is none.
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Loop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return false
        }
        self.thread.withLock { $0 = thread }
        return true
    }

    private func run() {
        var patience = Patience(
            for: daemon.events, context.bell.descriptor, and: acceptor.descriptor)
        while true {
            let order = order.load(ordering: .acquiring)
            if order == .stop { return }
            addNewConnections()
            daemon.run()
            let news = patience.wait(
                milliseconds: daemon.millisecondsLeft, admitting: order == .serve)
            if news.bell { context.bell.silence() }
            if news.connections, !acceptor.admit(for: self) { patience.admitLater() }
        }
    }

    /// Also of those that are about to be added.
    var connectionCount: Int { context.connectionCount.load(ordering: .relaxed) }

    /// From an acceptor.
    func take(_ socket: Int32, isOwnThread: Bool) {
        context.connectionCount.add(1, ordering: .relaxed)
        inbox.withLock { $0.append(socket) }
        if !isOwnThread { context.bell.ring() }
    }

    private func addNewConnections() {
        let sockets = inbox.withLock { inbox in
            defer { inbox = [] }
            return inbox
        }
        for socket in sockets {
            daemon.add(socket)
            context.connectionCount.subtract(1, ordering: .relaxed)
        }
    }

    /// The thread takes no more connections from now on.
    func quiesce() { give(.quiesce) }

    /// Ends the thread and closes every connection.
    func stop() {
        give(.stop)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        pthread_join(thread, nil)
        // Those that came too late.
        addNewConnections()
        daemon.stop()
    }

    private func give(_ order: Order) {
        self.order.store(order, ordering: .releasing)
        context.bell.ring()
    }
}
