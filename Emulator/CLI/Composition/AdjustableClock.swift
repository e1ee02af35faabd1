internal import Synchronization
package import Time

/// The emulator's time: the machine's, and as far ahead of it as somebody has moved it.
///
/// It decides when items expire, schedules fire and credentials end. Signatures and tokens go by
/// the machine's clock, because the functions that make and check them do.
package final class AdjustableClock: Sendable {
    private let offset: Atomic<Int64>

    package init(ahead: Span = .zero) { offset = Atomic(ahead.milliseconds) }

    package var ahead: Span { .milliseconds(offset.load(ordering: .relaxed)) }

    package func move(by span: Span) { offset.add(span.milliseconds, ordering: .relaxed) }

    package func reset() { offset.store(0, ordering: .relaxed) }

    package var now: Instant { WallClock.system.now() + ahead }

    package var wall: WallClock { WallClock { self.now } }
}
