internal import AWSClients
internal import Bytes
package import Cryptography
internal import JSON
package import KeyValueStore
package import Time

/// `dynamodb:TABLE`: one table of AWS, or of whatever else answers its API with transactions.
///
/// The service decides every race by its conditions. A request whose answer is lost is repeated,
/// unless it adds to a counter: its caller learns `.unavailable`.
package struct DynamoDBStore: KeyValueStore {
    /// A page of the service can hold nothing but expired items; this many are passed over in
    /// one call before the caller gets a short page.
    private static let queryRoundsMax = 16
    private static let itemsPerLaterRoundMin = 100

    package let table: String
    let clock: WallClock
    let random: RandomSource
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
        if writes.count == 1 { return try write(alone: first) }
        let now = clock.now()
        let parts = writes.map { write in
            JSON.object([action(of: write): request(for: write, at: now)])
        }
        _ = try perform(
            "TransactWriteItems",
            [
                "TransactItems": .array(parts),
                "ClientRequestToken": .string(Hex.encode(random.bytes(16))),
            ])
    }

    /// Half the price of a transaction of one, but without its token: asked for again after a
    /// lost answer, a conditional write meets its own effect. `KeyValueStore.write` says so.
    private func write(alone write: Write) throws(StoreFailure) {
        switch write {
        case .put, .delete:
            _ = try perform("\(action(of: write))Item", request(for: write, at: clock.now()))
        case .check(let key, let conditions):
            // A consistent read sees what the transaction would.
            let item = try get(key)
            guard conditions.allSatisfy({ $0.holds(for: item) }) else { throw .conditionFailed }
        }
    }

    private func action(of write: Write) -> String {
        switch write {
        case .put: "Put"
        case .delete: "Delete"
        case .check: "ConditionCheck"
        }
    }

    private func request(for write: Write, at now: Instant) -> JSON {
        var members: [(String, JSON)] = [("TableName", .string(table))]
        switch write {
        case .put(let item, _): members.append(("Item", StoredItem.item(item)))
        case .delete(let key, _), .check(let key, _): members.append(("Key", StoredItem.key(key)))
        }
        var expression = Expression()
        if let condition = expression.all(write.conditions, at: now) {
            members.append(("ConditionExpression", .string(condition)))
        }
        return .object(JSONObject(members + expression.members))
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
}

extension DynamoDBStore {
    /// One call of what comes to the same when it is done twice.
    func perform(_ operation: String, _ body: JSON) throws(StoreFailure) -> JSON {
        try answer(Result { () throws(AWSFailure) in try call.send(AWSCall(operation, body)) })
    }

    func answer(_ outcome: DynamoDBCall.Outcome) throws(StoreFailure) -> JSON {
        switch outcome {
        case .success(let json): return json
        case .failure(let failure): throw failures.reading(failure)
        }
    }

    func item(_ json: JSON) throws(StoreFailure) -> Item {
        guard let item = StoredItem.decode(json) else { throw failures.unreadable }
        return item
    }
}
