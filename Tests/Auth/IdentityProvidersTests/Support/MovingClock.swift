import BaseTestSupport

/// A manual clock.
final class MovingClock: Sendable {
    private let instant: Mutex<Instant>

    init(at instant: Instant = ProviderFixture.noon) { self.instant = Mutex(instant) }

    var now: Instant { instant.withLock { $0 } }
    var clock: WallClock { WallClock { self.now } }

    func advance(by span: Span) { instant.withLock { $0 = $0 + span } }
}
