import BaseTestSupport

@Suite("CalendarDate") struct CalendarDateTests {
    static let readings: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_767_700_800_000, "2026-01-06T12:00:00.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),  // a leap year, divisible by 400
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),  // not a leap year
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
    ]

    @Test(arguments: readings) func `an instant can be converted to its calendar date and back`(
        milliseconds: Int64, text: String
    ) {
        let instant = Instant(milliseconds: milliseconds)
        expectEqual(instant.iso8601Milliseconds, text)
        expectEqual(Instant(iso8601: text), instant)
        let seconds = Instant(seconds: instant.seconds)
        expectEqual(Instant(iso8601: instant.iso8601Seconds), seconds)
        expectEqual(instant.compactISO8601.utf8.count, 16)
    }

    @Test func `every day of four centuries follows the previous one`() {
        var previous = CalendarDate(Instant(milliseconds: 0) - .days(1))
        for day in Int64(0)..<146_097 {
            let date = CalendarDate(Instant(milliseconds: 0) + .days(day))
            expectEqual(date.weekday, (previous.weekday + 1) % 7)
            let isNext =
                date.day == previous.day + 1 && date.month == previous.month
                || date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
            if !isNext { Issue.record("\(date) after \(previous)") }
            previous = date
        }
        #expect((previous.year, previous.month, previous.day) == (2369, 12, 31))
        expectEqual(CalendarDate(Instant(milliseconds: 0)).weekday, 4)
    }

    @Test func `a date is written in the forms of HTTP, mail and signatures`() {
        let instant = Instant(milliseconds: 784_111_777_123)
        expectEqual(instant.httpDate, "Sun, 06 Nov 1994 08:49:37 GMT")
        expectEqual(Instant(httpDate: instant.httpDate), Instant(seconds: instant.seconds))
        expectEqual(instant.internetMessageDate, "Sun, 06 Nov 1994 08:49:37 +0000")
        expectEqual(instant.compactISO8601, "19941106T084937Z")
        expectEqual(instant.text("%d/%b/%Y %L %% %"), "06/Nov/1994 123 % ")
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Nov 1994 08:49:37 GMT",
    ]) func `a date that is not in HTTP's current format is refused`(text: String) {
        expectEqual(Instant(httpDate: text), nil)
    }

    @Test func `the smallest and largest instants do not trap`() {
        for milliseconds in [Int64.min, .min + 1, .max, .max - 1] {
            #expect(!Instant(milliseconds: milliseconds).iso8601Milliseconds.isEmpty)
        }
    }

    static let offsets: [(String, Int64)] = [
        ("2026-01-06T12:00:00+00:00", 1_767_700_800), ("2026-01-06T13:30:00+01:30", 1_767_700_800),
        ("2026-01-06T00:00:00-12:00", 1_767_700_800), ("2026-01-06T12:00:00-00:00", 1_767_700_800),
        ("2026-01-07T11:59:00+23:59", 1_767_700_800),
    ]

    @Test(arguments: offsets) func `an offset is subtracted`(text: String, seconds: Int64) {
        expectEqual(Instant(iso8601: text), Instant(seconds: seconds))
    }

    static let fractions: [(String, Int64)] = [
        (".1", 100), (".12", 120), (".123", 123), (".1239", 123), (".000000001", 0),
        (".9999999", 999),
    ]

    @Test(arguments: fractions) func `a fraction is parsed to the millisecond`(
        fraction: String, milliseconds: Int64
    ) {
        let instant = Instant(iso8601: "1970-01-01T00:00:00\(fraction)Z")
        expectEqual(instant?.milliseconds, milliseconds)
    }

    static let refused: [String] = [
        "", "now", "2026-01-06", "2026-01-06T12:00:00", "2026-01-06 12:00:00Z",
        "2026-01-06t12:00:00z", "2026-1-6T12:00:00Z", "26-01-06T12:00:00Z", "2026-01-06T12:00Z",
        "2026-13-06T12:00:00Z", "2026-00-06T12:00:00Z", "2026-01-00T12:00:00Z",
        "2026-01-32T12:00:00Z", "2026-02-29T12:00:00Z", "2026-02-31T12:00:00Z",
        "2026-04-31T12:00:00Z", "2100-02-29T12:00:00Z", "2026-01-06T24:00:00Z",
        "2026-01-06T12:60:00Z", "2026-01-06T12:00:60Z", "2026-01-06T12:00:00.Z",
        "2026-01-06T12:00:00,5Z", "2026-01-06T12:00:00.5", "2026-01-06T12:00:00ZZ",
        "2026-01-06T12:00:00+1:00", "2026-01-06T12:00:00+0100", "2026-01-06T12:00:00+24:00",
        "2026-01-06T12:00:00+01:60", "2026-01-06T12:00:00*01:00", "+026-01-06T12:00:00Z",
        "-026-01-06T12:00:00Z", "２０２６-01-06T12:00:00Z", "2026-01-06T12:00:00Z ",
        " 2026-01-06T12:00:00Z", "2026-01-06T12:00:00.12345678901234567890123456789Z",
        "2026–01–06T12:00:00Z", "20260106T120000Z", "2026-01-06T12:00:00+",
        String(repeating: "2", count: 100_000),
    ]

    @Test(arguments: refused) func `invalid times are refused`(text: String) {
        expectEqual(Instant(iso8601: text), nil)
    }
}
