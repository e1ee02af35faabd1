internal import Synchronization

/// Limits how many threads of a server do the same slow work at a time, so that the others can
/// answer other requests. A function has one thread, which is always admitted.
package final class ThreadShare: Sendable {
    private struct State {
        var threads = 1
        var busy = 0
    }

    private let divisor: Int
    private let state = Mutex(State())

    /// - Parameter divisor: 2 for half of all threads; at least one thread is admitted.
    package init(divisor: Int) { self.divisor = divisor }

    func addThread() { state.withLock { $0.threads += 1 } }

    /// Returns false if the share is in use. If it returns true, call `leave` afterwards.
    func enter() -> Bool {
        state.withLock { state in
            guard state.busy < max(1, state.threads / divisor) else { return false }
            state.busy += 1
            return true
        }
    }

    func leave() { state.withLock { $0.busy -= 1 } }
}
