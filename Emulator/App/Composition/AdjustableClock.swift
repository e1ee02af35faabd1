internal import Synchronization
package import Time

/// The emulator's clock: the system clock plus an adjustable offset.
///
/// It determines when items and credentials expire and when schedules run. Signatures and tokens
/// use the system clock, because the functions that create and verify them do.
package final class AdjustableClock: Sendable {
    private let offset: Atomic<Int64>

    package init(ahead: Span = .zero) { offset = Atomic(ahead.milliseconds) }

    package var ahead: Span { .milliseconds(offset.load(ordering: .relaxed)) }

    package func move(by span: Span) { offset.add(span.milliseconds, ordering: .relaxed) }

    package func reset() { offset.store(0, ordering: .relaxed) }

    package var now: Instant { WallClock.system.now() + ahead }

    package var wall: WallClock { WallClock { self.now } }
}
