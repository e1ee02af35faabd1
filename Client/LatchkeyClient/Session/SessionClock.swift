public import Foundation

/// The clocks of a device.
public protocol SessionClock: Sendable {
    /// The time of day, which may be wrong, and may jump.
    func now() -> Date
    /// The time since any fixed moment. It never jumps, and passes while the device sleeps.
    func uptime() -> Duration
    /// Throws when its task is cancelled.
    func sleep(for duration: Duration) async throws
}
