internal import JSON

extension DynamoDBService {
    private static let batchWritesMax = 25

    func batchWriteItem(
        _ request: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> JSON {
        var reader = request
        let items = try reader.requiredObject("RequestItems")
        let detail = try reader.returnConsumedCapacity()
        _ = try reader.word("ReturnItemCollectionMetrics", ["SIZE", "NONE"])
        if items.isEmpty, reader.has("RequestItems") {
            throw .validation("The requestItems parameter is required for BatchWriteItem")
        }
        var writes: [(table: String, kind: WriteAction.Kind, subject: JSON)] = []
        for member in items.members {
            reader.checkName(member.name, "RequestItems")
            reader.checkValueCount(
                of: try WireReader.array(member.value), member.name, "RequestItems",
                Self.batchWritesMax)
            for write in try WireReader.array(member.value) {
                writes.append(try Self.write(WireReader.object(write), member.name, &reader))
            }
        }
        try reader.finish()
        guard writes.count <= Self.batchWritesMax else {
            throw .validation("Too many items requested for the BatchWriteItem call")
        }
        var actions: [WriteAction] = []
        for write in writes {
            let action = WriteAction(
                kind: write.kind, tableName: write.table,
                subject: try WireReader.map(write.subject), condition: nil, update: nil,
                returnsItemOnFailure: false)
            try action.checkSize()
            actions.append(action)
        }
        let capacities = try withTables(from: origin) { tables throws(DynamoDBError) in
            try Self.perform(actions, on: &tables)
        }
        var members: [(String, JSON)] = [("UnprocessedItems", [:])]
        if detail != .none {
            members.append(("ConsumedCapacity", .array(capacities.compactMap { $0.json(detail) })))
        }
        return .object(JSONObject(members))
    }

    private static func write(
        _ object: JSONObject, _ table: String, _ reader: inout RequestReader
    ) throws(DynamoDBError) -> (table: String, kind: WriteAction.Kind, subject: JSON) {
        let part = reader.part(object, "requestItems.\(table).member")
        let put = try part.object("PutRequest")
        let delete = try part.object("DeleteRequest")
        switch (put, delete) {
        case (let put?, nil):
            var part = part.part(put, "putRequest")
            let item = try part.requiredObject("Item")
            reader.include(part)
            return (table, .put, .object(item))
        case (nil, let delete?):
            var part = part.part(delete, "deleteRequest")
            let key = try part.requiredObject("Key")
            reader.include(part)
            return (table, .delete, .object(key))
        default:
            throw .validation(
                "Supplied WriteRequest must contain exactly one of PutRequest or DeleteRequest")
        }
    }

    private static func perform(_ actions: [WriteAction], on tables: inout Tables)
        throws(DynamoDBError) -> [Capacity]
    {
        var places: [(action: WriteAction, table: TableDefinition, key: DynamoDBItemKey)] = []
        var seen: Set<[UInt8]> = []
        for action in actions {
            let table = try tables.table(action.tableName)
            let key = try action.key(in: table)
            guard seen.insert(table.space.key(key.bytes)).inserted else {
                throw .validation("Provided list of item keys contains duplicates")
            }
            places.append((action, table, key))
        }
        return try tables.transaction { tables throws(DynamoDBError) in
            var capacities: [Capacity] = []
            for (action, table, key) in places {
                let old = try tables.item(key, in: table)
                let new = try action.result(old, in: table)
                try tables.replace(old, with: new, at: key, in: table)
                let known = capacities.firstIndex { $0.tableName == table.name }
                if known == nil { capacities.append(Capacity(table.name)) }
                capacities[known ?? capacities.count - 1].write(old, new, in: table)
            }
            return capacities
        }
    }
}
