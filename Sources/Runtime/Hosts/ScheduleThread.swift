internal import Glibc
internal import Synchronization
internal import Threads
internal import Time

/// Performs periodic work of a server on a separate thread. Elsewhere a scheduler of the platform
/// invokes the function.
final class ScheduleThread: Sendable {
    private enum State: Sendable { case sleeping, running, stopped }

    private let state = Mutex(State.sleeping)
    private let interval: Span
    private let perform: @Sendable () -> Void

    private static let stopMillisecondsMax = 1_000
    private static let pollMilliseconds = 10

    init(every interval: Span, _ perform: @escaping @Sendable () -> Void) {
        self.interval = interval
        self.perform = perform
    }

    /// The first run is one interval later. False if the thread cannot be created.
    func start() -> Bool {
        PosixThread.detached { [self] in
            repeat {
                sleep()
            } while runOnce()
        }
    }

    private func sleep() {
        var time = timespec(
            tv_sec: Int(interval.milliseconds / 1000),
            tv_nsec: Int(interval.milliseconds % 1000) * 1_000_000)
        var left = timespec()
        // A signal may interrupt the sleep.
        while nanosleep(&time, &left) != 0 { time = left }
    }

    private func runOnce() -> Bool {
        guard change(.sleeping, to: .running) else { return false }
        perform()
        return change(.running, to: .sleeping)
    }

    private func change(_ expected: State, to next: State) -> Bool {
        state.withLock { state in
            guard state == expected else { return false }
            state = next
            return true
        }
    }

    /// Waits up to a second for a current run, which may be interrupted at any point. Returns false
    /// if it has not ended.
    func stop() -> Bool {
        for _ in 0..<(Self.stopMillisecondsMax / Self.pollMilliseconds) {
            if change(.sleeping, to: .stopped) { return true }
            usleep(UInt32(Self.pollMilliseconds * 1000))
        }
        return change(.sleeping, to: .stopped)
    }
}
