internal import JSON

extension DynamoDBService {
    private static let batchKeysMax = 100
    private static let answerBytesMax = 16 << 20

    private struct BatchRead {
        let tableName: String
        let keys: [AttributeMap]
        let projection: Projection?
        let isConsistent: Bool
        /// The other parameters for this table, returned with its unprocessed keys.
        let parameters: JSONObject
    }

    func batchGetItem(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let items = try reader.requiredObject("RequestItems")
        let detail = try reader.returnConsumedCapacity()
        if items.isEmpty, reader.has("RequestItems") {
            throw .validation("The requestItems parameter is required for BatchGetItem")
        }
        var parts: [(name: String, keys: [JSON], read: ReadRequest, isConsistent: Bool)] = []
        for member in items.members {
            var part = reader.part(
                try WireReader.object(member.value), "requestItems.\(member.name).member")
            reader.checkName(member.name, "RequestItems")
            let keys = try part.requiredArray("Keys")
            if keys.count > Self.batchKeysMax {
                throw .validation(
                    "1 validation error detected: Value at "
                        + "'RequestItems.\(member.name).member.Keys' failed to satisfy "
                        + "constraint: Member must have length less than or equal to "
                        + "\(Self.batchKeysMax)")
            }
            part.checkCount(of: keys, "Keys", 1...Self.batchKeysMax)
            let isConsistent = try part.bool("ConsistentRead") ?? false
            parts.append((member.name, keys, try ReadRequest(&part), isConsistent))
            reader.include(part)
        }
        try reader.finish()
        guard parts.reduce(0, { $0 + $1.keys.count }) <= Self.batchKeysMax else {
            throw .validation("Too many items requested for the BatchGetItem call")
        }
        var reads: [BatchRead] = []
        for part in parts {
            var parameters = items[part.name]?.objectValue ?? JSONObject()
            parameters["Keys"] = nil
            var keys: [AttributeMap] = []
            for key in part.keys { keys.append(try WireReader.map(key)) }
            reads.append(
                BatchRead(
                    tableName: part.name, keys: keys, projection: try part.read.projection(),
                    isConsistent: part.isConsistent, parameters: parameters))
        }
        return try batchGetItem(reads, detail)
    }

    private func batchGetItem(_ reads: [BatchRead], _ detail: CapacityDetail) throws(DynamoDBError)
        -> [UInt8]
    {
        let found = try withTables { tables throws(DynamoDBError) in
            try Self.values(of: reads, in: tables)
        }
        var bytesLeft = Self.answerBytesMax
        var unprocessed: [(String, JSON)] = []
        var capacities: [JSON] = []
        var responses: [(name: String, items: [AttributeMap])] = []
        for (read, values) in zip(reads, found) {
            var capacity = Capacity(read.tableName)
            var items: [AttributeMap] = []
            var left: [JSON] = []
            for (key, value) in zip(read.keys, values) {
                guard bytesLeft > 0 else {
                    left.append(key.json)
                    continue
                }
                let item = try value.map { bytes throws(DynamoDBError) in try Tables.decode(bytes) }
                capacity.read(item.map(ItemSize.of) ?? 0, isConsistent: read.isConsistent)
                guard let item else { continue }
                bytesLeft -= ItemSize.of(item)
                items.append(read.projection?.applied(to: item) ?? item)
            }
            responses.append((read.tableName, items))
            if let json = capacity.json(detail) { capacities.append(json) }
            if !left.isEmpty {
                var parameters = read.parameters
                parameters["Keys"] = .array(left)
                unprocessed.append((read.tableName, .object(parameters)))
            }
        }
        var answer = DynamoDBResponseWriter()
        answer.member("Responses") { wire in
            var tables = DynamoDBResponseWriter()
            for response in responses {
                tables.member(response.name) { $0.array(response.items) { $0.map($1) } }
            }
            wire.raw(tables.finished())
        }
        answer.member("UnprocessedKeys", .object(JSONObject(unprocessed)))
        answer.member("ConsumedCapacity", detail == .none ? nil : .array(capacities))
        return answer.finished()
    }

    /// The stored bytes of each key, in order.
    private static func values(of reads: [BatchRead], in tables: Tables) throws(DynamoDBError)
        -> [[[UInt8]?]]
    {
        var found: [[[UInt8]?]] = []
        for read in reads {
            let table = try tables.table(read.tableName)
            var seen: Set<DynamoDBItemKey> = []
            var values: [[UInt8]?] = []
            for attributes in read.keys {
                let key = try table.key(attributes)
                guard seen.insert(key).inserted else {
                    throw .validation("Provided list of item keys contains duplicates")
                }
                values.append(try tables.store.value(table.space.key(key.bytes)))
            }
            found.append(values)
        }
        return found
    }
}
