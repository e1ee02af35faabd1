internal import AWSClients
internal import JSON
internal import KeyValueStore
internal import Time

/// One addition to a counter, answer by answer: one request for a counter that is counting and
/// for one that is absent, two for one that has expired or never expires.
struct CounterAddition {
    private enum Step {
        /// To an item that expires later, or to none.
        case add
        case addToLasting
        /// In the place of an expired item.
        case restart
        /// What stands in the way, where the refusal does not say so.
        case look
    }

    private let counter: CounterIncrement
    private let store: DynamoDBStore
    private var step = Step.add
    /// Present when the addition is made.
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

    /// Takes the answer to the request that was made for `now`.
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

    /// `item` is what stood in the way.
    private mutating func proceed(from item: Item, at now: Instant) throws(StoreFailure) {
        guard item.exists(at: now) else {
            step = .restart
            return
        }
        // Its value is of the wrong kind, or the sum too large; this throws then.
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
        // An item without an expiry must not get one, so it does not pass here.
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
        // DynamoDB counts in 38 digits: it must stop where 64 bits do.
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

    /// Asked for again after a lost answer, it would count twice.
    private func conditional(_ operation: String, _ members: [(String, JSON)]) -> AWSCall {
        AWSCall(operation, .object(JSONObject(members)), repeating: .onlyWhenNothingHappened)
    }

    // Saves the request that looks.
    private static let itemWithRefusal: (String, JSON) = (
        "ReturnValuesOnConditionCheckFailure", "ALL_OLD"
    )
}
