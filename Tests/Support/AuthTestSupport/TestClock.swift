import Synchronization
package import Time

/// A manual clock.
package final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    package init(_ start: Instant = Instant(seconds: 1_700_000_000)) { instant = Mutex(start) }

    package var now: Instant { instant.withLock { $0 } }
    package var wall: WallClock { WallClock { self.now } }

    package func set(_ new: Instant) { instant.withLock { $0 = new } }

    package func advance(by span: Span) { instant.withLock { $0 = $0 + span } }
}
