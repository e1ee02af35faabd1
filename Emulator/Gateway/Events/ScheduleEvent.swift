package import Cryptography
package import JSON
package import Time

extension ScheduleResource {
    /// The event for a schedule that fires at `time`.
    package func event(
        at time: Instant, account: String, region: String, random: RandomSource
    ) -> JSON {
        if let input { return input }
        let detail: JSON
        switch service {
        case .rule: detail = [:]
        // EventBridge Scheduler sends the empty detail as a string.
        case .scheduler: detail = "{}"
        }
        return [
            "version": "0", "id": .string(RequestIDs.uuid(random)),
            "detail-type": "Scheduled Event",
            "source": service == .rule ? "aws.events" : "aws.scheduler",
            "account": .string(account), "time": .string(time.iso8601Seconds),
            "region": .string(region), "resources": [.string(arn)], "detail": detail,
        ]
    }
}
