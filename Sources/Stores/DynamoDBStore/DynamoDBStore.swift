internal import AWSClients
internal import Bytes
package import Cryptography
internal import JSON
package import KeyValueStore
package import Time

/// `dynamodb:TABLE`: one table of DynamoDB or of a compatible service with transactions.
///
/// Races are decided by condition expressions. A request whose response is lost is repeated, except
/// for counter additions: their caller gets `.unavailable`.
package struct DynamoDBStore: KeyValueStore {
    package let table: String
    let clock: WallClock
    let random: RandomSource
    let pause: @Sendable (Span) -> Void
    let call: DynamoDBCall

    var failures: DynamoDBFailure { DynamoDBFailure(table: table) }

    /// - Parameter pause: blocks for the given time.
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
        var reading = PageReading(query, in: self, at: clock.now())
        while let request = reading.call {
            try reading.take(Result { () throws(AWSFailure) in try call.send(request) })
        }
        return reading.soFar
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

    /// A single write costs half as much as a transaction of one write, but has no idempotency
    /// token: a conditional write that is repeated after a lost response conflicts with itself. See
    /// `KeyValueStore.write`.
    private func write(alone write: Write) throws(StoreFailure) {
        switch write {
        case .put, .delete:
            _ = try perform("\(action(of: write))Item", request(for: write, at: clock.now()))
        case .check(let key, let conditions):
            // A consistent read returns the same as a transaction would.
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
}

extension DynamoDBStore {
    /// Performs one idempotent call.
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
