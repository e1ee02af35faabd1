import JSON
import TestSupport
import Testing

@Suite("DynamoDB batches")
struct BatchTests {
    @Test func `a batch writes and reads several tables`() throws {
        let kit = try DynamoDBHarness()
        try kit.put(#"{"pk":{"S":"gone"}}"#)
        expectEqual(
            kit.call(
                "BatchWriteItem",
                #"{"RequestItems":{"tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"gone"}}}}],"sorted":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"S":"b"}}}}]}}"#
            ).text, #"{"UnprocessedItems":{}}"#)
        expectEqual(
            kit.call(
                "BatchGetItem",
                #"{"RequestItems":{"tbl":{"Keys":[{"pk":{"S":"gone"}},{"pk":{"S":"a"}}]},"sorted":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"b"}}],"ProjectionExpression":"sk"}}}"#
            ).text,
            #"{"Responses":{"tbl":[{"pk":{"S":"a"}}],"sorted":[{"sk":{"S":"b"}}]},"UnprocessedKeys":{}}"#
        )
    }

    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
    }

    @Test func `batches have size limits and no duplicates`() throws {
        let kit = try DynamoDBHarness()
        func write(_ count: Int, _ key: (Int) -> String = { "k\($0)" }) -> String {
            let puts = list(count) { #"{"PutRequest":{"Item":{"pk":{"S":"\#(key($0))"}}}}"# }
            return #"{"RequestItems":{"tbl":[\#(puts)]}}"#
        }
        func read(_ count: Int, _ key: (Int) -> String = { "k\($0)" }) -> String {
            let keys = list(count) { #"{"pk":{"S":"\#(key($0))"}}"# }
            return #"{"RequestItems":{"tbl":{"Keys":[\#(keys)]}}}"#
        }
        try kit.ok("BatchWriteItem", write(25))
        try kit.ok("BatchGetItem", read(100))
        #expect(
            kit.refusal("BatchWriteItem", write(26)).message.contains(
                "Map value must satisfy constraint: [Member must have length less than or equal "
                    + "to 25, Member must have length greater than or equal to 1]"))
        expectEqual(kit.refusal("BatchWriteItem", write(0)).type, "ValidationException")
        expectEqual(
            kit.refusal("BatchGetItem", read(101)).message,
            "1 validation error detected: Value at 'RequestItems.tbl.member.Keys' failed to "
                + "satisfy constraint: Member must have length less than or equal to 100")
        for (operation, body) in [
            ("BatchWriteItem", write(2) { _ in "same" }), ("BatchGetItem", read(2) { _ in "same" }),
        ] {
            #expect(
                kit.refusal(operation, body)
                    == ("ValidationException", "Provided list of item keys contains duplicates"))
        }
        expectEqual(
            kit.refusal("BatchGetItem", #"{"RequestItems":{}}"#).message,
            "The requestItems parameter is required for BatchGetItem")
        expectEqual(
            kit.refusal("BatchGetItem", read(1).replacing("tbl", with: "absent")).type,
            "ResourceNotFoundException")
    }

    @Test func `a batch with one invalid item writes nothing`() throws {
        let kit = try DynamoDBHarness()
        expectEqual(
            kit.refusal(
                "BatchWriteItem",
                #"{"RequestItems":{"tbl":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"PutRequest":{"Item":{"pk":{"N":"1"}}}}]}}"#
            ).type, "ValidationException")
        try expectEqual(kit.item(#"{"pk":{"S":"a"}}"#), nil)
    }

    @Test func `keys beyond sixteen megabytes are returned as unprocessed`() throws {
        let kit = try DynamoDBHarness()
        let filler = String(repeating: "x", count: 399_000)
        for index in 0..<60 { try kit.put(#"{"pk":{"S":"k\#(index)"},"v":{"S":"\#(filler)"}}"#) }
        var keys = "[" + list(60) { #"{"pk":{"S":"k\#($0)"}}"# } + "]"
        var found = 0
        for round in 0..<2 {
            let answer = try kit.ok(
                "BatchGetItem", #"{"RequestItems":{"tbl":{"ConsistentRead":true,"Keys":\#(keys)}}}"#
            )
            found += answer["Responses"]?["tbl"]?.arrayValue?.count ?? 0
            let left = answer["UnprocessedKeys"]?["tbl"]
            expectEqual(left != nil, round == 0)
            expectEqual(left?["ConsistentRead"] ?? true, true)
            keys = left?["Keys"]?.text ?? "[]"
        }
        expectEqual(found, 60)
    }
}
