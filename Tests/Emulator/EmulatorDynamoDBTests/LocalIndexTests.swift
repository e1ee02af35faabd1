import JSON
import TestSupport
import Testing

@Suite("DynamoDB local secondary indexes")
struct LocalIndexTests {
    private static func index(
        _ name: String, keys: [String] = ["pk", "at"], projection: String = "KEYS_ONLY"
    ) -> String {
        let types = ["HASH", "RANGE"]
        let schema = zip(keys, types).map {
            #"{"AttributeName":"\#($0)","KeyType":"\#($1)"}"#
        }
        return #"{"IndexName":"\#(name)","KeySchema":[\#(schema.joined(separator: ","))],"#
            + #""Projection":{"ProjectionType":"\#(projection)"}}"#
    }

    private static func definition(_ indexes: [String], hasSortKey: Bool = true) -> String {
        let sortKey = hasSortKey ? #",{"AttributeName":"sk","KeyType":"RANGE"}"# : ""
        return
            #"{"TableName":"local","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":["#
            + #"{"AttributeName":"pk","AttributeType":"S"},"#
            + #"{"AttributeName":"sk","AttributeType":"S"},"#
            + #"{"AttributeName":"at","AttributeType":"N"}],"#
            + #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}\#(sortKey)],"#
            + #""LocalSecondaryIndexes":[\#(indexes.joined(separator: ","))]}"#
    }

    private func kit() throws -> DynamoDBHarness {
        let kit = try DynamoDBHarness()
        try kit.ok("CreateTable", Self.definition([Self.index("byTime")]))
        for (sort, time) in [("a", 3), ("b", 1), ("c", 2)] {
            try kit.put(
                #"{"pk":{"S":"p"},"sk":{"S":"\#(sort)"},"at":{"N":"\#(time)"},"x":{"S":"x\#(sort)"}}"#,
                in: "local")
        }
        try kit.put(#"{"pk":{"S":"p"},"sk":{"S":"untimed"}}"#, in: "local")
        return kit
    }

    private func query(_ more: String = "") -> String {
        #"{"TableName":"local","IndexName":"byTime","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}\#(more)}"#
    }

    private func sortKeys(_ answer: JSON) -> [String?]? {
        answer["Items"]?.arrayValue?.map { $0["sk"]?["S"]?.stringValue }
    }

    @Test func `a partition is read in the order of the index, consistently if asked`() throws {
        let kit = try kit()
        try expectEqual(sortKeys(kit.ok("Query", query())), ["b", "c", "a"])
        let consistent = try kit.ok("Query", query(#","ConsistentRead":true"#))
        expectEqual(sortKeys(consistent), ["b", "c", "a"])
        let scan = #"{"TableName":"local","IndexName":"byTime","ConsistentRead":true}"#
        try expectEqual(kit.ok("Scan", scan)["Count"], 3)
    }

    @Test func `attributes that the index lacks are fetched from the table`() throws {
        let kit = try kit()
        let projected = try kit.ok("Query", query())["Items"]?.arrayValue?.first
        expectEqual(projected?["x"], nil)
        for more in [
            #","Select":"ALL_ATTRIBUTES""#, #","ProjectionExpression":"x""#,
            #","AttributesToGet":["x"]"#,
        ] where !more.contains("ToGet") {
            let item = try kit.ok("Query", query(more))["Items"]?.arrayValue?.first
            expectEqual(item?["x"], ["S": "xb"], "\(more)")
        }
        let filtered = try kit.ok(
            "Query",
            query().replacing(#":p":{"S":"p"}"#, with: #":p":{"S":"p"},":x":{"S":"xc"}"#)
                .replacing(#""IndexName""#, with: #""FilterExpression":"x = :x","IndexName""#))
        expectEqual(filtered["Count"], 1)
    }

    @Test func `a page ends with the keys of the index and the table`() throws {
        let kit = try kit()
        let first = try kit.ok("Query", query(#","Limit":1"#))
        try expectEqual(
            first["LastEvaluatedKey"], json(#"{"pk":{"S":"p"},"sk":{"S":"b"},"at":{"N":"1"}}"#))
        let start = try #require(first["LastEvaluatedKey"]).text
        let second = try kit.ok("Query", query(#","Limit":1,"ExclusiveStartKey":\#(start)"#))
        expectEqual(sortKeys(second), ["c"])
    }

    @Test func `the index is described with the table`() throws {
        let table = try kit().ok("DescribeTable", #"{"TableName":"local"}"#)["Table"]
        let index = table?["LocalSecondaryIndexes"]?.arrayValue?.first
        expectEqual(index?["IndexName"], "byTime")
        expectEqual(index?["Projection"], ["ProjectionType": "KEYS_ONLY"])
        expectEqual(index?["IndexStatus"], nil)
        expectEqual(table?["GlobalSecondaryIndexes"], nil)
    }

    @Test func `writes report the capacity and the size of the collection`() throws {
        let answer = try kit().ok(
            "PutItem",
            #"{"TableName":"local","Item":{"pk":{"S":"p"},"sk":{"S":"d"},"at":{"N":"4"}},"ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE"}"#
        )
        let capacity = answer["ConsumedCapacity"]
        try expectEqual(
            capacity?["LocalSecondaryIndexes"]?["byTime"], json(#"{"CapacityUnits":1.0}"#))
        try expectEqual(capacity?["CapacityUnits"], json("2.0"))
        expectEqual(answer["ItemCollectionMetrics"]?["ItemCollectionKey"], ["pk": ["S": "p"]])
    }

    @Test(arguments: [
        (
            definition([index("a", keys: ["pk"])]),
            "Index KeySchema does not have a range key for index: a"
        ),
        (
            definition([index("a", keys: ["at", "sk"])]),
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: a. index hash key: at, table hash key: pk"
        ),
        (definition([index("same"), index("same")]), "Duplicate index name: same"),
        (
            definition((1...6).map { index("index\($0)") }),
            "Number of LocalSecondaryIndexes exceeds per-table limit of 5"
        ),
        (
            definition([index("a")], hasSortKey: false),
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
        ),
    ])
    func `invalid definitions`(body: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "CreateTable", body.replacing(#""IndexName":"a""#, with: #""IndexName":"aaa""#))
        expectEqual(refusal.type, "ValidationException")
        let expected = message.replacing("index: a", with: "index: aaa")
        #expect(refusal.message.hasSuffix(expected), "\(refusal.message)")
    }
}
