internal import AWSClients
internal import JSON
package import KeyValueStore
internal import Time

extension DynamoDBStore {
    /// Items in DynamoDB's order, for tools. Needs the permission `dynamodb:Scan` for whole items,
    /// which no function has.
    package func scan(after key: ItemKey?, limit: Int) throws(StoreFailure)
        -> (items: [Item], next: ItemKey?)
    {
        let now = clock.now()
        var body: JSONObject = [
            "TableName": .string(table), "ConsistentRead": true, "Limit": .number(limit),
        ]
        if let key { body["ExclusiveStartKey"] = StoredItem.key(key) }
        let request = AWSCall("Scan", .object(body))
        let answer = try answer(Result { () throws(AWSFailure) in try call.send(request) })
        var items: [Item] = []
        for json in answer["Items"]?.arrayValue ?? [] {
            let item = try item(json)
            if item.exists(at: now) { items.append(item) }
        }
        return (items, answer["LastEvaluatedKey"].flatMap(StoredItem.key(in:)))
    }

    /// Requests only the keys, so that a function's permission can be limited to them
    /// (`dynamodb:Attributes`).
    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        var expression = Expression()
        let name = expression.name(StoredItem.partition)
        let sort = expression.name(StoredItem.sort)
        let value = expression.value(Attribute.text(prefix).stored)
        var members: [(String, JSON)] = [
            ("TableName", .string(table)), ("Select", "SPECIFIC_ATTRIBUTES"),
            ("ProjectionExpression", .string("\(name), \(sort)")),
            ("FilterExpression", .string("begins_with(\(name), \(value))")),
        ]
        if let after { members.append(("ExclusiveStartKey", StoredItem.key(after))) }
        let answer = try perform("Scan", .object(JSONObject(members + expression.members)))
        var keys: [ItemKey] = []
        for json in answer["Items"]?.arrayValue ?? [] {
            guard let key = StoredItem.key(in: json) else { throw failures.unreadable }
            // The items of a partition follow each other, even across pages. The last key stands
            // for its partition: a page after it begins there.
            if keys.last?.hasPartition(of: key) == true { keys.removeLast() }
            if after?.hasPartition(of: key) != true { keys.append(key) }
        }
        return PartitionPage(
            keys: keys, next: answer["LastEvaluatedKey"].flatMap(StoredItem.key(in:)))
    }
}

extension ItemKey {
    fileprivate func hasPartition(of other: ItemKey) -> Bool {
        partition.utf8.elementsEqual(other.partition.utf8)
    }
}
