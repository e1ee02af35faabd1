internal import Glibc
internal import Synchronization

/// A joinable thread.
final class ServerThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: Mutex<pthread_t?>

    /// nil if no thread can be created. `run` is retained until it returns.
    init?(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        // Balanced by takeRetainedValue on the thread, or below if there is none.
        let body = Unmanaged.passRetained(Body(run))
        let code = pthread_create(
            &thread, nil,
            { body in
                guard let body else { return nil }
                Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            return nil
        }
        self.thread = Mutex(thread)
    }

    /// Waits for its end. False if it was joined before.
    @discardableResult
    func join() -> Bool {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return false }
        return pthread_join(thread, nil) == 0
    }
}
