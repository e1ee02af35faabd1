import AWSClients
import DynamoDBStore
import Foundation

/// Behaviour of this backend only: its requests, and how responses are interpreted.
@Suite("DynamoDBStore")
struct DynamoDBStoreTests {
    private static let key = ItemKey("p", "s")
    private static let item = Item(key, [:])

    @Test func `a single write is not a transaction, with conditions or without`() throws {
        let service = Script { _ in [:] }
        let store = service.store()
        try store.write([.put(Self.item, when: [])])
        try store.write([.delete(Self.key, when: [])])
        try store.write([.put(Self.item, when: [.absent])])
        try store.write([.delete(Self.key, when: [.present])])
        try store.write([.check(Self.key, when: [.absent])])
        expectEqual(
            service.seen.map(\.operation),
            ["PutItem", "DeleteItem", "PutItem", "DeleteItem", "GetItem"])
        let conditions = service.seen.map { $0.body["ConditionExpression"]?.stringValue }
        expectEqual(conditions.map { $0 == nil }, [true, true, false, false, true])
    }

    private static let transaction: [Write] = [
        .put(item, when: [.absent]), .check(ItemKey("p", "t"), when: [.absent]),
    ]

    @Test func `only increments are not retried after a lost response`() throws {
        let service = Script { request in
            request.operation == "UpdateItem"
                ? ["Attributes": ["pk": ["S": "p"], "sk": ["S": "s"], "_count": ["N": "1"]]] : [:]
        }
        let store = service.store()
        _ = try store.increment(Self.key, by: 1, expiresAt: Instant(seconds: 1))
        _ = try store.get([Self.key])
        _ = try store.get([Self.key, ItemKey("p", "t")])
        _ = try store.query(PartitionQuery("p", limit: 1))
        try store.write([.put(Self.item, when: [])])
        try store.write([.put(Self.item, when: [.absent])])
        try store.write(Self.transaction)
        expectEqual(service.seen.map(\.repeats), [false, true, true, true, true, true, true])
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (999, "1"), (1000, "1"), (1001, "2"), (-1, "0"), (-1000, "-1"),
        (Int64.max, "9223372036854776"),
    ])
    func `time to live is never before the expiry`(milliseconds: Int64, ttl: String)
        throws
    {
        let service = Script { _ in [:] }
        let item = Item(Self.key, [:], expiresAt: Instant(milliseconds: milliseconds))
        try service.store().write([.put(item, when: [])])
        let stored = service.seen[0].body["Item"]
        expectEqual(stored?["ttl"], ["N": .string(ttl)])
        expectEqual(stored?["expiresAtMs"], ["N": .string(String(milliseconds))])
    }

    static let unreadable: [(String, JSON)] = [
        ("no key", ["_v": ["S": "secret"]]), ("no sort key", ["pk": ["S": "p"]]),
        ("a number for a key", ["pk": ["N": "1"], "sk": ["S": "s"]]),
        ("a list", stored("_v", ["L": [["S": "secret"]]])), ("null", stored("_v", ["NULL": true])),
        ("a fraction", stored("_v", ["N": "1.5"])),
        ("a number with an exponent", stored("_v", ["N": "1E3"])),
        ("a number with a sign", stored("_v", ["N": "+1"])),
        ("a number beyond 64 bits", stored("_v", ["N": "9223372036854775808"])),
        ("a number that is none", stored("_v", ["N": "secret"])),
        ("a number of JSON", stored("_v", ["N": 1])),
        ("bytes that are not base64", stored("_v", ["B": "secret!"])),
        ("bytes without padding", stored("_v", ["B": "AA"])),
        ("a flag in text", stored("_v", ["BOOL": "true"])),
        ("two kinds at once", stored("_v", ["S": "secret", "N": "1"])),
        ("no kind", stored("_v", [:])), ("a value without a kind", stored("_v", "secret")),
        ("a reserved name without a meaning", stored("_", ["S": "secret"])),
        ("a name of other characters", stored("_a-b", ["S": "secret"])),
        ("an expiry in text", stored("expiresAtMs", ["S": "1"])),
        ("an expiry with a fraction", stored("expiresAtMs", ["N": "1.5"])),
    ]

    @Test(arguments: unreadable)
    func `items in another format are refused`(name: String, stored: JSON) throws {
        let service = Script { ["Item": stored, "Items": [stored], "ASDF": .string($0.operation)] }
        for read in [
            { store in _ = try store.get(Self.key) },
            { store in _ = try store.query(PartitionQuery("p", limit: 1)) },
        ] as [(DynamoDBStore) throws -> Void] {
            #expect(
                throws: StoreFailure.unreadable(detail: "dynamodb:t: a stored item cannot be read")
            ) { try read(service.store()) }
        }
    }

    @Test func `unknown attributes are ignored`() throws {
        let json = Self.stored("note", ["L": [["S": "of the operator"]]])
        let service = Script { _ in ["Item": json] }
        try expectEqual(service.store().get(Self.key), Self.item)
    }

    @Test func `keys that remain unprocessed cause an error`() throws {
        let service = Script { request in
            ["Responses": [:], "UnprocessedKeys": request.body["RequestItems"] ?? .null]
        }
        #expect(throws: StoreFailure.self) {
            try service.store().get([Self.key, ItemKey("p", "t")])
        }
        #expect(service.seen.count < 20)
    }

    @Test func `many pages of expired items result in a short page`() throws {
        let pages = Mutex(0)
        let service = Script { _ in
            let page = pages.withLock { count in
                count += 1
                return count
            }
            return [
                "Items": [Self.stored("expiresAtMs", ["N": "1"])],
                "LastEvaluatedKey": ["pk": ["S": "p"], "sk": ["S": .string("s\(page)")]],
            ]
        }
        let page = try service.store().query(PartitionQuery("p", prefix: "s", limit: 5))
        expectEqual(page.items, [])
        expectEqual(page.next, "s\(service.seen.count)")
        #expect(service.seen.count < 20)
        let starts = service.seen.dropFirst().map { $0.body["ExclusiveStartKey"]?["sk"] }
        #expect(starts.enumerated().allSatisfy { $1 == ["S": .string("s\($0 + 1)")] })
    }

    @Test func `creating a table is idempotent and enables time to live`() throws {
        let client = try Service.moto()
        let store = Script.store(DynamoDBCall(client), table: "made-\(UUID().uuidString)")
        try store.createTable()
        try store.put("p", "s")
        try store.createTable()
        try expectEqual(store.sorts("p"), utf8("s"))
        let answer = try client.call(
            operation: "DescribeTimeToLive", body: ["TableName": .string(store.table)])
        expectEqual(
            answer["TimeToLiveDescription"],
            ["TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"])
    }

    private static func stored(_ name: String, _ value: JSON) -> JSON {
        .object(
            [("pk", ["S": "p"]), ("sk", ["S": "s"]), (name, value)].reduce(into: JSONObject()) {
                $0[$1.0] = $1.1
            })
    }
}
