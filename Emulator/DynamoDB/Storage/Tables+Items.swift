extension Tables {
    func item(_ key: DynamoDBItemKey, in table: TableDefinition) throws(DynamoDBError)
        -> AttributeMap?
    {
        guard let bytes = try store.value(table.space.key(key.bytes)) else { return nil }
        return try Self.decode(bytes)
    }

    static func decode(_ bytes: [UInt8]) throws(DynamoDBError) -> AttributeMap {
        guard let item = DynamoDBItemCodec.decode(bytes) else {
            throw .storage("a stored item cannot be read")
        }
        return item
    }

    /// Replaces `old` by `new` in the table and in all derived rows. Nil means no item. Must be
    /// called in a transaction.
    mutating func replace(
        _ old: AttributeMap?, with new: AttributeMap?, at key: DynamoDBItemKey,
        in table: TableDefinition
    ) throws(DynamoDBError) {
        let row = table.space.key(key.bytes)
        noteWriter(of: row, isDeleted: new == nil)
        if let new {
            let bytes = DynamoDBItemCodec.encode(new)
            try store.put(row, bytes)
            if isMeasured(table.space) {
                remeasure(
                    table.space, old: old.map { DynamoDBItemCodec.encode($0).count },
                    new: bytes.count)
            }
        } else if let old {
            try store.delete(row)
            if isMeasured(table.space) {
                remeasure(table.space, old: DynamoDBItemCodec.encode(old).count, new: nil)
            }
        }
        for index in table.indexes {
            try replace(
                old.flatMap { index.row(of: $0, key, in: table) },
                with: new.flatMap { index.row(of: $0, key, in: table) }, in: index.space)
        }
        if let timeToLive = table.timeToLive {
            try replace(
                old.flatMap { timeToLive.row(of: $0, key) },
                with: new.flatMap { timeToLive.row(of: $0, key) }, in: timeToLive.space)
        }
    }

    private mutating func replace(
        _ old: DerivedRow?, with new: DerivedRow?, in space: Keyspace
    ) throws(DynamoDBError) {
        if let old, old.key != new?.key { try store.delete(old.key) }
        if let new, new.key != old?.key || new.value != old?.value {
            try store.put(new.key, new.value)
        }
        remeasure(space, old: old?.value.count, new: new?.value.count)
    }

    /// Fills a new index, or the expiry rows, from the existing items.
    func derive(
        from table: TableDefinition, _ row: (AttributeMap, DynamoDBItemKey) -> DerivedRow?
    ) throws(DynamoDBError) {
        // The items are read in pages, because the reading statement must not see its own changes.
        var range = table.space.all
        let prefixCount = table.space.prefix.count
        while true {
            var page: [(key: [UInt8], value: [UInt8])] = []
            try store.read(range) { key, value in
                page.append((key, value))
                return page.count < 1000
            }
            guard let last = page.last else { return }
            for entry in page {
                let key = DynamoDBItemKey(bytes: Array(entry.key.dropFirst(prefixCount)))
                if let row = row(try Self.decode(entry.value), key) {
                    try store.put(row.key, row.value)
                }
            }
            range.resume(after: last.key, isAscending: true)
        }
    }
}
