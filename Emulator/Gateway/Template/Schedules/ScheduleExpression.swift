internal import Bytes
internal import EmulatorBase
package import Time

/// Why a schedule expression is invalid.
package enum ScheduleFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case notAnExpression
    case rateValue
    /// The unit must be `minute` for 1 and `minutes` for more.
    case rateUnit
    case fieldCount(Int)
    case field(CronField)
    /// Exactly one of the two day fields must be `?`.
    case dayFields
    case time
    /// No date matches.
    case neverFires

    package var description: String {
        switch self {
        case .notAnExpression: "expected rate(…), cron(…) or at(…)"
        case .rateValue: "the value of a rate must be an integer greater than 0"
        case .rateUnit: "the unit is minute, hour or day for 1 and minutes, hours or days for more"
        case .fieldCount(let count): "a cron expression has six fields, not \(count)"
        case .field(let field): "the field \(field.name) cannot be read"
        case .dayFields: "one of day-of-month and day-of-week must be ?, and not both"
        case .time: "the time is not of the form 2026-01-31T12:00:00"
        case .neverFires: "the date never occurs"
        }
    }
}

/// A schedule expression, in UTC.
package enum ScheduleExpression: Sendable, Equatable {
    case rate(Span)
    case cron(CronExpression)
    /// Once. Only EventBridge Scheduler has it.
    case at(Instant)

    package init(parsing text: String) throws(ScheduleFailure) {
        guard text.utf8.count <= 512, let open = text.utf8.firstIndex(of: UInt8(ascii: "(")),
            text.has(suffix: ")")
        else { throw .notAnExpression }
        let kind = String(Substring(text.utf8[..<open]))
        let inner = String(Substring(text.utf8[text.utf8.index(after: open)...].dropLast()))
        switch kind {
        case "rate": self = .rate(try Self.rate(inner))
        case "cron": self = .cron(try CronExpression(parsing: inner))
        case "at":
            guard let instant = Instant(iso8601: inner + "Z") else { throw .time }
            self = .at(instant)
        default: throw .notAnExpression
        }
    }

    private static func rate(_ text: String) throws(ScheduleFailure) -> Span {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        guard words.count == 2, let digits = words.first, let unit = words.last,
            digits.utf8.count <= 9, digits.utf8.allSatisfy(\.isDigit),
            let count = Int64(digits), count > 0
        else { throw .rateValue }
        let units: [(singular: String, plural: String, span: Span)] = [
            ("minute", "minutes", .minutes(count)), ("hour", "hours", .hours(count)),
            ("day", "days", .days(count)),
        ]
        for known in units where unit.isSame(as: count == 1 ? known.singular : known.plural) {
            return known.span
        }
        throw .rateUnit
    }

    /// The first time after `instant`; nil if there is none. A rate counts from `start`.
    package func next(after instant: Instant, start: Instant) -> Instant? {
        switch self {
        case .rate(let span):
            guard instant >= start else { return start + span }
            let passed = (instant - start).milliseconds / span.milliseconds
            return Instant(
                milliseconds: start.milliseconds + (passed + 1) * span.milliseconds)
        case .cron(let expression): return expression.next(after: instant)
        case .at(let time): return time > instant ? time : nil
        }
    }
}
