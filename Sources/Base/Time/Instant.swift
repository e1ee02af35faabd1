/// A point in time with millisecond precision, counted from 1970-01-01T00:00:00Z.
///
/// It counts milliseconds, because with whole seconds another system accepted a rotated token
/// (keycloak#50999). It is an integer, so that equality is exact on every machine.
package struct Instant: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package init(seconds: Int64) { self.milliseconds = seconds.multipliedClamping(by: 1000) }

    /// Whole seconds, rounded down, for `iat`, `exp` and TTL attributes.
    package var seconds: Int64 {
        // Does not subtract first, because that would overflow at the smallest value.
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static func + (instant: Instant, span: Span) -> Instant {
        Instant(milliseconds: instant.milliseconds.addingClamping(span.milliseconds))
    }

    package static func - (instant: Instant, span: Span) -> Instant {
        Instant(milliseconds: instant.milliseconds.subtractingClamping(span.milliseconds))
    }

    package static func - (later: Instant, earlier: Instant) -> Span {
        Span(milliseconds: later.milliseconds.subtractingClamping(earlier.milliseconds))
    }
}

/// A duration with millisecond precision.
package struct Span: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package var seconds: Int64 { milliseconds / 1000 }

    package static let zero = Span(milliseconds: 0)

    package static func milliseconds(_ count: Int64) -> Span { Span(milliseconds: count) }
    package static func seconds(_ count: Int64) -> Span {
        Span(milliseconds: count.multipliedClamping(by: 1000))
    }
    package static func minutes(_ count: Int64) -> Span {
        .seconds(count.multipliedClamping(by: 60))
    }
    package static func hours(_ count: Int64) -> Span {
        .seconds(count.multipliedClamping(by: 3600))
    }
    package static func days(_ count: Int64) -> Span {
        .seconds(count.multipliedClamping(by: 86400))
    }

    package static func < (left: Span, right: Span) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package static prefix func - (span: Span) -> Span {
        Span(milliseconds: Int64(0).subtractingClamping(span.milliseconds))
    }
}

// A claim such as `"exp": 9223372036854775807` is untrusted input: arithmetic on it must neither
// trap nor overflow.
extension Int64 {
    fileprivate func addingClamping(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingClamping(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ((self < 0) != (factor < 0) ? .min : .max) : product
    }
}
