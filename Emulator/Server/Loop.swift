internal import Glibc
internal import Synchronization

/// A thread that runs a daemon.
///
/// Not libmicrohttpd's own threads, because those sleep as soon as they have nothing to do
/// (`Patience` says what that costs), and because they have a fault: version 0.9.75 takes up to 128
/// events at a time from the system, and when it gets exactly as many, it waits for more before it
/// serves any of them, for as long as a connection may be idle. `MHD_run` never waits.
final class Loop: Sendable {
    private let daemon: Daemon
    private let bell: Bell
    private let order = Atomic<Order>(.serve)
    private let thread = Mutex<pthread_t?>(nil)

    private enum Order: UInt8, AtomicRepresentable {
        case serve
        case quiesce
        case stop
    }

    init(_ core: ServerCore, acceptingFrom socket: Int32) throws(ServerFailure) {
        bell = try Bell()
        daemon = try Daemon(core, acceptingFrom: socket, bell: bell)
        guard start() else {
            daemon.quiesce()
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
        var patience = Patience(for: daemon.events, and: bell.descriptor)
        var isQuiet = false
        while true {
            let order = order.load(ordering: .acquiring)
            if order != .serve, !isQuiet {
                isQuiet = true
                daemon.quiesce()
            }
            if order == .stop { return }
            daemon.run()
            if patience.wait(milliseconds: daemon.millisecondsLeft) { bell.silence() }
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
        daemon.stop()
    }

    private func give(_ order: Order) {
        self.order.store(order, ordering: .releasing)
        bell.ring()
    }
}
