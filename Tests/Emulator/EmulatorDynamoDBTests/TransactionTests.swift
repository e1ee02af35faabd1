import JSON
import TestSupport
import Testing
import Time

/// DynamoDB API Reference, "TransactWriteItems" and "TransactGetItems".
@Suite("DynamoDB transactions")
struct TransactionTests {
    private func put(_ key: String, _ more: String = "", table: String = "tbl") -> String {
        #"{"Put":{"TableName":"\#(table)","Item":{"pk":{"S":"\#(key)"}}\#(more)}}"#
    }

    private let absent = #","ConditionExpression":"attribute_not_exists(pk)""#
    private let present = #","ConditionExpression":"attribute_exists(pk)""#

    private func body(_ actions: [String], token: String? = nil) -> String {
        let token = token.map { #","ClientRequestToken":"\#($0)""# } ?? ""
        return #"{"TransactItems":[\#(actions.joined(separator: ","))]\#(token)}"#
    }

    @Test func `all four kinds of actions are made together`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"b"},"n":{"N":"1"}}"#)
        try kit.put(#"{"pk":{"S":"c"}}"#)
        try kit.put(#"{"pk":{"S":"d"}}"#)
        let answer = kit.call(
            "TransactWriteItems",
            body([
                put("a", absent),
                #"{"Update":{"TableName":"tbl","Key":{"pk":{"S":"b"}},"UpdateExpression":"SET n = n + :o","ExpressionAttributeValues":{":o":{"N":"1"}}}}"#,
                #"{"Delete":{"TableName":"tbl","Key":{"pk":{"S":"c"}}}}"#,
                #"{"ConditionCheck":{"TableName":"tbl","Key":{"pk":{"S":"d"}}\#(present)}}"#,
            ]))
        expectEqual(answer.text, "{}")
        #expect(try kit.item(#"{"pk":{"S":"a"}}"#) != nil)
        try expectEqual(kit.item(#"{"pk":{"S":"b"}}"#)?["n"]?["N"], "2")
        try expectEqual(kit.item(#"{"pk":{"S":"c"}}"#), nil)
        try expectEqual(kit.item(#"{"pk":{"S":"d"}}"#), json(#"{"pk":{"S":"d"}}"#))
    }

    @Test func `every failed condition is a reason, in order, and nothing is written`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"u#1"},"n":{"N":"1"}}"#)
        let answer = kit.call(
            "TransactWriteItems",
            body([
                put("new"),
                put("u#1", absent + #","ReturnValuesOnConditionCheckFailure":"ALL_OLD""#),
                put("other", absent),
                #"{"ConditionCheck":{"TableName":"tbl","Key":{"pk":{"S":"none"}}\#(present),"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}"#,
            ]))
        expectEqual(answer.status, 400)
        expectEqual(
            answer.text,
            #"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","#
                + #""Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None, ConditionalCheckFailed]","#
                + #""CancellationReasons":[{"Code":"None"},"#
                + #"{"Code":"ConditionalCheckFailed","Message":"The conditional request failed","Item":{"n":{"N":"1"},"pk":{"S":"u#1"}}},"#
                + #"{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}]}"#
        )
        try expectEqual(kit.item(#"{"pk":{"S":"new"}}"#), nil)
        try expectEqual(kit.item(#"{"pk":{"S":"other"}}"#), nil)
    }

    private func reasons(_ answer: JSON) -> [String] {
        (answer["CancellationReasons"]?.arrayValue ?? []).map { $0["Code"]?.stringValue ?? "" }
    }

    @Test func `an invalid action is reported alone`() throws {
        let kit = try DynamoDBHarness()
        let wrongKey = #"{"Put":{"TableName":"tbl","Item":{"pk":{"N":"7"}}}}"#
        let answer = kit.call("TransactWriteItems", body([put("x", present), wrongKey, wrongKey]))
        #expect(answer.text.contains("TransactionCanceledException"))
        expectEqual(reasons(answer.body), ["None", "ValidationError", "None"])
        expectEqual(
            answer.body["CancellationReasons"]?.arrayValue?[1]["Message"],
            "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N"
        )
        expectEqual(answer.body["CancellationReasons"]?.arrayValue?[0]["Message"], nil)
        try kit.put(#"{"pk":{"S":"text"},"n":{"S":"x"}}"#)
        let badUpdate =
            #"{"Update":{"TableName":"tbl","Key":{"pk":{"S":"text"}},"UpdateExpression":"ADD n :o","ExpressionAttributeValues":{":o":{"N":"1"}}}}"#
        let updated = kit.call("TransactWriteItems", body([put("x", present), badUpdate]))
        expectEqual(reasons(updated.body), ["None", "ValidationError"])
        let large =
            #"{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"},"v":{"S":"\#(String(repeating: "x", count: 400 << 10))"}}}}"#
        expectEqual(
            reasons(kit.call("TransactWriteItems", body([large])).body), ["ValidationError"])
    }

    @Test(arguments: [
        (
            [#"{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"a ="}}"#],
            #"Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "=""#
        ),
        (
            [
                #"{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"a = :x"}}"#
            ],
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x"
        ),
        (
            [
                #"{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_exists(pk)","ExpressionAttributeNames":{"\u0023x":"y"}}}"#
            ],
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}"
        ),
        (
            [
                #"{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}}}}"#,
                #"{"Delete":{"TableName":"tbl","Key":{"pk":{"S":"a"}}}}"#,
            ],
            "Transaction request cannot include multiple operations on one item"
        ),
        (["{}"], "TransactItems can only contain one of Check, Put, Update or Delete"),
    ])
    func `an invalid request is a ValidationException, not a cancellation`(
        actions: [String], message: String
    )
        throws
    {
        let refusal = try DynamoDBHarness().refusal("TransactWriteItems", body(actions))
        #expect(refusal == ("ValidationException", message))
    }

    @Test func `a transaction has at most a hundred actions`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("TransactWriteItems", body((0..<100).map { put("k\($0)") }))
        let refusal = kit.refusal("TransactWriteItems", body((0..<101).map { put("k\($0)") }))
        expectEqual(refusal.type, "ValidationException")
        #expect(refusal.message.contains("Member must have length less than or equal to 100"))
        #expect(
            kit.refusal("TransactWriteItems", body([put("a", table: "absent")]))
                == ("ResourceNotFoundException", "Requested resource not found"))
    }

    private let increment =
        #"{"Update":{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"ADD n :o","ExpressionAttributeValues":{":o":{"N":"1"}}}}"#

    @Test func `a token makes a request idempotent for ten minutes`() throws {
        let kit = try DynamoDBHarness()
        func count() throws -> String? {
            try kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"]?.stringValue
        }
        for _ in 0..<3 { try kit.ok("TransactWriteItems", body([increment], token: "t1")) }
        try expectEqual(count(), "1")
        // The same request with its members in another order.
        let reordered =
            #"{"ClientRequestToken":"t1","TransactItems":[{"Update":{"ExpressionAttributeValues":{":o":{"N":"1"}},"UpdateExpression":"ADD n :o","Key":{"pk":{"S":"a"}},"TableName":"tbl"}}]}"#
        try kit.ok("TransactWriteItems", reordered)
        try expectEqual(count(), "1")
        let other = kit.refusal("TransactWriteItems", body([put("b")], token: "t1"))
        expectEqual(other.type, "IdempotentParameterMismatchException")
        try kit.ok("TransactWriteItems", body([increment], token: "t2"))
        try expectEqual(count(), "2")
        kit.advance(.minutes(10))
        try kit.ok("TransactWriteItems", body([increment], token: "t1"))
        try expectEqual(count(), "3")
        try kit.ok("TransactWriteItems", body([increment], token: "t1"))
        try expectEqual(count(), "3")
    }

    @Test func `the token of a failed transaction can be reused`() throws {
        let kit = try DynamoDBHarness()
        let refusal = kit.refusal("TransactWriteItems", body([put("a", present)], token: "t"))
        expectEqual(refusal.type, "TransactionCanceledException")
        try kit.ok("TransactWriteItems", body([put("a", absent)], token: "t"))
    }

    @Test func `transactional reads return items in order, with gaps for missing ones`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"x":{"N":"1"},"y":{"N":"2"}}"#)
        func get(_ key: String, _ more: String = "") -> String {
            #"{"Get":{"TableName":"tbl","Key":{"pk":{"S":"\#(key)"}}\#(more)}}"#
        }
        let answer = kit.call(
            "TransactGetItems",
            #"{"TransactItems":[\#(get("none")),\#(get("a", #","ProjectionExpression":"x""#))]}"#)
        expectEqual(answer.text, #"{"Responses":[{},{"Item":{"x":{"N":"1"}}}]}"#)
        expectEqual(
            kit.refusal("TransactGetItems", #"{"TransactItems":[\#(get("a")),\#(get("a"))]}"#)
                .message, "Transaction request cannot include multiple operations on one item")
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

    @Test func `one of two concurrent token rotations fails`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"old"}}"#)
        for round in 0..<10 {
            try kit.put(#"{"pk":{"S":"old"}}"#)
            let outcomes = onThreads(2) { index in
                let use =
                    #"{"Update":{"TableName":"tbl","Key":{"pk":{"S":"old"}},"UpdateExpression":"SET is_used = :t","ConditionExpression":"attribute_not_exists(is_used)","ExpressionAttributeValues":{":t":{"BOOL":true}}}}"#
                return kit.call(
                    "TransactWriteItems", body([use, put("new-\(round)-\(index)", absent)])
                ).status
            }
            expectEqual(outcomes.sorted(), [200, 400])
        }
    }

    @Test func `increments from many threads are all counted`() throws {
        let kit = try DynamoDBHarness()
        _ = onThreads(200) { _ in
            kit.call(
                "UpdateItem",
                #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"ADD n :o","ExpressionAttributeValues":{":o":{"N":"1"}}}"#
            ).status
        }
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"], "200")
    }
}
