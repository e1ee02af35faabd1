internal import AWSClients
internal import JSON
internal import KeyValueStore
internal import Time

/// Reads one page, with as many queries as needed. A page of the service can consist of expired
/// items, which are skipped.
struct PageReading {
    /// After this many pages of the service, the caller gets a short page.
    private static let roundsMax = 16
    private static let itemsPerLaterRoundMin = 100

    private let query: PartitionQuery
    private let store: DynamoDBStore
    private let now: Instant
    private var items: [Item] = []
    private var after: String?
    private var rounds = 0
    private var isComplete = false

    init(_ query: PartitionQuery, in store: DynamoDBStore, at now: Instant) {
        self.query = query
        self.store = store
        self.now = now
        after = query.after
    }

    /// Nil when the page is complete.
    var call: AWSCall? { isComplete ? nil : AWSCall("Query", request) }

    /// The items read so far, possibly fewer than requested.
    var soFar: Page { Page(items: items, next: after) }

    mutating func take(_ outcome: DynamoDBCall.Outcome) throws(StoreFailure) {
        let answer = try store.answer(outcome)
        rounds += 1
        for json in answer["Items"]?.arrayValue ?? [] {
            let item = try store.item(json)
            if item.exists(at: now) { items.append(item) }
        }
        if items.count > query.limit {
            items.removeLast(items.count - query.limit)
            after = items.last?.key.sort
            isComplete = true
        } else if let last = answer["LastEvaluatedKey"] {
            guard let key = StoredItem.key(in: last) else { throw store.failures.unreadable }
            after = key.sort
            isComplete = items.count == query.limit || rounds == Self.roundsMax
        } else {
            after = nil
            isComplete = true
        }
    }

    private var request: JSON {
        var expression = Expression()
        var condition =
            "\(expression.name(StoredItem.partition)) = "
            + expression.value(Attribute.text(query.partition).stored)
        // DynamoDB refuses an empty value for a key attribute.
        if !query.prefix.isEmpty {
            condition +=
                " AND begins_with(\(expression.name(StoredItem.sort)), "
                + "\(expression.value(Attribute.text(query.prefix).stored)))"
        }
        let missing = query.limit - items.count
        let limit = rounds == 0 ? missing : max(missing, Self.itemsPerLaterRoundMin)
        var members: [(String, JSON)] = [
            ("TableName", .string(store.table)), ("ConsistentRead", true),
            ("Limit", .number(limit)), ("KeyConditionExpression", .string(condition)),
        ]
        if let after {
            members.append(("ExclusiveStartKey", StoredItem.key(ItemKey(query.partition, after))))
        }
        return .object(JSONObject(members + expression.members))
    }
}
