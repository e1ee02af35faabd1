import BaseTestSupport
import EmulatorGateway

@Suite("ScheduleEvents") struct ScheduleEventTests {
    @Test func `the events have EventBridge's format`() throws {
        let harness = try GatewayHarness([
            "Resources": [
                "F": SAMTemplates.function([
                    "Cleanup": ["Type": "Schedule", "Properties": ["Schedule": "rate(5 minutes)"]],
                    "Named": [
                        "Type": "Schedule",
                        "Properties": [
                            "Schedule": "cron(0 1 * * ? *)", "Name": "nightly",
                            "Input": "{\"a\":[1]}", "Enabled": false,
                        ],
                    ],
                    "Two": [
                        "Type": "ScheduleV2",
                        "Properties": [
                            "ScheduleExpression": "rate(1 day)",
                            "ScheduleExpressionTimezone": "Europe/Zurich",
                        ],
                    ],
                ])
            ]
        ])
        let schedules = harness.template.schedules
        expectEqual(schedules.map(\.name), ["FCleanup", "nightly", "FTwo"])
        expectEqual(schedules.map(\.isEnabled), [true, false, true])
        expectEqual(schedules.map(\.function), Array(repeating: FunctionName("F"), count: 3))
        let time = try #require(Instant(iso8601: "2025-01-02T03:04:05Z"))
        func event(_ index: Int) -> JSON {
            schedules[index].event(
                at: time, account: "123456789012", region: "us-east-1", random: .seeded(1))
        }
        let id = try #require(event(0)["id"])
        expectEqual(id.stringValue?.utf8.count, 36)
        expectEqual(
            event(0),
            [
                "version": "0", "id": id, "detail-type": "Scheduled Event",
                "source": "aws.events", "account": "123456789012",
                "time": "2025-01-02T03:04:05Z", "region": "us-east-1",
                "resources": ["arn:aws:events:us-east-1:123456789012:rule/FCleanup"],
                "detail": [:],
            ])
        expectEqual(event(1), ["a": [1]])
        expectEqual(event(2)["source"], "aws.scheduler")
        expectEqual(event(2)["detail"], "{}")
        #expect(
            harness.template.warnings.contains {
                $0.path.hasSuffix("ScheduleExpressionTimezone")
            })
    }
}
