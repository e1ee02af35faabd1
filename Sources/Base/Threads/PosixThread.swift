internal import Glibc

/// A thread of the operating system, for work that blocks or must stay on one thread. It is joined
/// or detached once.
package struct PosixThread: Sendable {
    private let identifier: pthread_t

    /// `body` is retained until it returns.
    package init(_ body: @escaping @Sendable () -> Void) throws(ThreadFailure) {
        var identifier = pthread_t()
        // This is balanced by takeRetainedValue on the thread, or below if there is no thread.
        let context = Unmanaged.passRetained(Body(body))
        let code = pthread_create(
            &identifier, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw ThreadFailure(code: code)
        }
        self.identifier = identifier
    }

    /// Returns false if no thread can be created.
    @discardableResult
    package static func detached(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = try? PosixThread(body) else { return false }
        thread.detach()
        return true
    }

    /// From now on, the current thread runs only while no other thread needs the processor.
    package static func runOnlyIfIdle() {
        // SCHED_IDLE of Linux, which Swift's module Glibc does not have.
        let idle: Int32 = 5
        var parameters = sched_param()
        pthread_setschedparam(pthread_self(), idle, &parameters)
    }

    /// Waits for the end of the thread.
    package func join() { pthread_join(identifier, nil) }
    package func detach() { pthread_detach(identifier) }

    package var isCurrent: Bool { pthread_equal(identifier, pthread_self()) != 0 }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// Why no thread could be created: the `errno` of pthread_create(3).
package struct ThreadFailure: Error {
    package let code: Int32
}
