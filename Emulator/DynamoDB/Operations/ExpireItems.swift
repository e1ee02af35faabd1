package import Time

extension DynamoDBService {
    /// Deletes items that have expired by `now`, at most `itemsMax`, and returns their number. Call
    /// this periodically, because the service has no thread of its own.
    @discardableResult
    package func expireNow(at now: Instant, itemsMax: Int = .max) throws(DynamoDBError) -> Int {
        var left = itemsMax
        let expiring = try withTables { tables throws(DynamoDBError) in
            tables.definitions.values.filter { $0.timeToLive != nil }.map(\.name)
        }
        for name in expiring {
            // The items are deleted in small batches, so that other requests are not blocked for
            // long.
            while left > 0 {
                let count = try withTables { tables throws(DynamoDBError) in
                    try Self.expire(name, at: now, itemsMax: min(left, 100), in: &tables)
                }
                guard count > 0 else { break }
                left -= count
            }
        }
        return itemsMax - left
    }

    private static func expire(
        _ name: String, at now: Instant, itemsMax: Int, in tables: inout Tables
    ) throws(DynamoDBError) -> Int {
        guard let table = tables.definitions[name], let timeToLive = table.timeToLive else {
            return 0
        }
        let space = timeToLive.space
        let oldest = max(0, (now - TimeToLive.ignoredAge).seconds)
        let range = KeyRange(
            lower: space.key(TimeToLive.bytes(oldest)),
            upper: space.key(TimeToLive.bytes(max(0, now.seconds + 1))))
        var keys: [DynamoDBItemKey] = []
        try tables.store.read(range) { row, _ in
            keys.append(DynamoDBItemKey(bytes: Array(row.dropFirst(space.prefix.count + 8))))
            return keys.count < itemsMax
        }
        guard !keys.isEmpty else { return 0 }
        try tables.transaction { tables throws(DynamoDBError) in
            for key in keys {
                guard let item = try tables.item(key, in: table) else { continue }
                try tables.replace(item, with: nil, at: key, in: table)
            }
        }
        return keys.count
    }
}
