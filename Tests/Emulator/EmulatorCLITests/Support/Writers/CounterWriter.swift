import BaseTestSupport

/// Increments a counter.
final class CounterWriter: Writer {
    private struct State: Sendable {
        var acknowledged: Int64 = 0
        var asked: Int64 = 0
        var count = 0
    }

    private let state = Mutex(State())

    var acknowledgedCount: Int { state.withLock { $0.count } }

    func step(_ caller: EmulatorClient) throws {
        state.withLock { $0.asked += 1 }
        let answer = try caller.table("UpdateItem", Self.update(by: 1))
        try #require(answer.status == 200, "\(answer.text)")
        state.withLock {
            $0.acknowledged += 1
            $0.count += 1
        }
    }

    func verify(_ caller: EmulatorClient) throws {
        let answer = try caller.table("UpdateItem", Self.update(by: 0))
        let text = answer.json?["Attributes"]?["n"]?["N"]?.stringValue
        let value = try #require(text.flatMap { Int64($0) }, "\(answer.text)")
        state.withLock { state in
            #expect((state.acknowledged...state.asked).contains(value))
            state.acknowledged = value
            state.asked = value
        }
    }

    func verifyAll(_ caller: EmulatorClient) throws { try verify(caller) }

    private static func update(by step: Int) -> JSON {
        [
            "TableName": .string(ItemWriter.table),
            "Key": ["pk": ["S": "counter"], "sk": ["S": "counter"]],
            "UpdateExpression": "ADD n :step",
            "ExpressionAttributeValues": [":step": ["N": .string("\(step)")]],
            "ReturnValues": "UPDATED_NEW",
        ]
    }
}
