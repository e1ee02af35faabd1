import Glibc
import Synchronization

/// An event on another thread.
final class DispatchFlag: Sendable {
    private let isRaised = Mutex(false)

    func raise() { isRaised.withLock { $0 = true } }

    /// False after a timeout of twenty seconds.
    func wait() -> Bool {
        for _ in 0..<20_000 {
            if isRaised.withLock({ $0 }) { return true }
            usleep(1000)
        }
        return false
    }
}

enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run))
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        pthread_detach(thread)
    }
}
