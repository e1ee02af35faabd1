import BaseTestSupport
import EmulatorDynamoDB

@Suite("DynamoDB time to live")
struct TimeToLiveTests {
    private func specification(_ attribute: String, _ isEnabled: Bool) -> String {
        #"{"TableName":"tbl","TimeToLiveSpecification":{"AttributeName":"\#(attribute)","Enabled":\#(isEnabled)}}"#
    }

    @Test func `expired items are deleted on request, from indexes too`() throws {
        let kit = try DynamoDBHarness()
        let now = kit.now.seconds
        // Items from before and after enabling it: both must be found.
        let items: KeyValuePairs = [
            "past": #"{"N":"\#(now - 1)"}"#, "now": #"{"N":"\#(now)"}"#,
            "future": #"{"N":"\#(now + 60)"}"#, "text": #"{"S":"\#(now - 1)"}"#,
            "fraction": #"{"N":"0.5"}"#, "ancient": #"{"N":"\#(now - 6 * 365 * 86400)"}"#,
            "milliseconds": #"{"N":"\#(now * 1000)"}"#,
        ]
        for (index, item) in items.enumerated() {
            if index == 3 { try kit.ok("UpdateTimeToLive", specification("exp", true)) }
            try kit.put(#"{"pk":{"S":"\#(item.0)"},"exp":\#(item.1)}"#)
        }
        func left() throws -> [String] {
            (try kit.ok("Scan", #"{"TableName":"tbl"}"#)["Items"]?.arrayValue ?? [])
                .compactMap { $0["pk"]?["S"]?.stringValue }.sorted()
        }
        try expectEqual(left().count, 7)
        try expectEqual(kit.service.expireNow(at: kit.now), 2)
        try expectEqual(left(), ["ancient", "fraction", "future", "milliseconds", "text"])
        // An item whose expiry was extended must not be deleted by the old one.
        try kit.put(#"{"pk":{"S":"future"},"exp":{"N":"\#(now + 600)"}}"#)
        kit.advance(.minutes(2))
        try expectEqual(kit.service.expireNow(at: kit.now), 0)
        kit.advance(.minutes(20))
        try expectEqual(kit.service.expireNow(at: kit.now), 1)
    }
}
