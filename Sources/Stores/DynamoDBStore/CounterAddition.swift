internal import AWSClients
internal import JSON
internal import KeyValueStore
internal import Time

/// The requests of one addition to a counter: one request if the counter is active or absent, two
/// if it has expired or never expires.
struct CounterAddition {
    private enum Step {
        /// Adds to an item that has not expired, or creates one.
        case add
        case addToLasting
        /// Replaces an expired item.
        case restart
        /// Reads the item that made the condition fail, if the failure does not include it.
        case look
    }

    private let counter: CounterIncrement
    private let store: DynamoDBStore
    private var step = Step.add
    /// Set when the addition is done.
    private(set) var sum: Int64?

    init(_ counter: CounterIncrement, in store: DynamoDBStore) {
        self.counter = counter
        self.store = store
    }

    /// The next request.
    func call(at now: Instant) -> AWSCall {
        switch step {
        case .add: add(at: now)
        case .addToLasting: addToLasting()
        case .restart: restart(at: now)
        case .look:
            AWSCall(
                "GetItem",
                [
                    "TableName": .string(store.table), "Key": StoredItem.key(counter.key),
                    "ConsistentRead": true,
                ])
        }
    }

    /// Takes the response to the request that was made for `now`.
    mutating func take(_ outcome: DynamoDBCall.Outcome, at now: Instant) throws(StoreFailure) {
        if case .failure(.refused(let refusal)) = outcome,
            refusal.code == "ConditionalCheckFailedException"
        {
            guard let item = refusal.item else {
                step = .look
                return
            }
            return try proceed(from: try store.item(.object(item)), at: now)
        }
        let answer = try store.answer(outcome)
        switch step {
        case .add, .addToLasting:
            guard let attributes = answer["Attributes"],
                case .integer(let value) =
                    try store.item(attributes).attributes[Item.counterName]
            else { throw store.failures.unreadable }
            sum = value
        case .restart:
            sum = counter.amount
        case .look:
            guard let json = answer["Item"] else {
                step = .add
                return
            }
            try proceed(from: try store.item(json), at: now)
        }
    }

    /// `item` is the item that made the condition fail.
    private mutating func proceed(from item: Item, at now: Instant) throws(StoreFailure) {
        guard item.exists(at: now) else {
            step = .restart
            return
        }
        // Throws if the item's value has the wrong type, or if the sum is too large.
        _ = try counter.added(to: item)
        step = item.expiresAt == nil ? .addToLasting : .add
    }

    private func add(at now: Instant) -> AWSCall {
        var expression = Expression()
        let expiry = expression.name(StoredItem.expiry)
        let timeToLive = expression.name(StoredItem.timeToLive)
        let update =
            "SET \(expiry) = if_not_exists(\(expiry), "
            + "\(expression.value(counter.expiresAt.stored))), "
            + "\(timeToLive) = if_not_exists(\(timeToLive), "
            + "\(expression.value(counter.expiresAt.storedTimeToLive))) "
        // An item without an expiry must not get one, so the condition fails for it.
        let condition =
            "(attribute_not_exists(\(expression.name(StoredItem.partition))) "
            + "OR \(expiry) > \(expression.value(now.stored)))"
        return add(update, condition, expression)
    }

    private func addToLasting() -> AWSCall {
        var expression = Expression()
        let condition =
            "attribute_exists(\(expression.name(StoredItem.partition))) "
            + "AND attribute_not_exists(\(expression.name(StoredItem.expiry)))"
        return add("", condition, expression)
    }

    private func add(_ update: String, _ condition: String, _ expression: Expression) -> AWSCall {
        var expression = expression
        let amount = counter.amount
        let count = expression.name(StoredItem.name(Item.counterName))
        // DynamoDB numbers have 38 digits, so the limit of 64 bits needs a condition.
        let low = Attribute.integer(amount < 0 ? .min - amount : .min)
        let high = Attribute.integer(amount < 0 ? .max : .max - amount)
        let number = expression.value(Attribute.text("N").stored)
        let range =
            "(attribute_not_exists(\(count)) OR attribute_type(\(count), \(number)) AND \(count) "
            + "BETWEEN \(expression.value(low.stored)) AND \(expression.value(high.stored)))"
        let update = update + "ADD \(count) \(expression.value(Attribute.integer(amount).stored))"
        let members: [(String, JSON)] = [
            ("TableName", .string(store.table)), ("Key", StoredItem.key(counter.key)),
            ("UpdateExpression", .string(update)),
            ("ConditionExpression", .string("\(condition) AND \(range)")),
            ("ReturnValues", "ALL_NEW"), Self.itemWithRefusal,
        ]
        return conditional("UpdateItem", members + expression.members)
    }

    private func restart(at now: Instant) -> AWSCall {
        let item = Item(
            counter.key, [Item.counterName: .integer(counter.amount)],
            expiresAt: counter.expiresAt)
        var expression = Expression()
        let condition = expression.absent(at: now)
        let members: [(String, JSON)] = [
            ("TableName", .string(store.table)), ("Item", StoredItem.item(item)),
            ("ConditionExpression", .string(condition)), Self.itemWithRefusal,
        ]
        return conditional("PutItem", members + expression.members)
    }

    /// The call is not repeated after a lost response, because it could count twice.
    private func conditional(_ operation: String, _ members: [(String, JSON)]) -> AWSCall {
        AWSCall(operation, .object(JSONObject(members)), repeating: .onlyWhenNothingHappened)
    }

    // The failure contains the item, which saves a read.
    private static let itemWithRefusal: (String, JSON) = (
        "ReturnValuesOnConditionCheckFailure", "ALL_OLD"
    )
}
