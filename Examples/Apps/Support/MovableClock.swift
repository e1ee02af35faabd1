package import Foundation
import LatchkeyClient

/// The device's clocks, moved forward on demand, so that tokens expire without waiting.
package final class MovableClock: SessionClock {
    private let system = SystemClock()
    private let ahead = Guarded(Duration.zero)

    package init() {}

    package func move(by time: Duration) { ahead.change { $0 += time } }

    package func now() -> Date {
        system.now().addingTimeInterval(ahead.change { $0 } / .seconds(1))
    }

    package func uptime() -> Duration { system.uptime() + ahead.change { $0 } }

    /// Pauses between attempts take no time. Only the timeouts of requests are longer than these
    /// pauses.
    package func sleep(for duration: Duration) async throws {
        guard duration < .seconds(10) else { return try await system.sleep(for: duration) }
        try Task.checkCancellation()
        move(by: duration)
    }
}
