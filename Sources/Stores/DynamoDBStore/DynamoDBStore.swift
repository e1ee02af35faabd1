internal import AWSClients
internal import Bytes
package import Cryptography
internal import JSON
package import KeyValueStore
package import Time

/// `dynamodb:TABLE`: one table of AWS, or of whatever else answers its API with transactions.
///
/// The service decides every race by its conditions. An answer that is lost is asked for again
/// where asking twice cannot change anything: reads, unconditional writes, and transactions under
/// their token. An increment is not one of these, and its caller learns `.unavailable`.
package struct DynamoDBStore: KeyValueStore {
    /// A page of the service can hold nothing but expired items; this many are passed over in
    /// one call before the caller gets a short page.
    private static let queryRoundsMax = 16
    private static let itemsPerLaterRoundMin = 100
    /// A response holds 16 MB at most, so a hundred items of the largest size take three.
    private static let readRoundsMax = 8

    package let table: String
    let clock: WallClock
    private let random: RandomSource
    let pause: @Sendable (Span) -> Void
    let call: DynamoDBCall

    var failures: DynamoDBFailure { DynamoDBFailure(table: table) }

    /// - Parameter pause: blocks for that time.
    package init(
        table: String, clock: WallClock, random: RandomSource,
        pause: @escaping @Sendable (Span) -> Void, call: DynamoDBCall
    ) {
        self.table = table
        self.clock = clock
        self.random = random
        self.pause = pause
        self.call = call
    }

    package func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?] {
        try StoreLimits.check(reading: keys)
        let now = clock.now()
        let distinct = Array(Set(keys))
        var found: [ItemKey: Item] = [:]
        switch distinct.count {
        case 0:
            return []
        case 1:
            let answer = try perform(
                "GetItem",
                [
                    "TableName": .string(table), "Key": StoredItem.key(distinct[0]),
                    "ConsistentRead": true,
                ])
            if let json = answer["Item"] { found[distinct[0]] = try item(json) }
        default:
            for json in try batch(distinct.map(StoredItem.key)) {
                let item = try item(json)
                found[item.key] = item
            }
        }
        return keys.map { key in
            guard let item = found[key], item.exists(at: now) else { return nil }
            return item
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        let now = clock.now()
        var items: [Item] = []
        var after = query.after
        for round in 0..<Self.queryRoundsMax {
            let missing = query.limit - items.count
            let limit = round == 0 ? missing : max(missing, Self.itemsPerLaterRoundMin)
            let answer = try perform("Query", request(query, after: after, limit: limit))
            for json in answer["Items"]?.arrayValue ?? [] {
                let item = try item(json)
                if item.exists(at: now) { items.append(item) }
            }
            if items.count > query.limit {
                items.removeLast(items.count - query.limit)
                return Page(items: items, next: items.last?.key.sort)
            }
            guard let last = answer["LastEvaluatedKey"] else {
                return Page(items: items, next: nil)
            }
            guard let key = StoredItem.key(in: last) else { throw failures.unreadable }
            after = key.sort
            if items.count == query.limit { break }
        }
        return Page(items: items, next: after)
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        guard let first = writes.first else { return }
        if writes.count == 1, first.conditions.isEmpty {
            switch first {
            case .put(let item, _):
                _ = try perform(
                    "PutItem", ["TableName": .string(table), "Item": StoredItem.item(item)])
            case .delete(let key, _):
                _ = try perform(
                    "DeleteItem", ["TableName": .string(table), "Key": StoredItem.key(key)])
            case .check:
                break
            }
            return
        }
        // A single conditional write is a transaction too, at twice its price. `PutItem` has no
        // token: sent again after a lost answer it would meet its own item and report that the
        // condition failed, for a write that was made.
        let now = clock.now()
        _ = try perform(
            "TransactWriteItems",
            [
                "TransactItems": .array(writes.map { part($0, at: now) }),
                "ClientRequestToken": .string(Hex.encode(random.bytes(16))),
            ])
    }

    private func part(_ write: Write, at now: Instant) -> JSON {
        var members: [(String, JSON)] = [("TableName", .string(table))]
        let action: String
        switch write {
        case .put(let item, _):
            action = "Put"
            members.append(("Item", StoredItem.item(item)))
        case .delete(let key, _):
            action = "Delete"
            members.append(("Key", StoredItem.key(key)))
        case .check(let key, _):
            action = "ConditionCheck"
            members.append(("Key", StoredItem.key(key)))
        }
        var expression = Expression()
        if let condition = expression.all(write.conditions, at: now) {
            members.append(("ConditionExpression", .string(condition)))
        }
        return .object([action: .object(JSONObject(members + expression.members))])
    }

    private func request(_ query: PartitionQuery, after: String?, limit: Int) -> JSON {
        var expression = Expression()
        var condition =
            "\(expression.name(StoredItem.partition)) = "
            + expression.value(Attribute.text(query.partition).stored)
        // An empty value of a key attribute is refused.
        if !query.prefix.isEmpty {
            condition +=
                " AND begins_with(\(expression.name(StoredItem.sort)), "
                + "\(expression.value(Attribute.text(query.prefix).stored)))"
        }
        var members: [(String, JSON)] = [
            ("TableName", .string(table)), ("ConsistentRead", true), ("Limit", .number(limit)),
            ("KeyConditionExpression", .string(condition)),
        ]
        if let after {
            members.append(("ExclusiveStartKey", StoredItem.key(ItemKey(query.partition, after))))
        }
        return .object(JSONObject(members + expression.members))
    }

    /// The stored items of distinct keys, in any order.
    private func batch(_ keys: [JSON]) throws(StoreFailure) -> [JSON] {
        var missing = keys
        var items: [JSON] = []
        for round in 0..<Self.readRoundsMax {
            let answer = try perform(
                "BatchGetItem",
                [
                    "RequestItems": .object([
                        table: ["Keys": .array(missing), "ConsistentRead": true]
                    ])
                ])
            let found = answer["Responses"]?[table]?.arrayValue ?? []
            items += found
            missing = answer["UnprocessedKeys"]?[table]?["Keys"]?.arrayValue ?? []
            if missing.isEmpty { return items }
            // Full responses follow each other at once; an empty one is throttling.
            if found.isEmpty { pause(throttlingPause(after: round)) }
        }
        throw failures.unavailable("a read was left unfinished")
    }

    /// Doubling, with full jitter: who was throttled together must not come back together.
    private func throttlingPause(after round: Int) -> Span {
        let bound = Int64(20) << Int64(min(round, 5))
        let draw = random.bytes(4).reduce(0 as Int64) { $0 << 8 | Int64($1) }
        return .milliseconds(draw % (bound + 1))
    }
}

extension DynamoDBStore {
    /// - Parameter repetition: by default for what comes to the same when it is done twice.
    func perform(_ operation: String, _ body: JSON, repeating repetition: Repetition = .always)
        throws(StoreFailure) -> JSON
    {
        do throws(AWSFailure) {
            return try call.send(operation, body, repetition)
        } catch {
            throw failures.reading(error)
        }
    }

    func item(_ json: JSON) throws(StoreFailure) -> Item {
        guard let item = StoredItem.decode(json) else { throw failures.unreadable }
        return item
    }
}
