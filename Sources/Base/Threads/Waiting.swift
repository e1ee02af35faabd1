internal import Glibc
internal import Synchronization

/// Tells a pool of threads that one of them waits for a disk, a lock or another server, or computes
/// for so long that others should not wait for it. Another thread may then run.
///
/// A pool lets only as many threads run as there are processors, because every further one costs
/// switches between them. Outside of a pool this does nothing.
package final class Waiting: Sendable {
    private let willWait: @Sendable () -> Void
    private let didWait: @Sendable () -> Void
    /// Nested waits of this thread: only the outermost counts.
    private let depth = Atomic<Int>(0)

    /// The value of the current thread, retained until the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            if let value { Unmanaged<Waiting>.fromOpaque(value).release() }
        }
        return key
    }()

    private init(
        willWait: @escaping @Sendable () -> Void, didWait: @escaping @Sendable () -> Void
    ) {
        self.willWait = willWait
        self.didWait = didWait
    }

    /// Call this once on each thread of a pool. If it fails, the thread counts as running.
    package static func observe(
        willWait: @escaping @Sendable () -> Void, didWait: @escaping @Sendable () -> Void
    ) {
        let value = Unmanaged.passRetained(Waiting(willWait: willWait, didWait: didWait))
        if pthread_setspecific(key, value.toOpaque()) != 0 { value.release() }
    }

    package static func during<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = begin()
        defer { end?.end() }
        return try body()
    }

    /// Begins a wait that ends at another place on the same thread; nil outside of a pool.
    package static func begin() -> Waiting? {
        guard let value = pthread_getspecific(key) else { return nil }
        let waiting = Unmanaged<Waiting>.fromOpaque(value).takeUnretainedValue()
        if waiting.depth.add(1, ordering: .relaxed).newValue == 1 { waiting.willWait() }
        return waiting
    }

    package func end() {
        if depth.subtract(1, ordering: .relaxed).newValue == 0 { didWait() }
    }
}
