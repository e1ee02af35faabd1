import BaseTestSupport
import EmulatorDynamoDB

/// The request that wrote an item last.
@Suite("Writers of items")
struct LastWriterTests {
    private let kit: DynamoDBHarness

    init() throws { kit = try DynamoDBHarness() }

    private func origin(_ number: Int) -> WriteOrigin {
        WriteOrigin(trace: UInt128(number), startNanoseconds: UInt64(number))
    }

    private func call(_ operation: String, _ body: String, from number: Int?) throws {
        var request = DynamoDBRequest(
            target: "DynamoDB_20120810.\(operation)",
            contentType: "application/x-amz-json-1.0", body: Array(body.utf8))
        request.origin = number.map(origin)
        let answer = kit.service.answer(request)
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    private func put(_ key: String, from number: Int?) throws {
        try call("PutItem", #"{"TableName":"tbl","Item":{"pk":{"S":"\#(key)"}}}"#, from: number)
    }

    private func writer(_ key: String, in table: String = "tbl") -> Int? {
        let item: JSON = ["pk": ["S": .string(key)], "n": ["N": "1"]]
        return kit.service.writers(of: [item], in: table)[0].map { Int($0.startNanoseconds) }
    }

    @Test func `the last writer is recorded, but a refused write is not`() throws {
        try put("a", from: 1)
        try put("b", from: 2)
        try call(
            "UpdateItem",
            #"{"TableName":"tbl","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET n = pk"}"#, from: 3)
        expectEqual([writer("a"), writer("b"), writer("c")], [3, 2, nil])
        var refused = DynamoDBRequest(
            target: "DynamoDB_20120810.PutItem", contentType: "application/x-amz-json-1.0",
            body: Array(
                #"{"TableName":"tbl","Item":{"pk":{"S":"a"}},"ConditionExpression":"attribute_not_exists(pk)"}"#
                    .utf8))
        refused.origin = origin(4)
        expectEqual(kit.service.answer(refused).status, 400)
        expectEqual(writer("a"), 3)
        expectEqual(writer("a", in: "none"), nil)
    }

    @Test func `a write of the emulator itself has no request`() throws {
        try put("a", from: 1)
        try put("a", from: nil)
        expectEqual(writer("a"), nil)
    }

    @Test func `transactions and batches write, checks do not`() throws {
        try put("checked", from: 1)
        try call(
            "TransactWriteItems",
            #"{"TransactItems":[{"Put":{"TableName":"tbl","Item":{"pk":{"S":"a"}}}},{"ConditionCheck":{"TableName":"tbl","Key":{"pk":{"S":"checked"}},"ConditionExpression":"attribute_exists(pk)"}}]}"#,
            from: 2)
        try call(
            "BatchWriteItem",
            #"{"RequestItems":{"tbl":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}}]}}"#, from: 3)
        expectEqual([writer("a"), writer("checked"), writer("b")], [2, 1, 3])
        expectEqual(
            kit.service.items(writtenIn: 2).map { "\($0.table) \($0.key.text)" },
            [
                #"tbl {"pk":{"S":"a"}}"#
            ])
    }

    @Test func `deleted and rewritten items do not belong to their former request`() throws {
        for key in ["a", "b", "c"] { try put(key, from: 1) }
        try call("DeleteItem", #"{"TableName":"tbl","Key":{"pk":{"S":"a"}}}"#, from: 2)
        try put("b", from: 3)
        expectEqual(writer("a"), nil)
        expectEqual(kit.service.items(writtenIn: 1).map { $0.key["pk"]?["S"] }, ["c"])
        #expect(kit.service.items(writtenIn: 2).isEmpty)
        try call("DeleteTable", #"{"TableName":"tbl"}"#, from: nil)
        #expect(kit.service.items(writtenIn: 1).isEmpty)
    }

    @Test func `the latest 4,096 written items are known, and fewer than twice as many`() throws {
        for number in 0..<9000 { try put("\(number)", from: number + 1) }
        #expect((9000 - 4096..<9000).allSatisfy { writer("\($0)") == $0 + 1 })
        #expect((0..<9000 - 8192).allSatisfy { writer("\($0)") == nil })
    }
}
