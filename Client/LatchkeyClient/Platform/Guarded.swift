#if canImport(os)
    internal import os
#else
    internal import Synchronization
#endif

/// A value that callbacks of Foundation may change from any thread.
package final class Guarded<Value: Sendable>: Sendable {
    // `Mutex` needs newer Apple systems than those that this package supports.
    #if canImport(os)
        private let lock: OSAllocatedUnfairLock<Value>

        package init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }
    #else
        private let lock: Mutex<Value>

        package init(_ value: Value) { lock = Mutex(value) }
    #endif

    package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        lock.withLock { body(&$0) }
    }
}
