import BaseTestSupport
import EmulatorGateway

@Suite("Schedules") struct ScheduleTests {
    private func instant(_ text: String) throws -> Instant {
        try #require(Instant(iso8601: text))
    }

    @Test(arguments: [
        ("cron(0 10 * * ? *)", "2026-01-06T12:00:00Z", "2026-01-07T10:00:00Z"),
        ("cron(0 10 * * ? *)", "2026-01-06T09:59:59Z", "2026-01-06T10:00:00Z"),
        ("cron(0 10 * * ? *)", "2026-01-06T10:00:00Z", "2026-01-07T10:00:00Z"),
        ("cron(0/15 * * * ? *)", "2026-01-06T10:14:59.999Z", "2026-01-06T10:15:00Z"),
        ("cron(5/20 * * * ? *)", "2026-01-06T10:46:00Z", "2026-01-06T11:05:00Z"),
        ("cron(*/10 8-17 ? * MON-FRI *)", "2026-01-09T17:50:00Z", "2026-01-12T08:00:00Z"),
        ("cron(0 12 1 * ? *)", "2026-12-02T00:00:00Z", "2027-01-01T12:00:00Z"),
        ("cron(0 0 31 * ? *)", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"),
        ("cron(0 0 29 2 ? *)", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("cron(0 0 29 2 ? 2096-2104)", "2026-01-01T00:00:00Z", "2096-02-29T00:00:00Z"),
        ("cron(0 0 29 2 ? 2097-2104)", "2026-01-01T00:00:00Z", "2104-02-29T00:00:00Z"),
        ("cron(0 0 L * ? *)", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z"),
        ("cron(0 0 L FEB ? *)", "2027-12-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("cron(0 0 LW * ? *)", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00Z"),
        ("cron(0 0 15W * ? *)", "2026-02-01T00:00:00Z", "2026-02-16T00:00:00Z"),
        ("cron(0 0 1W * ? *)", "2026-07-30T00:00:00Z", "2026-08-03T00:00:00Z"),
        ("cron(0 0 31W * ? *)", "2026-04-01T00:00:00Z", "2026-05-29T00:00:00Z"),
        ("cron(0 0 ? * 6L *)", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00Z"),
        ("cron(0 0 ? * FRIL *)", "2026-02-01T00:00:00Z", "2026-02-27T00:00:00Z"),
        ("cron(0 0 ? * 3#2 *)", "2026-01-01T00:00:00Z", "2026-01-13T00:00:00Z"),
        ("cron(0 0 ? * 1#5 *)", "2026-01-01T00:00:00Z", "2026-03-29T00:00:00Z"),
        ("cron(0 0 ? * L *)", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"),
        ("cron(0 0 ? * 1 *)", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"),
        ("cron(0 0 1 1,7 ? 2027/2)", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("cron(0 0 1 jan-mar ? *)", "2026-03-02T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("cron(59 23 31 12 ? 2199)", "2026-01-01T00:00:00Z", "2199-12-31T23:59:00Z"),
        ("rate(5 minutes)", "2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"),
        ("rate(1 hour)", "2026-01-01T02:30:00Z", "2026-01-01T03:00:00Z"),
        ("rate(2 days)", "2025-12-31T00:00:00Z", "2026-01-03T00:00:00Z"),
        ("at(2026-02-03T04:05:06)", "2026-01-01T00:00:00Z", "2026-02-03T04:05:06Z"),
    ])
    func `the next time of a schedule is found`(expression: String, after: String, next: String)
        throws
    {
        let parsed = try ScheduleExpression(parsing: expression)
        let found = try parsed.next(after: instant(after), start: instant("2026-01-01T00:00:00Z"))
        expectEqual(found?.iso8601Seconds, next)
    }

    @Test(arguments: [
        "cron(0 0 1 1 ? 2020)", "at(2020-01-01T00:00:00)",
    ])
    func `past schedules never fire again`(expression: String) throws {
        let parsed = try ScheduleExpression(parsing: expression)
        try expectEqual(
            parsed.next(
                after: instant("2026-01-01T00:00:00Z"), start: instant("2026-01-01T00:00:00Z")), nil
        )
    }

    @Test(arguments: [
        ("", ScheduleFailure.notAnExpression), ("rate", .notAnExpression),
        ("rate(5 minutes", .notAnExpression), ("Rate(5 minutes)", .notAnExpression),
        ("every(5 minutes)", .notAnExpression), (" rate(5 minutes)", .notAnExpression),
        ("rate()", .rateValue), ("rate(0 minutes)", .rateValue), ("rate(-1 minutes)", .rateValue),
        ("rate(+5 minutes)", .rateValue), ("rate(1.5 hours)", .rateValue),
        ("rate(5)", .rateValue), ("rate(9999999999 days)", .rateValue),
        ("rate(1 minutes)", .rateUnit), ("rate(5 minute)", .rateUnit),
        ("rate(5 seconds)", .rateUnit), ("rate(1 week)", .rateUnit),
        ("cron(0 0 * * ?)", .fieldCount(5)), ("cron(0 0 0 * * ? *)", .fieldCount(7)),
        ("cron(0 0 * * * *)", .dayFields), ("cron(0 0 ? * ? *)", .dayFields),
        ("cron(60 0 * * ? *)", .field(.minute)), ("cron(0 24 * * ? *)", .field(.hour)),
        ("cron(0 0 0 * ? *)", .field(.dayOfMonth)), ("cron(0 0 32 * ? *)", .field(.dayOfMonth)),
        ("cron(0 0 * 13 ? *)", .field(.month)), ("cron(0 0 ? * 0 *)", .field(.dayOfWeek)),
        ("cron(0 0 ? * 8 *)", .field(.dayOfWeek)), ("cron(0 0 ? * 2#6 *)", .field(.dayOfWeek)),
        ("cron(0 0 ? * 2#0 *)", .field(.dayOfWeek)), ("cron(0 0 ? * #1 *)", .field(.dayOfWeek)),
        ("cron(0 0 * * ? 1969)", .field(.year)), ("cron(0 0 * * ? 2200)", .field(.year)),
        ("cron(5-1 0 * * ? *)", .field(.minute)), ("cron(*/0 0 * * ? *)", .field(.minute)),
        ("cron(, 0 * * ? *)", .field(.minute)), ("cron(1, 0 * * ? *)", .field(.minute)),
        ("cron(? 0 * * ? *)", .field(.minute)), ("cron(-1 0 * * ? *)", .field(.minute)),
        ("cron(0 0 W * ? *)", .field(.dayOfMonth)), ("cron(0 0 1-5W * ? *)", .field(.dayOfMonth)),
        ("cron(0 0 30 2 ? *)", .neverFires), ("cron(0 0 31 4,6,9,11 ? *)", .neverFires),
        ("at(2026-02-30T00:00:00)", .time), ("at(tomorrow)", .time),
    ])
    func `invalid expressions are refused`(expression: String, failure: ScheduleFailure) {
        #expect(throws: failure) { try ScheduleExpression(parsing: expression) }
    }

    @Test func `the search agrees with a reference implementation for sixty years`() throws {
        // Covers leap years, ends of months and weekdays.
        for expression in ["cron(30 6 L * ? *)", "cron(30 6 ? * 2#1 *)", "cron(30 6 1W * ? *)"] {
            let parsed = try ScheduleExpression(parsing: expression)
            var time = try instant("2000-01-01T00:00:00Z")
            let end = try instant("2060-01-01T00:00:00Z")
            var months: [String] = []
            while let next = parsed.next(after: time, start: time), next < end {
                let date = CalendarDate(next)
                #expect((date.hour, date.minute, date.second) == (6, 30, 0))
                months.append(next.text("%Y-%m"))
                time = next
            }
            expectEqual(months.count, 720)
            expectEqual(Set(months).count, 720)
        }
    }
}
