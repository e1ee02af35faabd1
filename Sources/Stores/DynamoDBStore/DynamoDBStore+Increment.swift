internal import AWSClients
internal import JSON
package import KeyValueStore
package import Time

extension DynamoDBStore {
    /// An item can expire, or appear, between two requests; each of that costs one more round.
    private static let incrementRoundsMax = 6

    /// One request for a counter that is counting, and for one that begins.
    package func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant)
        throws(StoreFailure) -> Int64
    {
        try StoreLimits.check(key)
        for _ in 0..<Self.incrementRoundsMax {
            let now = clock.now()
            if let sum = try add(amount, to: key, startingUntil: expiresAt, at: now) { return sum }
            // The condition did not hold: the item says why.
            let answer = try perform(
                "GetItem",
                [
                    "TableName": .string(table), "Key": StoredItem.key(key),
                    "ConsistentRead": true,
                ])
            guard let json = answer["Item"] else { continue }
            let item = try item(json)
            if !item.exists(at: now) {
                if try restart(key, at: amount, expiresAt: expiresAt, now) { return amount }
                continue
            }
            // Its value is of the wrong kind, or the sum too large; this throws then.
            _ = try Item.incremented(item, key, by: amount, expiresAt: expiresAt)
            if item.expiresAt == nil, let sum = try add(amount, toLasting: key) { return sum }
        }
        throw failures.unavailable("a counter changed too often to be added to")
    }

    /// Adds to an item that expires later, or to none. Nil when the condition did not hold.
    private func add(
        _ amount: Int64, to key: ItemKey, startingUntil expiresAt: Instant, at now: Instant
    ) throws(StoreFailure) -> Int64? {
        var expression = Expression()
        let expiry = expression.name(StoredItem.expiry)
        let timeToLive = expression.name(StoredItem.timeToLive)
        let update =
            "SET \(expiry) = if_not_exists(\(expiry), \(expression.value(expiresAt.stored))), "
            + "\(timeToLive) = if_not_exists(\(timeToLive), "
            + "\(expression.value(expiresAt.storedTimeToLive))) "
        // An item without an expiry must not get one, so it does not pass here.
        let condition =
            "(attribute_not_exists(\(expression.name(StoredItem.partition))) "
            + "OR \(expiry) > \(expression.value(now.stored)))"
        return try add(amount, key, update, condition, expression)
    }

    /// Adds to an item that never expires. Nil when the condition did not hold.
    private func add(_ amount: Int64, toLasting key: ItemKey) throws(StoreFailure) -> Int64? {
        var expression = Expression()
        let condition =
            "attribute_exists(\(expression.name(StoredItem.partition))) "
            + "AND attribute_not_exists(\(expression.name(StoredItem.expiry)))"
        return try add(amount, key, "", condition, expression)
    }

    private func add(
        _ amount: Int64, _ key: ItemKey, _ update: String, _ condition: String,
        _ expression: Expression
    ) throws(StoreFailure) -> Int64? {
        var expression = expression
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
            ("TableName", .string(table)), ("Key", StoredItem.key(key)),
            ("UpdateExpression", .string(update)),
            ("ConditionExpression", .string("\(condition) AND \(range)")),
            ("ReturnValues", "ALL_NEW"),
        ]
        let answer: JSON
        do throws(StoreFailure) {
            answer = try perform(
                "UpdateItem", .object(JSONObject(members + expression.members)),
                repeating: .onlyWhenNothingHappened)
        } catch {
            guard error == .conditionFailed else { throw error }
            return nil
        }
        guard let attributes = answer["Attributes"],
            case .integer(let sum) = try item(attributes).attributes[Item.counterName]
        else { throw failures.unreadable }
        return sum
    }

    /// Puts a counter in the place of an expired item. False when the item has changed since.
    private func restart(_ key: ItemKey, at amount: Int64, expiresAt: Instant, _ now: Instant)
        throws(StoreFailure) -> Bool
    {
        let item = Item(key, [Item.counterName: .integer(amount)], expiresAt: expiresAt)
        var expression = Expression()
        let condition = expression.absent(at: now)
        let members: [(String, JSON)] = [
            ("TableName", .string(table)), ("Item", StoredItem.item(item)),
            ("ConditionExpression", .string(condition)),
        ]
        do throws(StoreFailure) {
            _ = try perform(
                "PutItem", .object(JSONObject(members + expression.members)),
                repeating: .onlyWhenNothingHappened)
            return true
        } catch {
            guard error == .conditionFailed else { throw error }
            return false
        }
    }
}
