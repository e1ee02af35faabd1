internal import Synchronization

/// How many threads of a server may do the same slow thing at a time, so that the others answer
/// what does not wait for it. A function has one thread, and always its share.
package final class ThreadShare: Sendable {
    private struct State {
        var threads = 1
        var busy = 0
    }

    private let divisor: Int
    private let state = Mutex(State())

    /// - Parameter divisor: 2 for half of all threads; one of them at least.
    package init(divisor: Int) { self.divisor = divisor }

    func addThread() { state.withLock { $0.threads += 1 } }

    /// False if the share is in use. Otherwise to be followed by `leave`.
    func enter() -> Bool {
        state.withLock { state in
            guard state.busy < max(1, state.threads / divisor) else { return false }
            state.busy += 1
            return true
        }
    }

    func leave() { state.withLock { $0.busy -= 1 } }
}
