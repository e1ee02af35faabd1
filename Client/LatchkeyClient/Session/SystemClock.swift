public import Foundation

/// The clocks of this device.
public struct SystemClock: SessionClock {
    private let start = ContinuousClock.now

    public init() {}

    public func now() -> Date { Date() }

    public func uptime() -> Duration { ContinuousClock.now - start }

    public func sleep(for duration: Duration) async throws {
        try await ContinuousClock().sleep(for: duration)
    }
}
