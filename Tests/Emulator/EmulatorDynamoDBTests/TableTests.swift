import EmulatorDynamoDB
import JSON
import TestSupport
import Testing
import Time

@Suite("DynamoDB tables")
struct TableTests {
    @Test func `a table is created, described, listed and deleted`() throws {
        let kit = try DynamoDBHarness(createsTables: false)
        let created = try kit.ok("CreateTable", DynamoDBHarness.table("users", keys: ["pk": "S"]))
        expectEqual(created["TableDescription"]?["TableStatus"], "CREATING")
        try kit.put(#"{"pk":{"S":"a"}}"#, in: "users")
        let table = try #require(try kit.ok("DescribeTable", #"{"TableName":"users"}"#)["Table"])
        expectEqual(table["TableStatus"], "ACTIVE")
        expectEqual(table["ItemCount"], 1)
        expectEqual(table["TableArn"], "arn:aws:dynamodb:us-east-1:000000000000:table/users")
        expectEqual(table["CreationDateTime"]?.numberValue?.text, "1767225600.500")
        expectEqual(table["BillingModeSummary"]?["BillingMode"], "PAY_PER_REQUEST")
        expectEqual(table["KeySchema"], try json(#"[{"AttributeName":"pk","KeyType":"HASH"}]"#))
        expectEqual(table["TableId"]?.stringValue?.utf8.count, 36)
        try kit.ok("DeleteItem", #"{"TableName":"users","Key":{"pk":{"S":"a"}}}"#)
        try expectEqual(
            kit.ok("DescribeTable", #"{"TableName":"users"}"#)["Table"]?["ItemCount"], 0)
        try expectEqual(kit.ok("ListTables", "{}"), json(#"{"TableNames":["users"]}"#))
        let deleted = try kit.ok("DeleteTable", #"{"TableName":"users"}"#)
        expectEqual(deleted["TableDescription"]?["TableStatus"], "DELETING")
        try expectEqual(kit.ok("ListTables", "{}"), json(#"{"TableNames":[]}"#))
        try kit.ok("CreateTable", DynamoDBHarness.table("users", keys: ["pk": "S"]))
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#, in: "users"), nil)
    }

    @Test func `a table can be named by its ARN`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok(
            "PutItem",
            #"{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/tbl","Item":{"pk":{"S":"a"}}}"#
        )
        #expect(try kit.item(#"{"pk":{"S":"a"}}"#) != nil)
    }

    @Test func `existing and missing tables are reported`() throws {
        let kit = try DynamoDBHarness()
        #expect(
            kit.refusal("CreateTable", DynamoDBHarness.table("tbl", keys: ["pk": "S"]))
                == ("ResourceInUseException", "Table already exists: tbl"))
        for operation in ["DescribeTable", "DeleteTable", "DescribeTimeToLive"] {
            #expect(
                kit.refusal(operation, #"{"TableName":"nope"}"#)
                    == (
                        "ResourceNotFoundException",
                        "Requested resource not found: Table: nope not found"
                    ))
        }
        #expect(
            kit.refusal("Scan", #"{"TableName":"nope"}"#)
                == ("ResourceNotFoundException", "Requested resource not found"))
    }

    @Test(arguments: [
        (
            #""KeySchema":[{"AttributeName":"x","KeyType":"HASH"}]"#,
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [x], AttributeDefinitions: [pk]"
        ),
        (
            #""KeySchema":[{"AttributeName":"pk","KeyType":"RANGE"}]"#,
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
        ),
        (
            #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"pk","KeyType":"RANGE"}]"#,
            "Invalid KeySchema: Some index key attribute have no definition"
        ),
        (
            #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"LocalSecondaryIndexes":[]"#,
            "List of LocalSecondaryIndexes is empty"
        ),
        (
            #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true}"#,
            "This emulator does not support StreamSpecification: it has no streams"
        ),
        (
            #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[]"#,
            "List of GlobalSecondaryIndexes is empty"
        ),
    ])
    func `invalid table definitions`(members: String, message: String) throws {
        let refusal = try DynamoDBHarness().refusal(
            "CreateTable",
            #"{"TableName":"new","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],\#(members)}"#
        )
        expectEqual(refusal.type, "ValidationException")
        #expect(refusal.message.hasSuffix(message), "\(refusal.message)")
    }

    @Test func `throughput must match the billing mode`() throws {
        let kit = try DynamoDBHarness()
        let provisioned = DynamoDBHarness.table("new", keys: ["pk": "S"])
            .replacing(#""BillingMode":"PAY_PER_REQUEST","#, with: "")
        expectEqual(
            kit.refusal("CreateTable", provisioned).message,
            "One or more parameter values were invalid: ReadCapacityUnits and "
                + "WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
        let throughput = #","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":6}"#
        let both = DynamoDBHarness.table("new", keys: ["pk": "S"], more: throughput)
        expectEqual(kit.refusal("CreateTable", both).type, "ValidationException")
        let right = both.replacing("PAY_PER_REQUEST", with: "PROVISIONED")
        let table = try kit.ok("CreateTable", right)["TableDescription"]
        expectEqual(table?["ProvisionedThroughput"]?["WriteCapacityUnits"], 6)
    }

    @Test func `ListTables has pages`() throws {
        let kit = try DynamoDBHarness(createsTables: false)
        for name in ["bbb", "aaa", "ccc"] {
            try kit.ok("CreateTable", DynamoDBHarness.table(name, keys: ["pk": "S"]))
        }
        try expectEqual(
            kit.ok("ListTables", #"{"Limit":2}"#),
            json(#"{"TableNames":["aaa","bbb"],"LastEvaluatedTableName":"bbb"}"#))
        try expectEqual(
            kit.ok("ListTables", #"{"ExclusiveStartTableName":"bbb"}"#),
            json(#"{"TableNames":["ccc"]}"#))
    }

    @Test func `a table with deletion protection is not deleted`() throws {
        let kit = try DynamoDBHarness()
        try kit.ok("UpdateTable", #"{"TableName":"tbl","DeletionProtectionEnabled":true}"#)
        #expect(
            kit.refusal("DeleteTable", #"{"TableName":"tbl"}"#).message.contains("protected"))
        try kit.ok("UpdateTable", #"{"TableName":"tbl","DeletionProtectionEnabled":false}"#)
        try kit.ok("DeleteTable", #"{"TableName":"tbl"}"#)
    }

    @Test func `tags are stored, and the responses have no body`() throws {
        let kit = try DynamoDBHarness()
        let arn = #""ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/tbl""#
        expectEqual(
            kit.call(
                "TagResource",
                #"{\#(arn),"Tags":[{"Key":"k","Value":"v"},{"Key":"l","Value":"w"}]}"#
            )
            .text, "")
        expectEqual(kit.call("UntagResource", #"{\#(arn),"TagKeys":["k"]}"#).text, "")
        try expectEqual(
            kit.ok("ListTagsOfResource", "{\(arn)}"), json(#"{"Tags":[{"Key":"l","Value":"w"}]}"#))
    }

    @Test func `the service describes its limits and endpoints`() throws {
        let kit = try DynamoDBHarness()
        try expectEqual(
            kit.ok("DescribeEndpoints", "{}")["Endpoints"]?.arrayValue?.first?["Address"],
            "dynamodb.us-east-1.amazonaws.com")
        try expectEqual(kit.ok("DescribeLimits", "{}")["TableMaxReadCapacityUnits"], 40000)
    }
}

@Suite("DynamoDB time to live")
struct TimeToLiveTests {
    private func specification(_ attribute: String, _ isEnabled: Bool) -> String {
        #"{"TableName":"tbl","TimeToLiveSpecification":{"AttributeName":"\#(attribute)","Enabled":\#(isEnabled)}}"#
    }

    @Test func `it is enabled and disabled, with the service's messages`() throws {
        let kit = try DynamoDBHarness()
        func describe() throws -> String? {
            try kit.ok("DescribeTimeToLive", #"{"TableName":"tbl"}"#)["TimeToLiveDescription"]?.text
        }
        try expectEqual(describe(), #"{"TimeToLiveStatus":"DISABLED"}"#)
        expectEqual(
            kit.refusal("UpdateTimeToLive", specification("exp", false)).message,
            "TimeToLive is already disabled")
        expectEqual(
            kit.call("UpdateTimeToLive", specification("exp", true)).text,
            #"{"TimeToLiveSpecification":{"AttributeName":"exp","Enabled":true}}"#)
        try expectEqual(describe(), #"{"TimeToLiveStatus":"ENABLED","AttributeName":"exp"}"#)
        expectEqual(
            kit.refusal("UpdateTimeToLive", specification("exp", true)).message,
            "TimeToLive is already enabled")
        expectEqual(
            kit.refusal("UpdateTimeToLive", specification("other", true)).message,
            "TimeToLive is active on a different AttributeName: current AttributeName is exp")
        expectEqual(
            kit.refusal("UpdateTimeToLive", specification("exp", false)).message,
            "Time to live has been modified multiple times within a fixed interval")
        kit.advance(.hours(1))
        try kit.ok("UpdateTimeToLive", specification("exp", false))
        try expectEqual(describe(), #"{"TimeToLiveStatus":"DISABLED"}"#)
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
