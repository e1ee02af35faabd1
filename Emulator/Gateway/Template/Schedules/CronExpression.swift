internal import Bytes
internal import EmulatorBase
internal import Time

/// `cron(minute hour day-of-month month day-of-week year)` as in EventBridge, in UTC.
package struct CronExpression: Sendable, Equatable {
    let minutes: CronSet
    let hours: CronSet
    let days: DaysOfMonth
    let months: CronSet
    let weekdays: DaysOfWeek
    let years: CronSet

    /// The day-of-month field. One of the two day fields is always nil (`?`).
    enum DaysOfMonth: Sendable, Equatable {
        case any
        case set(CronSet)
        /// `L`
        case last
        /// `LW`
        case lastWeekday
        /// `15W`: the weekday nearest the 15th, in the same month.
        case nearestWeekday(Int)
    }

    /// 1 is Sunday.
    enum DaysOfWeek: Sendable, Equatable {
        case any
        case set(CronSet)
        /// `6L`: the last Friday.
        case last(Int)
        /// `6#3`: the third Friday.
        case nth(weekday: Int, count: Int)
    }

    package init(parsing text: String) throws(ScheduleFailure) {
        let fields = text.utf8.split(whereSeparator: \.isBlank)
            .map { String(Substring($0)).asciiUppercased }
        guard fields.count == 6 else { throw .fieldCount(fields.count) }
        guard fields[2].isSame(as: "?") != fields[4].isSame(as: "?") else { throw .dayFields }
        minutes = try CronSet(parsing: fields[0], field: .minute)
        hours = try CronSet(parsing: fields[1], field: .hour)
        days = try Self.daysOfMonth(fields[2])
        months = try CronSet(parsing: fields[3], field: .month)
        weekdays = try Self.daysOfWeek(fields[4])
        years = try CronSet(parsing: fields[5], field: .year)
        let start = Instant(seconds: 0) - .seconds(1)
        guard next(after: start) != nil else { throw .neverFires }
    }

    private static func daysOfMonth(_ text: String) throws(ScheduleFailure) -> DaysOfMonth {
        if text.isSame(as: "?") { return .any }
        if text.isSame(as: "L") { return .last }
        if text.isSame(as: "LW") || text.isSame(as: "WL") { return .lastWeekday }
        guard text.has(suffix: "W") else {
            return .set(try CronSet(parsing: text, field: .dayOfMonth))
        }
        let day = String(Substring(text.utf8.dropLast()))
        guard let number = CronField.dayOfMonth.value(day) else { throw .field(.dayOfMonth) }
        return .nearestWeekday(number)
    }

    private static func daysOfWeek(_ text: String) throws(ScheduleFailure) -> DaysOfWeek {
        if text.isSame(as: "?") { return .any }
        // A single `L` is the last day of the week.
        if text.isSame(as: "L") { return .set(try CronSet(parsing: "7", field: .dayOfWeek)) }
        let (first, second) = text.halves(at: "#")
        if let second {
            guard let weekday = CronField.dayOfWeek.value(first), let count = Int(second),
                (1...5).contains(count), second.utf8.count == 1
            else { throw .field(.dayOfWeek) }
            return .nth(weekday: weekday, count: count)
        }
        guard text.has(suffix: "L") else {
            return .set(try CronSet(parsing: text, field: .dayOfWeek))
        }
        let day = String(Substring(text.utf8.dropLast()))
        guard let weekday = CronField.dayOfWeek.value(day) else { throw .field(.dayOfWeek) }
        return .last(weekday)
    }
}
