internal import Glibc
internal import Synchronization
internal import Threads

/// Runs blocking work on a new thread.
package enum BackgroundThread {
    /// Bounds the number of threads that requests can start.
    private static let threadsMax = 256
    private static let running = Atomic<Int>(0)

    /// Returns false if no thread can be started.
    @discardableResult
    package static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard running.add(1, ordering: .relaxed).newValue <= threadsMax else {
            running.subtract(1, ordering: .relaxed)
            return false
        }
        let isStarted = PosixThread.detached {
            body()
            running.subtract(1, ordering: .relaxed)
        }
        if !isStarted { running.subtract(1, ordering: .relaxed) }
        return isStarted
    }
}

/// Repeats an action at an interval, on its own thread, until it is stopped.
package final class RepeatingTimer: Sendable {
    private let isStopped = Atomic<Bool>(false)

    package init(everyMilliseconds interval: Int, _ action: @escaping @Sendable () -> Void) {
        BackgroundThread.run { [weak self] in
            var next = MonotonicClock.nanoseconds
            while true {
                next += UInt64(interval) * 1_000_000
                let now = MonotonicClock.nanoseconds
                if next > now { usleep(UInt32((next - now) / 1000)) } else { next = now }
                guard let self, !self.isStopped.load(ordering: .relaxed) else { return }
                action()
            }
        }
    }

    package func stop() { isStopped.store(true, ordering: .relaxed) }

    deinit { stop() }
}

/// Blocks SIGINT and SIGTERM in the calling thread and all threads it starts later, so that only
/// `wait` receives them.
package enum TerminationSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    package static func block() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    package static func wait() {
        var set = set
        var number: Int32 = 0
        while sigwait(&set, &number) != 0 {}
    }

    /// Restores the default action, so that a second signal ends the process at once.
    package static func unblock() {
        var set = set
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
