import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct NotificationTests {
    private static let url = "http://127.0.0.1:8000/auth/apple/notifications"

    private func harness() throws -> IdentityServiceHarness {
        let harness = try IdentityServiceHarness()
        _ = try harness.put(
            "/_idp/apple/clients/\(IdentityServiceHarness.appleClient)",
            json: ["notificationURL": .string(Self.url)]
        )
        return harness
    }

    @Test func `anything but 200 is retried a limited number of times`() throws {
        let harness = try harness()
        harness.environment.answers(503, nil, 202, 500)
        let answer = try harness.post("/_idp/apple/notify", json: [:])
        expectEqual(answer.json["delivered"], false)
        expectEqual(answer.json["status"], 503)
        expectEqual(harness.environment.deliveries.count, 1)
        for (wait, count) in [(Int64(1), 2), (5, 3), (25, 4)] {
            harness.environment.advance(.milliseconds(wait * 1000 - 1))
            expectEqual(harness.environment.deliveries.count, count - 1)
            harness.environment.advance(.milliseconds(1))
            expectEqual(harness.environment.deliveries.count, count)
        }
        harness.environment.advance(.hours(1))
        expectEqual(harness.environment.deliveries.count, 4)
        expectEqual(Set(harness.environment.deliveries.map(\.body)).count, 1)
        let list = try harness.get("/_idp/apple/notifications").json["notifications"]?.arrayValue
        let entry = try #require(list?.first)
        expectEqual(entry["statuses"], [503, .null, 202, 500])
        expectEqual(entry["delivered"], false)
    }

    @Test func `a successful retry is the last`() throws {
        let harness = try harness()
        harness.environment.answers(500)
        _ = try harness.post("/_idp/apple/notify", json: [:])
        harness.environment.advance(.minutes(5))
        expectEqual(harness.environment.deliveries.count, 2)
        let list = try harness.get("/_idp/apple/notifications").json["notifications"]?.arrayValue
        expectEqual(list?.first?["delivered"], true)
    }
}
