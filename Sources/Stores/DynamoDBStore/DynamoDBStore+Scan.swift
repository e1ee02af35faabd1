internal import AWSClients
internal import JSON
package import KeyValueStore
internal import Time

extension DynamoDBStore {
    /// Items in DynamoDB's order, for tools. Needs the permission `dynamodb:Scan`, which no
    /// function has.
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
}
