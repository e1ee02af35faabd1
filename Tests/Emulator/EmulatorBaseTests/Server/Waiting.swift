import Glibc
import Synchronization

/// An event on another thread.
final class DispatchFlag: Sendable {
    private let isRaised = Mutex(false)

    func raise() { isRaised.withLock { $0 = true } }

    /// False after a timeout of two minutes.
    func wait() -> Bool {
        for _ in 0..<120_000 {
            if isRaised.withLock({ $0 }) { return true }
            usleep(1000)
        }
        return false
    }
}
