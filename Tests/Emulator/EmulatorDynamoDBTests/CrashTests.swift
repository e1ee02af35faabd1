import BaseTestSupport
import EmulatorDynamoDB
import Foundation

@Suite("DynamoDB storage in a file", .hangLimit)
struct CrashTests {
    @Test func `items, tables, indexes and tokens survive a restart`() throws {
        try withTemporaryDirectory { directory in
            let location = StorageLocation.file(directory + "/dynamodb.db")
            let transaction = #"""
                {"ClientRequestToken": "t", "TransactItems": [
                {"Update": {"TableName": "tbl", "Key": {"pk": {"S": "a"}},
                "UpdateExpression": "ADD n :o", "ExpressionAttributeValues": {":o": {"N": "1"}}}}]}
                """#
            var id: JSON?
            do {
                let kit = try DynamoDBHarness(location)
                try kit.ok("TransactWriteItems", transaction)
                try kit.ok(
                    "UpdateTable",
                    #"{"TableName":"tbl","AttributeDefinitions":[{"AttributeName":"n","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"late","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}}]}"#
                )
                try kit.ok(
                    "UpdateTimeToLive",
                    #"{"TableName":"tbl","TimeToLiveSpecification":{"AttributeName":"n","Enabled":true}}"#
                )
                id = try kit.ok("DescribeTable", #"{"TableName":"tbl"}"#)["Table"]
            }
            let kit = try DynamoDBHarness(location, createsTables: false)
            try expectEqual(kit.ok("DescribeTable", #"{"TableName":"tbl"}"#)["Table"], id)
            try kit.ok("TransactWriteItems", transaction)
            try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#)?["n"]?["N"], "1")
            try expectEqual(kit.ok("Scan", #"{"TableName":"tbl","IndexName":"late"}"#)["Count"], 1)
            // A used keyspace is not reused.
            try kit.ok("CreateTable", DynamoDBHarness.table("more"))
            try expectEqual(kit.ok("Scan", #"{"TableName":"more"}"#)["Count"], 0)
        }
    }

    @Test func `a second emulator cannot open the file`() throws {
        try withTemporaryDirectory { directory in
            let location = StorageLocation.file(directory + "/dynamodb.db")
            let first = try DynamoDBHarness(location)
            #expect(throws: DynamoDBError.self) { try DynamoDBHarness(location) }
            try first.put(#"{"pk":{"S":"a"}}"#)
        }
    }
}
