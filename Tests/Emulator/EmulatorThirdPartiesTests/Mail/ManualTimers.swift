import BaseTestSupport
import Glibc

/// Timers that fire when the test says so.
final class ManualTimers: Sendable {
    private let waiting = Mutex<[(delay: Span, action: @Sendable () -> Void)]>([])

    var after: @Sendable (Span, @escaping @Sendable () -> Void) -> Void {
        { [self] delay, action in waiting.withLock { $0.append((delay, action)) } }
    }

    var delays: [Span] { waiting.withLock { $0.map(\.delay) } }

    func ringAll() {
        let actions = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting.map(\.action)
        }
        for action in actions { action() }
    }
}

/// Waits for a condition set by another thread; false after two minutes.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<120_000 {
        if condition() { return true }
        usleep(1000)
    }
    return false
}
