internal import Threads

/// A thread for blocking work: the cooperative pool has one thread per core, and tests that block
/// in it can starve the work for which they wait.
package enum DetachedThread {
    package static func run(_ body: @escaping @Sendable () -> Void) {
        if !PosixThread.detached(body) { body() }
    }

    /// The result of a body that blocks for many seconds. A test that itself blocks for so long
    /// keeps other tests from starting, and the end of exit tests from being noticed: Swift Testing
    /// polls for it during that time, which takes a whole processor.
    package static func value<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
