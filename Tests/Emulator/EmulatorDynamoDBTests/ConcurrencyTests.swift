import BaseTestSupport

@Suite("DynamoDB requests at the same time")
struct ConcurrencyTests {
    private let absent = #","ConditionExpression":"attribute_not_exists(pk)""#
    private static let increment = #"""
        {"TableName": "tbl", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :o",
        "ExpressionAttributeValues": {":o": {"N": "1"}}}
        """#

    @Test func `a token is forgotten after ten minutes`() throws {
        let kit = try DynamoDBHarness()
        let increment = #"""
            {"ClientRequestToken": "t", "TransactItems": [{"Update": \#(Self.increment)}]}
            """#
        for (minutes, count) in [(0, "1"), (0, "1"), (10, "2"), (0, "2")] as [(Int64, String)] {
            kit.advance(.minutes(minutes))
            try kit.ok("TransactWriteItems", increment)
            try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"], .string(count))
        }
    }

    @Test func `one of several concurrent conditional puts succeeds`() throws {
        let kit = try DynamoDBHarness()
        let outcomes = onThreads(20) { index in
            kit.call(
                "PutItem",
                #"{"TableName":"tbl","Item":{"pk":{"S":"race"},"by":{"N":"\#(index)"}}\#(absent)}"#
            ).status
        }
        expectEqual(outcomes.count { $0 == 200 }, 1)
    }

    @Test func `increments from many threads are all counted`() throws {
        let kit = try DynamoDBHarness()
        _ = onThreads(200) { _ in
            kit.call("UpdateItem", Self.increment).status
        }
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"], "200")
    }
}
