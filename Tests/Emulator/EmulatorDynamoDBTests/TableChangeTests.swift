import JSON
import TestSupport
import Testing

@Suite("DynamoDB tables that change")
struct TableChangeTests {
    private static let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/tbl"

    private static func create(_ name: String, on attribute: String, type: String = "S") -> String {
        #"{"TableName":"tbl","AttributeDefinitions":[{"AttributeName":"\#(attribute)","AttributeType":"\#(type)"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"\#(name)","KeySchema":[{"AttributeName":"\#(attribute)","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#
    }

    private static func delete(_ name: String) -> String {
        #"{"TableName":"tbl","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"\#(name)"}}]}"#
    }

    private func status(of name: String, in answer: JSON, _ member: String) -> String? {
        answer[member]?["GlobalSecondaryIndexes"]?.arrayValue?
            .first { $0["IndexName"]?.stringValue == name }?["IndexStatus"]?.stringValue
    }

    @Test func `a new index contains the existing items that match its key`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"a"},"g":{"S":"x"}}"#)
        try kit.put(#"{"pk":{"S":"b"},"g":{"N":"1"}}"#)
        try kit.put(#"{"pk":{"S":"c"},"g":{"S":""}}"#)
        try kit.put(#"{"pk":{"S":"d"}}"#)
        let answer = try kit.ok("UpdateTable", Self.create("byG", on: "g"))
        expectEqual(answer["TableDescription"]?["TableStatus"], "UPDATING")
        expectEqual(status(of: "byG", in: answer, "TableDescription"), "CREATING")
        let described = try kit.ok("DescribeTable", #"{"TableName":"tbl"}"#)
        expectEqual(status(of: "byG", in: described, "Table"), "ACTIVE")
        let scan = try kit.ok("Scan", #"{"TableName":"tbl","IndexName":"byG"}"#)
        try expectEqual(scan["Items"], json(#"[{"pk":{"S":"a"},"g":{"S":"x"}}]"#))
    }

    @Test func `a deleted index is gone, and its attribute is free again`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("UpdateTable", Self.create("byG", on: "g"))
        #expect(
            kit.refusal("PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"a"},"g":{"N":"1"}}}"#)
                .message.contains("Type mismatch for Index Key g"))
        let answer = try kit.ok("UpdateTable", Self.delete("byG"))
        expectEqual(status(of: "byG", in: answer, "TableDescription"), "DELETING")
        try kit.put(#"{"pk":{"S":"a"},"g":{"N":"1"}}"#)
        expectEqual(
            kit.refusal("UpdateTable", Self.delete("byG")).type, "ResourceNotFoundException")
    }

    @Test func `one index is created or deleted at a time`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("UpdateTable", Self.create("byG", on: "g"))
        let both =
            #"{"TableName":"tbl","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byG"}},{"Delete":{"IndexName":"other"}}]}"#
        expectEqual(kit.refusal("UpdateTable", both).type, "LimitExceededException")
        expectEqual(
            kit.refusal("UpdateTable", Self.create("byG", on: "h")).message,
            "Attempting to create an index which already exists: byG")
        #expect(
            kit.refusal("UpdateTable", Self.create("byG2", on: "g", type: "N")).message
                .contains("Attributes cannot be redefined"))
    }

    @Test(arguments: [
        (#"[]"#, "Atleast one Tag needs to be provided as Input."),
        (
            #"[{"Key":"a","Value":"<"}]"#,
            "The Tag Value '<' is invalid: it contains invalid characters"
        ),
        (#"[{"Key":"a","Value":"1"},{"Key":"a","Value":"2"}]"#, "Duplicate tag key found: a"),
    ])
    func `invalid tags`(tags: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "TagResource", #"{"ResourceArn":"\#(Self.arn)","Tags":\#(tags)}"#)
        #expect(refusal == ("ValidationException", message))
    }

    @Test func `a table has at most fifty tags`() throws {
        let kit = try DynamoDBHarness()
        func tag(_ range: ClosedRange<Int>) -> String {
            let tags = range.map { #"{"Key":"k\#($0)","Value":""}"# }.joined(separator: ",")
            return #"{"ResourceArn":"\#(Self.arn)","Tags":[\#(tags)]}"#
        }
        expectEqual(kit.call("TagResource", tag(1...50)).status, 200)
        expectEqual(kit.call("TagResource", tag(50...50)).status, 200)
        expectEqual(kit.refusal("TagResource", tag(51...51)).type, "ValidationException")
    }

    @Test(arguments: [
        ("nothing", "ValidationException"), ("arn:nothing", "AccessDeniedException"),
        (arn + "x", "ResourceNotFoundException"),
        (arn + "/index/all", "ValidationException"),
    ])
    func `only tables have tags`(arn: String, type: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "ListTagsOfResource", #"{"ResourceArn":"\#(arn)"}"#)
        expectEqual(refusal.type, type)
    }

    @Test func `the description has the time of on-demand mode, and is short for a deleted table`()
        throws
    {
        let kit = try DynamoDBHarness()
        let table = try kit.ok("DescribeTable", #"{"TableName":"tbl"}"#)["Table"]
        expectEqual(
            table?["BillingModeSummary"]?["LastUpdateToPayPerRequestDateTime"],
            table?["CreationDateTime"])
        let deleted = try kit.ok("DeleteTable", #"{"TableName":"tbl"}"#)["TableDescription"]
        expectEqual(deleted?["TableStatus"], "DELETING")
        expectEqual(deleted?["CreationDateTime"], nil)
        expectEqual(deleted?["KeySchema"], nil)
    }
}
