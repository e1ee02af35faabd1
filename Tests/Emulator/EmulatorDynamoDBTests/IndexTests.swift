import JSON
import TestSupport
import Testing

@Suite("DynamoDB global secondary indexes")
struct IndexTests {
    private static let indexes =
        #","GlobalSecondaryIndexes":["#
        + #"{"IndexName":"all","KeySchema":[{"AttributeName":"g","KeyType":"HASH"},{"AttributeName":"n","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},"#
        + #"{"IndexName":"keys","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}},"#
        + #"{"IndexName":"some","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}]"#

    private func kit() throws -> DynamoDBHarness {
        let kit = try DynamoDBHarness()
        let body =
            #"{"TableName":"idx","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"g","AttributeType":"S"},{"AttributeName":"n","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]\#(Self.indexes)}"#
        try kit.ok("CreateTable", body)
        return kit
    }

    private func query(_ index: String, _ more: String = "") -> String {
        #"{"TableName":"idx","IndexName":"\#(index)","KeyConditionExpression":"g = :g","ExpressionAttributeValues":{":g":{"S":"g"}}\#(more)}"#
    }

    private func items(_ kit: DynamoDBHarness, _ index: String) throws -> JSON? {
        try kit.ok("Query", query(index))["Items"]
    }

    @Test func `each index returns its projected attributes`() throws {
        let kit = try kit()
        try kit.put(
            #"{"pk":{"S":"a"},"g":{"S":"g"},"n":{"N":"1"},"x":{"S":"x"},"y":{"S":"y"}}"#, in: "idx")
        try expectEqual(
            items(kit, "all"),
            json(
                #"[{"pk":{"S":"a"},"g":{"S":"g"},"n":{"N":"1"},"x":{"S":"x"},"y":{"S":"y"}}]"#))
        try expectEqual(items(kit, "keys"), json(#"[{"pk":{"S":"a"},"g":{"S":"g"}}]"#))
        try expectEqual(
            items(kit, "some"), json(#"[{"pk":{"S":"a"},"g":{"S":"g"},"x":{"S":"x"}}]"#))
    }

    @Test func `an index reflects every change of its items`() throws {
        let kit = try kit()
        try kit.put(#"{"pk":{"S":"a"},"g":{"S":"g"}}"#, in: "idx")
        // Items without its sort key are not in the index.
        try expectEqual(items(kit, "all"), [])
        #expect(try items(kit, "keys") != [])
        func update(_ expression: String, _ values: String) throws {
            try kit.ok(
                "UpdateItem",
                #"{"TableName":"idx","Key":{"pk":{"S":"a"}},"UpdateExpression":"\#(expression)"\#(values)}"#
            )
        }
        try update("SET n = :n", #","ExpressionAttributeValues":{":n":{"N":"5"}}"#)
        try expectEqual(items(kit, "all"), json(#"[{"pk":{"S":"a"},"g":{"S":"g"},"n":{"N":"5"}}]"#))
        try update("SET x = :n", #","ExpressionAttributeValues":{":n":{"N":"5"}}"#)
        try expectEqual(
            items(kit, "some"), json(#"[{"pk":{"S":"a"},"g":{"S":"g"},"x":{"N":"5"}}]"#))
        try update("SET g = :h", #","ExpressionAttributeValues":{":h":{"S":"h"}}"#)
        for index in ["all", "keys", "some"] { try expectEqual(items(kit, index), []) }
        try update("SET g = :h", #","ExpressionAttributeValues":{":h":{"S":"g"}}"#)
        #expect(try items(kit, "keys") != [])
        try kit.ok("DeleteItem", #"{"TableName":"idx","Key":{"pk":{"S":"a"}}}"#)
        for index in ["all", "keys", "some"] { try expectEqual(items(kit, index), []) }
    }

    @Test func `start keys of an index have both keys, which distinguishes equal index keys`()
        throws
    {
        let kit = try kit()
        for index in 0..<7 {
            try kit.put(#"{"pk":{"S":"p\#(index)"},"g":{"S":"g"},"n":{"N":"1"}}"#, in: "idx")
        }
        var keys: Set<String> = []
        var start = ""
        for _ in 0..<4 {
            let page = try kit.ok("Query", query("all", #","Limit":2\#(start)"#))
            for item in page["Items"]?.arrayValue ?? [] {
                keys.insert(item["pk"]?["S"]?.stringValue ?? "")
            }
            let last = try #require(page["LastEvaluatedKey"] ?? .some([:]))
            if page["LastEvaluatedKey"] != nil {
                expectEqual(last.objectValue?.members.map(\.name).sorted(), ["g", "n", "pk"])
            }
            start = #","ExclusiveStartKey":\#(last.text)"#
        }
        expectEqual(keys.count, 7)
        expectEqual(
            kit.refusal("Query", query("all", #","ExclusiveStartKey":{"pk":{"S":"p1"}}"#)).message,
            "The provided starting key is invalid")
    }

    @Test(arguments: [
        (
            #"{"pk":{"S":"a"},"g":{"N":"1"}}"#,
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: all"
        ),
        (
            #"{"pk":{"S":"a"},"g":{"S":""}}"#,
            "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: all, IndexKey: g"
        ),
    ])
    func `a value that cannot be an index key is refused`(item: String, message: String) throws {
        let refusal = try kit().refusal("PutItem", #"{"TableName":"idx","Item":\#(item)}"#)
        #expect(refusal == ("ValidationException", message))
    }

    @Test(arguments: [
        (
            #","ConsistentRead":true"#,
            "Consistent reads are not supported on global secondary indexes"
        ),
        (
            #","Select":"ALL_ATTRIBUTES""#,
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index keys because its projection type is not ALL"
        ),
    ])
    func `reads that an index does not support`(more: String, message: String) throws {
        #expect(try kit().refusal("Query", query("keys", more)) == ("ValidationException", message))
    }

    @Test func `an index can be added to a table with items, scanned, and deleted`() throws {
        let kit = try DynamoDBHarness()
        for index in 0..<5 {
            try kit.put(#"{"pk":{"S":"p\#(index)"},"g":{"S":"g"}}"#)
        }
        try kit.put(#"{"pk":{"S":"other"},"g":{"N":"1"}}"#)
        try kit.ok(
            "UpdateTable",
            #"{"TableName":"tbl","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"late","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#
        )
        try expectEqual(kit.ok("Scan", #"{"TableName":"tbl","IndexName":"late"}"#)["Count"], 5)
        try kit.put(#"{"pk":{"S":"p9"},"g":{"S":"h"}}"#)
        try expectEqual(kit.ok("Scan", #"{"TableName":"tbl","IndexName":"late"}"#)["Count"], 6)
        try kit.ok(
            "UpdateTable",
            #"{"TableName":"tbl","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"late"}}]}"#)
        expectEqual(
            kit.refusal("Scan", #"{"TableName":"tbl","IndexName":"late"}"#).message,
            "The table does not have the specified index: late")
    }
}
