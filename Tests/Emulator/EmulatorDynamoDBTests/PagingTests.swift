import JSON
import TestSupport
import Testing

@Suite("DynamoDB queries and scans")
struct PagingTests {
    private func kit(count: Int = 10) throws -> DynamoDBHarness {
        let kit = try DynamoDBHarness()
        for index in 0..<count {
            try kit.put(
                #"{"pk":{"S":"p"},"sk":{"S":"k\#(index)"},"even":{"BOOL":\#(index % 2 == 0)}}"#,
                in: "sorted")
        }
        return kit
    }

    private let query =
        #""TableName":"sorted","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}"#

    /// The items of all pages, and the number of pages.
    private func all(
        _ kit: DynamoDBHarness, _ operation: String, _ members: String
    ) throws -> (keys: [String], pages: Int) {
        var keys: [String] = []
        var start = ""
        for page in 1...100 {
            let answer = try kit.ok(operation, "{\(members)\(start)}")
            for item in answer["Items"]?.arrayValue ?? [] {
                keys.append(
                    (item["pk"]?["S"]?.stringValue ?? "") + (item["sk"]?["S"]?.stringValue ?? ""))
            }
            guard let last = answer["LastEvaluatedKey"] else { return (keys, page) }
            start = #","ExclusiveStartKey":\#(last.text)"#
        }
        return (keys, 0)
    }

    @Test(arguments: [true, false], [1, 3, 4, 9, 10, 11])
    func `pages are contiguous, without gaps or duplicates`(isForward: Bool, limit: Int) throws {
        let kit = try kit()
        let found = try all(
            kit, "Query", query + #"},"Limit":\#(limit),"ScanIndexForward":\#(isForward)"#)
        let expected = (0..<10).map { "pk\($0)" }
        expectEqual(found.keys, isForward ? expected : expected.reversed())
        // A full page always has a LastEvaluatedKey, even if the next page is empty.
        expectEqual(found.pages, 10 / limit + 1)
    }

    @Test func `the limit applies before the filter`() throws {
        let kit = try kit()
        let answer = try kit.ok(
            "Query",
            "{" + query + #","\#(":t")":{"BOOL":true}},"FilterExpression":"even = :t","Limit":3}"#)
        expectEqual(answer["Count"], 2)
        expectEqual(answer["ScannedCount"], 3)
        expectEqual(answer["LastEvaluatedKey"], try json(#"{"pk":{"S":"p"},"sk":{"S":"k2"}}"#))
    }

    @Test func `Select returns only a count or only some attributes`() throws {
        let kit = try kit()
        expectEqual(
            kit.call("Query", "{" + query + #"},"Select":"COUNT"}"#).text,
            #"{"Count":10,"ScannedCount":10}"#)
        let projected = try kit.ok(
            "Query", "{" + query + #"},"ProjectionExpression":"even","Limit":1}"#)
        expectEqual(projected["Items"], try json(#"[{"even":{"BOOL":true}}]"#))
    }

    @Test func `a page ends at one megabyte`() throws {
        let kit = try DynamoDBHarness()
        let filler = String(repeating: "x", count: 300_000)
        for index in 0..<9 {
            try kit.put(
                #"{"pk":{"S":"p"},"sk":{"S":"k\#(index)"},"v":{"S":"\#(filler)"}}"#, in: "sorted")
        }
        let first = try kit.ok("Query", "{" + query + "}}")
        expectEqual(first["Count"], 4)
        try expectEqual(all(kit, "Query", query + "}").keys.count, 9)
        // Also if the filter removes everything.
        let filtered = try kit.ok(
            "Query", "{" + query + #"},"FilterExpression":"attribute_exists(gone)"}"#)
        expectEqual(filtered["Count"], 0)
        expectEqual(filtered["ScannedCount"], 4)
        #expect(filtered["LastEvaluatedKey"] != nil)
    }

    @Test(arguments: [
        (#"{"pk":{"S":"p"}}"#, " is invalid"), ("{}", " is invalid"),
        (#"{"pk":{"S":"p"},"sk":{"S":"k1"},"more":{"S":"x"}}"#, " is invalid"),
        (
            #"{"pk":{"S":"p"},"sk":{"N":"1"}}"#,
            " is invalid: The provided key element does not match the schema"
        ),
        (
            #"{"pk":{"S":"q"},"sk":{"S":"k1"}}"#,
            " is outside query boundaries based on provided conditions"
        ),
    ])
    func `an invalid start key is refused`(key: String, reason: String) throws {
        let refusal = try kit().refusal("Query", "{" + query + #"},"ExclusiveStartKey":\#(key)}"#)
        #expect(refusal == ("ValidationException", "The provided starting key\(reason)"))
    }

    @Test func `a start key does not need an existing item`() throws {
        let answer = try kit().ok(
            "Query",
            "{" + query + #"},"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"k55"}}}"#)
        expectEqual(answer["Count"], 4)
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `the segments of a scan cover the whole table`(total: Int) throws {
        let kit = try DynamoDBHarness()
        for index in 0..<60 { try kit.put(#"{"pk":{"S":"p\#(index)"}}"#) }
        var keys: [String] = []
        for segment in 0..<total {
            keys += try all(
                kit, "Scan",
                #""TableName":"tbl","Limit":7,"Segment":\#(segment),"TotalSegments":\#(total)"#
            ).keys
        }
        expectEqual(keys.count, 60)
        expectEqual(Set(keys).count, 60)
    }

    @Test(arguments: [
        (
            #""Segment":2,"TotalSegments":2"#,
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 2 is not less than TotalSegments: 2"
        ),
        (
            #""Segment":2"#,
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is present"
        ),
        (
            #""TotalSegments":2"#,
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is present"
        ),
        (
            #""Select":"SPECIFIC_ATTRIBUTES""#,
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
        ),
        (
            #""Select":"COUNT","ProjectionExpression":"a""#,
            "Cannot specify the ProjectionExpression when choosing to get only the Count"
        ),
        (
            #""Select":"ALL_ATTRIBUTES","ProjectionExpression":"a""#,
            "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES"
        ),
        (
            #""Select":"ALL_PROJECTED_ATTRIBUTES""#,
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        ),
    ])
    func `invalid scans`(members: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal("Scan", #"{"TableName":"tbl",\#(members)}"#)
        #expect(refusal == ("ValidationException", message))
    }
}
