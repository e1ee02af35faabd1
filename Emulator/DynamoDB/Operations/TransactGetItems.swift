internal import JSON

extension DynamoDBService {
    /// A transaction has at least one action.
    static let actionsCount = 1...100

    func transactGetItems(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let items = try reader.requiredArray("TransactItems")
        let detail = try reader.returnConsumedCapacity()
        reader.checkCount(of: items, "TransactItems", Self.actionsCount)
        var parts: [(table: String, key: JSONObject, read: ReadRequest)] = []
        for (index, item) in items.enumerated() {
            let item = reader.part(
                try WireReader.object(item), "transactItems.\(index + 1).member")
            var get = item.part(try item.object("Get") ?? JSONObject(), "get")
            let table = try get.tableName()
            parts.append((table, try get.requiredObject("Key"), try ReadRequest(&get)))
            reader.include(get)
        }
        try reader.finish()
        var gets: [(table: String, key: AttributeMap, projection: Projection?)] = []
        for part in parts {
            gets.append(
                (
                    part.table, try WireReader.map(.object(part.key)),
                    try part.read.projection()
                ))
        }
        let values = try withTables { tables throws(DynamoDBError) in
            var seen: Set<[UInt8]> = []
            var values: [[UInt8]?] = []
            for (index, get) in gets.enumerated() {
                let table = try tables.table(get.table)
                let key: DynamoDBItemKey
                do throws(DynamoDBError) {
                    key = try table.key(get.key)
                } catch .validation(let reason) {
                    throw .transactionCanceled(
                        gets.indices.map { $0 == index ? .validationError(reason) : .none })
                }
                let row = table.space.key(key.bytes)
                guard seen.insert(row).inserted else { throw .severalOperationsOnOneItem }
                values.append(try tables.store.value(row))
            }
            return values
        }
        var found: [AttributeMap?] = []
        var capacities: [Capacity] = []
        for (get, value) in zip(gets, values) {
            let item = try value.map { bytes throws(DynamoDBError) in try Tables.decode(bytes) }
            found.append(item.map { get.projection?.applied(to: $0) ?? $0 })
            let known = capacities.firstIndex { $0.tableName == get.table }
            if known == nil { capacities.append(Capacity(get.table)) }
            capacities[known ?? capacities.count - 1].read(
                item.map(ItemSize.of) ?? 0, isConsistent: true, isTransaction: true)
        }
        var answer = Self.answer(found)
        if detail != .none {
            answer.member("ConsumedCapacity", .array(capacities.compactMap { $0.json(detail) }))
        }
        return answer.finished()
    }

    private static func answer(_ items: [AttributeMap?]) -> DynamoDBResponseWriter {
        var answer = DynamoDBResponseWriter()
        answer.member("Responses") { wire in
            wire.array(items) { wire, item in
                var response = DynamoDBResponseWriter()
                response.member("Item", item)
                wire.raw(response.finished())
            }
        }
        return answer
    }
}

extension DynamoDBError {
    static let severalOperationsOnOneItem = DynamoDBError.validation(
        "Transaction request cannot include multiple operations on one item")
}
