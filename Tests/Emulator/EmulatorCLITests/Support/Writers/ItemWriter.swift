import BaseTestSupport

/// Puts two items in a transaction, or a single one.
final class ItemWriter: Writer {
    static let table = "items"
    private let name: String
    private let isPair: Bool
    private let writes = Mutex(WriteLog())

    init(_ name: String, isPair: Bool) {
        self.name = name
        self.isPair = isPair
    }

    var acknowledgedCount: Int { writes.withLock { $0.acknowledged.count } }

    func step(_ caller: EmulatorClient) throws {
        let number = writes.withLock { $0.begin() }
        let answer =
            isPair
            ? try caller.table(
                "TransactWriteItems",
                ["TransactItems": [["Put": put(number, "a")], ["Put": put(number, "b")]]])
            : try caller.table("PutItem", put(number, "a"))
        guard answer.status == 200 else { return try #require(answer.status == 503) }
        writes.withLock { $0.acknowledge(number) }
    }

    func verify(_ caller: EmulatorClient) throws {
        let new = writes.withLock { $0.takeNew() }
        try check(new.acknowledged, caller)
        for number in new.open {
            let first = try stored(number, "a", caller)
            #expect(first == nil || first == item(number, "a"), "\(name) \(number)")
            guard isPair else { continue }
            let second = try stored(number, "b", caller)
            expectEqual(first == nil, second == nil, "\(name) \(number): half a transaction")
        }
    }

    func verifyAll(_ caller: EmulatorClient) throws {
        try check(writes.withLock { $0.acknowledged }, caller)
    }

    private func check(_ numbers: [Int], _ caller: EmulatorClient) throws {
        for number in numbers {
            for part in isPair ? ["a", "b"] : ["a"] {
                try expectEqual(
                    stored(number, part, caller), item(number, part), "\(name) \(number)")
            }
        }
    }

    private func stored(_ number: Int, _ part: String, _ caller: EmulatorClient) throws -> JSON? {
        let answer = try caller.table(
            "GetItem",
            [
                "TableName": .string(Self.table), "ConsistentRead": true,
                "Key": [
                    "pk": ["S": .string("\(name)-\(part)")], "sk": ["S": .string("\(number)")],
                ],
            ])
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json?["Item"]
    }

    private func put(_ number: Int, _ part: String) -> JSON {
        ["TableName": .string(Self.table), "Item": item(number, part)]
    }

    private func item(_ number: Int, _ part: String) -> JSON {
        [
            "pk": ["S": .string("\(name)-\(part)")], "sk": ["S": .string("\(number)")],
            "value": [
                "S": .string(String(repeating: "\(number) ", count: 1 + number % 7 * 40))
            ],
        ]
    }
}
