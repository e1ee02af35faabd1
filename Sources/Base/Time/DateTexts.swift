extension Instant {
    /// `2026-01-06T12:00:00.000Z`
    package var iso8601Milliseconds: String { text("%Y-%m-%dT%H:%M:%S.%LZ") }

    /// `2026-01-06T12:00:00Z`
    package var iso8601Seconds: String { text("%Y-%m-%dT%H:%M:%SZ") }

    /// `20260106T120000Z`, the form of Signature Version 4.
    package var compactISO8601: String { text("%Y%m%dT%H%M%SZ") }

    /// `Tue, 06 Jan 2026 12:00:00 GMT` (RFC 9110 section 5.6.7).
    package var httpDate: String { text("%a, %d %b %Y %H:%M:%S GMT") }

    /// `Tue, 06 Jan 2026 12:00:00 +0000` (RFC 5322 section 3.3).
    package var internetMessageDate: String { text("%a, %d %b %Y %H:%M:%S +0000") }

    /// Formats the time in UTC, with the specifiers of `strftime`: `%Y`, `%m`, `%d`, `%H`, `%M` and
    /// `%S` are numbers, `%a` and `%b` the day and the month in English; `%L` are milliseconds.
    package func text(_ form: String) -> String {
        let date = CalendarDate(self)
        // The text is one array of bytes: with a string for each number, this took a seventh of the
        // time of a signature.
        var text: [UInt8] = []
        text.reserveCapacity(32)
        var isField = false
        for byte in form.utf8 {
            if isField {
                text.append(field: byte, of: date)
                isField = false
            } else if byte == UInt8(ascii: "%") {
                isField = true
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension CalendarDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    fileprivate var dayName: String { Self.days[weekday] }
    fileprivate var monthName: String { Self.months[month - 1] }

    /// The number of the month with this English name, from 1.
    package static func month(named name: some StringProtocol) -> Int? {
        months.firstIndex { $0.utf8.elementsEqual(name.utf8) }.map { $0 + 1 }
    }
}

extension [UInt8] {
    fileprivate mutating func append(field: UInt8, of date: CalendarDate) {
        switch field {
        case UInt8(ascii: "Y"): append(date.year, digits: 4)
        case UInt8(ascii: "m"): append(date.month, digits: 2)
        case UInt8(ascii: "d"): append(date.day, digits: 2)
        case UInt8(ascii: "H"): append(date.hour, digits: 2)
        case UInt8(ascii: "M"): append(date.minute, digits: 2)
        case UInt8(ascii: "S"): append(date.second, digits: 2)
        case UInt8(ascii: "L"): append(date.millisecond, digits: 3)
        case UInt8(ascii: "a"): self += date.dayName.utf8
        case UInt8(ascii: "b"): self += date.monthName.utf8
        default: append(field)
        }
    }

    /// Appends a decimal number, padded with zeros.
    private mutating func append(_ number: Int, digits: Int) {
        var rest = number
        var place = 1
        for _ in 1..<digits { place *= 10 }
        guard (0..<place * 10).contains(number) else { return self += String(number).utf8 }
        while place > 0 {
            append(UInt8(ascii: "0") + UInt8(rest / place))
            rest %= place
            place /= 10
        }
    }
}
