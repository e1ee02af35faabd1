import AuthTestSupport
import Foundation
import LatchkeyClient

/// The clocks of one device: the time of day may be wrong, and jump.
final class SimulatedClock: SessionClock, @unchecked Sendable {
    private let scheduler: Scheduler
    private let process: Int
    private let skew: () -> Double
    private let startedAt: Instant

    init(_ scheduler: Scheduler, process: Int, skew: @escaping () -> Double) {
        self.scheduler = scheduler
        self.process = process
        self.skew = skew
        startedAt = scheduler.clock.now
    }

    func now() -> Date {
        Date(timeIntervalSince1970: Double(scheduler.clock.now.milliseconds) / 1000 + skew())
    }

    func uptime() -> Duration {
        .milliseconds((scheduler.clock.now - startedAt).milliseconds)
    }

    func sleep(for duration: Duration) async throws {
        let span = Span(milliseconds: max(0, Int64(duration / .milliseconds(1))))
        // The task may be cancelled before or after the timer starts. The handler runs on this
        // thread in both cases.
        let sleeper = Sleeper()
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if Task.isCancelled { return waiter.resume(returning: false) }
                sleeper.timer = scheduler.startTimer(
                    process, after: span,
                    Scheduler.Event(
                        process: process, happen: { waiter.resume(returning: true) },
                        abandon: { waiter.resume(returning: false) }))
            }
        } onCancel: {
            sleeper.timer.flatMap(scheduler.stopTimer)?.abandon()
        }
        guard isOver else { throw CancellationError() }
    }

    private final class Sleeper: @unchecked Sendable {
        var timer: Int?
    }
}
