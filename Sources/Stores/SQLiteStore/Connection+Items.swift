internal import Bytes
internal import KeyValueStore
internal import Time

extension Connection {
    func item(_ key: ItemKey, at now: Instant) throws(StoreFailure) -> Item? {
        var item: Item?
        try statement(.get).run([
            .utf8(key.partition), .utf8(key.sort),
            .integer(now.milliseconds),
        ]) { row throws(StoreFailure) in
            item = try self.item(key, expires: row.integerOrNull(0), attributes: row.blob(1))
        }
        return item
    }

    func items(_ keys: [ItemKey], at now: Instant) throws(StoreFailure) -> [Item?] {
        var items: [Item?] = []
        for key in keys { items.append(try item(key, at: now)) }
        return items
    }

    func page(_ query: PartitionQuery?, at now: Instant) throws(StoreFailure) -> Page? {
        try query.map { query throws(StoreFailure) in try page(query, at: now) }
    }

    func page(_ query: PartitionQuery, at now: Instant) throws(StoreFailure) -> Page {
        // One row more than requested, to learn whether there is a next page.
        var items = try items(query, at: now, rowsMax: query.limit + 1)
        guard items.count > query.limit else { return Page(items: items, next: nil) }
        items.removeLast()
        return Page(items: items, next: items.last?.key.sort)
    }

    /// Reads without counters.
    func read(
        _ keys: [ItemKey], _ query: PartitionQuery?, _ now: Instant
    ) throws(StoreFailure) -> CountedRead {
        // A single statement needs no explicit transaction.
        if keys.count + (query == nil ? 0 : 1) < 2 {
            return CountedRead(
                items: try items(keys, at: now), sums: [], page: try page(query, at: now))
        }
        return try transaction(.reading) { () throws(StoreFailure) in
            CountedRead(
                items: try items(keys, at: now), sums: [], page: try page(query, at: now))
        }
    }

    private func items(_ query: PartitionQuery, at now: Instant, rowsMax: Int) throws(StoreFailure)
        -> [Item]
    {
        // The smallest key after `after`, and the smallest key beyond the prefix: UTF-8 does not
        // contain the byte 0xFF, so the last byte can always be incremented.
        let lower = query.after.map { Array($0.utf8) + [0] } ?? Array(query.prefix.utf8)
        var upper = Array(query.prefix.utf8)
        upper.append((upper.popLast() ?? 0xFE) + 1)
        var items: [Item] = []
        try statement(.query).run([
            .utf8(query.partition), .blob(lower), .blob(upper),
            .integer(now.milliseconds), .integer(Int64(rowsMax)),
        ]) { row throws(StoreFailure) in
            // The compiler (6.3.1) crashes on a `try` inside the expression that has the span.
            let bytes = try row.blob(0)
            guard let sort = String(checkingUTF8: bytes.span) else {
                throw failures.unreadable("a stored sort key is not text")
            }
            items.append(
                try item(
                    ItemKey(query.partition, sort), expires: row.integerOrNull(1),
                    attributes: row.blob(2)))
        }
        return items
    }

    func items(
        after key: ItemKey?, at now: Instant, limit: Int
    ) throws(StoreFailure) -> [Item] {
        var items: [Item] = []
        // The name of a partition is never empty, so an empty name comes before all partitions.
        try statement(.scan).run([
            .utf8(key?.partition ?? ""), .utf8(key?.sort ?? ""), .integer(now.milliseconds),
            .integer(Int64(limit)),
        ]) { row throws(StoreFailure) in
            items.append(
                try item(
                    self.key(row.blob(0), row.blob(1)), expires: row.integerOrNull(2),
                    attributes: row.blob(3)))
        }
        return items
    }

    /// One search of the index for each partition, however many items it has.
    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        var end = Array(prefix.utf8)
        end.append((end.popLast() ?? 0xFE) + 1)
        var keys: [ItemKey] = []
        // The name of a partition is never empty, so an empty name comes before all partitions.
        var last = after?.partition ?? ""
        while keys.count < StoreLimits.partitionsPerPageMax {
            var found: ItemKey?
            try statement(.nextPartition).run([.utf8(last), .utf8(prefix), .blob(end)]) {
                row throws(StoreFailure) in
                found = try self.key(row.blob(0), row.blob(1))
            }
            guard let found else { return PartitionPage(keys: keys, next: nil) }
            keys.append(found)
            last = found.partition
        }
        return PartitionPage(keys: keys, next: keys.last)
    }

    private func key(_ partition: [UInt8], _ sort: [UInt8]) throws(StoreFailure) -> ItemKey {
        guard let partition = String(checkingUTF8: partition.span),
            let sort = String(checkingUTF8: sort.span)
        else { throw failures.unreadable("a stored key is not text") }
        return ItemKey(partition, sort)
    }

    func perform(_ write: Write) throws(StoreFailure) {
        switch write {
        case .put(let item, _): try put(item)
        case .delete(let key, _):
            try statement(.delete).run([
                .utf8(key.partition), .utf8(key.sort),
            ])
        case .check: break
        }
    }

    func put(_ item: Item) throws(StoreFailure) {
        try statement(.put).run([
            .utf8(item.key.partition), .utf8(item.key.sort),
            item.expiresAt.map { .integer($0.milliseconds) } ?? .null,
            .blob(ItemCodec.encode(item.attributes)),
        ])
    }

    private func item(_ key: ItemKey, expires: Int64?, attributes: [UInt8]) throws(StoreFailure)
        -> Item
    {
        guard let attributes = ItemCodec.decode(attributes) else {
            throw failures.unreadable("a stored item cannot be read")
        }
        return Item(key, attributes, expiresAt: expires.map(Instant.init(milliseconds:)))
    }
}
