/// The UTC calendar date and time of an instant.
package struct CalendarDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let millisecond: Int
    /// 0 is Sunday.
    package let weekday: Int

    package init(_ instant: Instant) {
        let days = instant.seconds.flooredDivision(by: 86400)
        let secondOfDay = Int(instant.seconds - days * 86400)
        let civil = Self.civil(fromDays: days)
        (year, month, day) = civil
        (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
        millisecond = Int((instant.milliseconds % 1000 + 1000) % 1000)
        weekday = Int(((days + 4) % 7 + 7) % 7)
    }

    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years that begin
    // on 1 March, so that the leap day is the last day of a year.
    private static func civil(fromDays days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), Int(month),
            Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        )
    }

    fileprivate static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Instant {
    /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`; nil for anything else.
    package init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
            bytes[16] == 0x3A, (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        var position = 19
        var milliseconds: Int64 = 0
        if bytes[position] == 0x2E {
            position += 1
            var scale: Int64 = 100
            let start = position
            while position < bytes.count, let digit = number(position..<position + 1) {
                milliseconds += digit * scale
                scale /= 10
                position += 1
            }
            guard position > start else { return nil }
        }
        var offsetMinutes: Int64 = 0
        guard position < bytes.count else { return nil }
        if bytes[position] == 0x5A {
            position += 1
        } else {
            guard bytes.count == position + 6, bytes[position + 3] == 0x3A,
                let hours = number(position + 1..<position + 3),
                let minutes = number(position + 4..<position + 6), hours < 24, minutes < 60
            else { return nil }
            switch bytes[position] {
            case 0x2B: offsetMinutes = hours * 60 + minutes
            case 0x2D: offsetMinutes = -(hours * 60 + minutes)
            default: return nil
            }
            position = bytes.count
        }
        guard position == bytes.count else { return nil }
        let days = CalendarDate.days(year: year, month: month, day: day)
        let reading = Instant(
            milliseconds: (days * 86400 + hour * 3600 + minute * 60 + second) * 1000
                + milliseconds)
        // Refuses dates such as 31 February: converted to an instant and back, they become another
        // date.
        guard CalendarDate(reading).day == Int(day) else { return nil }
        self = reading - .minutes(offsetMinutes)
    }

    /// Parses `Tue, 06 Jan 2026 12:00:00 GMT` (RFC 9110 section 5.6.7), without its obsolete forms.
    package init?(httpDate text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[1].utf8.count == 2,
            let month = CalendarDate.month(named: words[2])
        else { return nil }
        self.init(
            iso8601: "\(words[3])-\(month < 10 ? "0" : "")\(month)-\(words[1])T\(words[4])Z")
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
