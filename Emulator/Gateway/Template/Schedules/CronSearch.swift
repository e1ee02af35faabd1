package import Time

extension CronExpression {
    /// The first matching minute after `instant`, up to the end of the year 2199.
    package func next(after instant: Instant) -> Instant? {
        let start = CalendarDate(instant + .minutes(1))
        guard start.year <= CronField.year.range.upperBound else { return nil }
        var year = start.year
        var month = start.month
        var day = start.day
        var minuteOfDay = start.hour * 60 + start.minute
        while let fitting = years.first(from: year) {
            if fitting > year { (year, month, day, minuteOfDay) = (fitting, 1, 1, 0) }
            while let fitting = months.first(from: month) {
                if fitting > month { (month, day, minuteOfDay) = (fitting, 1, 0) }
                let count = Self.days(inMonth: month, of: year)
                while day <= count {
                    if fits(day: day, month: month, year: year),
                        let time = time(from: minuteOfDay)
                    {
                        return Self.instant(year, month, day, minuteOfDay: time)
                    }
                    (day, minuteOfDay) = (day + 1, 0)
                }
                (month, day, minuteOfDay) = (month + 1, 1, 0)
            }
            (year, month, day, minuteOfDay) = (year + 1, 1, 1, 0)
        }
        return nil
    }

    private func time(from minuteOfDay: Int) -> Int? {
        let hour = minuteOfDay / 60
        if hours.contains(hour), let minute = minutes.first(from: minuteOfDay % 60) {
            return hour * 60 + minute
        }
        guard let later = hours.first(from: hour + 1), let minute = minutes.first(from: 0) else {
            return nil
        }
        return later * 60 + minute
    }

    private func fits(day: Int, month: Int, year: Int) -> Bool {
        let count = Self.days(inMonth: month, of: year)
        switch days {
        case .any: break
        case .set(let set): return set.contains(day)
        case .last: return day == count
        case .lastWeekday:
            return day == Self.nearestWeekday(to: count, month: month, year: year)
        case .nearestWeekday(let target):
            // The 31st does not match in shorter months.
            return target <= count
                && day == Self.nearestWeekday(to: target, month: month, year: year)
        }
        let weekday = Self.weekday(day, month, year)
        switch weekdays {
        case .any: return true
        case .set(let set): return set.contains(weekday)
        case .last(let wanted): return weekday == wanted && day + 7 > count
        case .nth(let wanted, let nth): return weekday == wanted && (day - 1) / 7 + 1 == nth
        }
    }

    /// The day itself, or the Friday before or the Monday after, within the month.
    private static func nearestWeekday(to day: Int, month: Int, year: Int) -> Int {
        let count = days(inMonth: month, of: year)
        switch weekday(day, month, year) {
        case 7: return day == 1 ? 3 : day - 1
        case 1: return day == count ? day - 2 : day + 1
        default: return day
        }
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// 1 is Sunday (Sakamoto's method).
    private static func weekday(_ day: Int, _ month: Int, _ year: Int) -> Int {
        let offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        let year = month < 3 ? year - 1 : year
        return (year + year / 4 - year / 100 + year / 400 + offsets[month - 1] + day) % 7 + 1
    }

    private static func instant(
        _ year: Int, _ month: Int, _ day: Int, minuteOfDay: Int
    ) -> Instant {
        // Days from 1970-01-01, counting years that begin in March.
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
        let days =
            shiftedYear * 365 + shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
            + (153 * shiftedMonth + 2) / 5 + Int64(day) - 719_469
        return Instant(seconds: (days * 1440 + Int64(minuteOfDay)) * 60)
    }
}
