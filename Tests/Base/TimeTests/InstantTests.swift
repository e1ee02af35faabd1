import BaseTestSupport

@Suite("Instant and Span") struct InstantTests {
    @Test func `seconds round down, before 1970 too`() {
        let rows: [(Int64, Int64)] = [
            (0, 0), (1, 0), (999, 0), (1000, 1), (1001, 1), (-1, -1), (-999, -1), (-1000, -1),
            (-1001, -2), (.max, 9_223_372_036_854_775), (.min, -9_223_372_036_854_776),
            (.min + 1, -9_223_372_036_854_776),
        ]
        for (milliseconds, seconds) in rows {
            expectEqual(Instant(milliseconds: milliseconds).seconds, seconds)
        }
    }

    /// A claim such as `"exp": 9223372036854775807` is untrusted input.
    @Test func `arithmetic saturates and never overflows`() {
        let (first, last) = (Instant(milliseconds: .min), Instant(milliseconds: .max))
        #expect(last + .milliseconds(1) == last && first - .milliseconds(1) == first)
        #expect(
            last - Span(milliseconds: .min) == last && first + Span(milliseconds: .min) == first)
        #expect(Instant(seconds: .max) == last && Instant(seconds: .min) == first)
        #expect((last - first).milliseconds == .max && (first - last).milliseconds == .min)
        #expect(Span.seconds(.max).milliseconds == .max && Span.days(.max).milliseconds == .max)
        #expect(Span.hours(.min).milliseconds == .min && Span.minutes(.min).milliseconds == .min)
        expectEqual((-Span(milliseconds: .min)).milliseconds, .max)
    }

    @Test func `units have the right length`() {
        #expect(Span.seconds(1) == .milliseconds(1000) && Span.minutes(1) == .seconds(60))
        #expect(Span.hours(1) == .minutes(60) && Span.days(1) == .hours(24))
        #expect(Span.milliseconds(1999).seconds == 1 && -Span.seconds(2) == .seconds(-2))
        #expect(Span.zero < .milliseconds(1) && .seconds(-1) < Span.zero)
    }

    @Test func `a fixed clock does not advance`() {
        let clock = WallClock.fixed(at: Instant(seconds: 5))
        #expect(clock.now() == clock.now() && clock.now() == Instant(seconds: 5))
    }

    @Test func `the system clock is plausible and has milliseconds`() {
        #expect(WallClock.system.now() > Instant(seconds: 1_750_000_000))
        let readings = (0..<2000).map { _ in WallClock.system.now() }
        #expect(Set(readings).count >= 1)
    }
}
