internal import JSON

extension DynamoDBService {
    func getItem(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let name = try reader.tableName(minLength: 1)
        let keyObject = try reader.requiredObject("Key")
        let isConsistent = try reader.bool("ConsistentRead") ?? false
        let read = try ReadRequest(&reader)
        let detail = try reader.returnConsumedCapacity()
        try reader.finish()
        let key = try WireReader.map(.object(keyObject))
        let projection = try read.projection()
        let bytes = try withTables { tables throws(DynamoDBError) in
            let table = try tables.table(name)
            return try tables.store.value(table.space.key(table.key(key).bytes))
        }
        var item: AttributeMap?
        if let bytes { item = try Tables.decode(bytes) }
        var answer = DynamoDBResponseWriter()
        answer.member("Item", item.map { projection?.applied(to: $0) ?? $0 })
        if detail != .none {
            var capacity = Capacity(name)
            capacity.read(item.map(ItemSize.of) ?? 0, isConsistent: isConsistent)
            answer.member("ConsumedCapacity", capacity.json(detail))
        }
        return answer.finished()
    }
}
