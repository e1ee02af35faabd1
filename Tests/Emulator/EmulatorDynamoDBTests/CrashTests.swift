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

    @Test func `SIGKILL loses no acknowledged write and leaves no partial write`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "latchkey-crash-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for round in 0..<3 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [directory = directory as String, round = round as Int] in
                try CrashWriter(directory: directory, round: round).run()
            }
            let kit = try DynamoDBHarness(
                .file(directory + "/dynamodb.db"), createsTables: false)
            let log = try String(contentsOfFile: directory + "/acknowledged", encoding: .utf8)
            let acknowledged = log.split(separator: "\n")
            #expect(acknowledged.count >= (round + 1) * CrashWriter.writesBeforeKill)
            for key in acknowledged {
                #expect(try kit.item(#"{"pk":{"S":"\#(key)-1"}}"#) != nil)
            }
            // Each transaction puts two items, so their number is even.
            let count = try kit.ok("DescribeTable", #"{"TableName":"tbl"}"#)["Table"]?["ItemCount"]
            expectEqual(count?.int64Value.map { $0 % 2 }, 0)
        }
    }
}

/// Writes from several threads and records what was acknowledged, until it is killed.
private struct CrashWriter {
    static let writesBeforeKill = 200

    let directory: String
    let round: Int

    func run() throws {
        let kit = try DynamoDBHarness(
            .file(directory + "/dynamodb.db"), createsTables: round == 0)
        let log = open(directory + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        _ = onThreads(4) { thread in
            for index in 0..<Self.writesBeforeKill * 4 {
                let key = "\(round)-\(thread)-\(index)"
                let answer = kit.call(
                    "TransactWriteItems",
                    #"{"TransactItems":[{"Put":{"TableName":"tbl","Item":{"pk":{"S":"\#(key)-1"}}}},{"Put":{"TableName":"tbl","Item":{"pk":{"S":"\#(key)-2"}}}}]}"#
                )
                guard answer.status == 200 else { continue }
                // A single write call, so that lines are complete or absent.
                let line = Array("\(key)\n".utf8)
                write(log, line, line.count)
                if thread == 0, index == Self.writesBeforeKill { kill(getpid(), SIGKILL) }
            }
        }
    }
}
