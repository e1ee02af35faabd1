import EmulatorDynamoDB
import TestSupport
import Testing

/// The permissions that a request needs, and its values of `dynamodb:LeadingKeys`.
@Suite struct AccessTests {
    private let harness: DynamoDBHarness

    init() throws {
        harness = try DynamoDBHarness()
        try harness.ok("CreateTable", DynamoDBHarness.table("numbered", keys: ["id": "N"]))
        try harness.ok("CreateTable", DynamoDBHarness.table("binary", keys: ["id": "B"]))
    }

    private func accesses(_ operation: String, _ body: String) -> [DynamoDBAccess] {
        harness.service.accesses(target: "DynamoDB_20120810.\(operation)", body: Array(body.utf8))
    }

    @Test(arguments: [
        ("GetItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a"}}}"#, ["a"]),
        (
            "GetItem",
            #"{"TableName":"arn:aws:dynamodb:r:1:table/tbl","Key":{"pk":{"S":"a"}}}"#, ["a"]
        ),
        ("PutItem", #"{"TableName":"sorted","Item":{"sk":{"S":"b"},"pk":{"S":"a"}}}"#, ["a"]),
        // Different spellings of a number are the same key.
        ("GetItem", #"{"TableName":"numbered","Key":{"id":{"N":"+01.50"}}}"#, ["1.5"]),
        ("GetItem", #"{"TableName":"binary","Key":{"id":{"B":"AQI="}}}"#, ["AQI="]),
        (
            "BatchGetItem",
            #"{"RequestItems":{"tbl":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]}}}"#, ["a", "b"]
        ),
        (
            "BatchWriteItem",
            #"{"RequestItems":{"tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},"#
                + #"{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}}"#, ["a", "b"]
        ),
        (
            "Query",
            #"{"TableName":"sorted","KeyConditionExpression":"begins_with(sk, :s) AND pk = :p","#
                + #""ExpressionAttributeValues":{":p":{"S":"a"},":s":{"S":"b"}}}"#, ["a"]
        ),
    ])
    func `a request has leading keys`(
        operation: String, body: String, keys: [String]
    ) throws {
        let found = accesses(operation, body)
        try #require(found.count == 1)
        expectEqual(found[0].action, operation)
        expectEqual(found[0].leadingKeys, keys)
    }

    @Test(arguments: [
        ("Scan", #"{"TableName":"tbl"}"#),
        ("DescribeTable", #"{"TableName":"tbl"}"#),
        ("GetItem", #"{"TableName":"tbl","Key":{}}"#),
        ("GetItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a","N":"1"}}}"#),
        ("GetItem", #"{"TableName":"tbl","Key":{"pk":{"BOOL":true}}}"#),
        ("GetItem", #"{"TableName":"nowhere","Key":{"pk":{"S":"a"}}}"#),
        ("BatchGetItem", #"{"RequestItems":{"tbl":{"Keys":[{"pk":{"S":"a"}},{}]}}}"#),
        ("BatchGetItem", #"{"RequestItems":{"tbl":{"Keys":[]}}}"#),
        ("Query", #"{"TableName":"tbl"}"#),
        (
            "Query",
            #"{"TableName":"tbl","IndexName":"none","KeyConditionExpression":"pk = :p","#
                + #""ExpressionAttributeValues":{":p":{"S":"a"}}}"#
        ),
        (
            "Query",
            #"{"TableName":"tbl","KeyConditionExpression":"pk > :p","#
                + #""ExpressionAttributeValues":{":p":{"S":"a"}}}"#
        ),
    ])
    func `a request without partition keys has no leading keys`(
        operation: String, body: String
    ) throws {
        let found = accesses(operation, body)
        try #require(found.count == 1)
        expectEqual(found[0].leadingKeys, nil)
    }

    @Test func `a range read has its attributes and its Select`() {
        let scan = accesses(
            "Scan",
            #"{"TableName":"tbl","Select":"SPECIFIC_ATTRIBUTES","ProjectionExpression":"#
                + ##""#a, b.c","FilterExpression":"begins_with(pk, :p)","##
                + ##""ExpressionAttributeNames":{"#a":"name"},"##
                + ##""ExpressionAttributeValues":{":p":{"S":"a"}}}"##)
        expectEqual(scan.map(\.attributes), [["name", "b", "pk"]])
        #expect(scan.map(\.select) == ["SPECIFIC_ATTRIBUTES"] && scan.map(\.leadingKeys) == [nil])
        let query = accesses(
            "Query",
            #"{"TableName":"sorted","KeyConditionExpression":"pk = :p","#
                + #""ExpressionAttributeValues":{":p":{"S":"a"}}}"#)
        #expect(query.map(\.attributes) == [["pk"]] && query.map(\.select) == [nil])
        let all = accesses("Scan", #"{"TableName":"tbl"}"#)
        #expect(all.map(\.attributes) == [nil] && all.map(\.select) == [nil])
    }

    @Test func `each action of a transaction needs its own permission`() {
        let found = accesses(
            "TransactWriteItems",
            #"{"TransactItems":[{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}}}},"#
                + #"{"Delete":{"TableName":"sorted","Key":{"pk":{"S":"b"},"sk":{"S":"x"}}}},"#
                + #"{"ConditionCheck":{"TableName":"tbl","Key":{"pk":{"S":"c"}}},"Put":null}]}"#)
        expectEqual(found.map(\.action), ["PutItem", "DeleteItem", "ConditionCheckItem"])
        expectEqual(found.map(\.table), ["tbl", "sorted", "tbl"])
        expectEqual(found.map(\.leadingKeys), [["a"], ["b"], ["c"]])
    }

    @Test func `an invalid request needs no permission, and the service refuses it`() {
        expectEqual(accesses("GetItem", "no JSON"), [])
        expectEqual(accesses("Unknown", "{}"), [])
        expectEqual(harness.call("Unknown", "{}").status, 400)
    }
}
