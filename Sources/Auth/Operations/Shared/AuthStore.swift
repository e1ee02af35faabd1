package import KeyValueStore
package import Time

/// The store as operations use it: failures are translated to `AuthError`, and items are found by
/// key.
package struct AuthStore: Sendable {
    private let port: any KeyValueStore

    package init(_ port: any KeyValueStore) { self.port = port }

    func measured(by meter: StoreMeter) -> AuthStore { AuthStore(MeasuredStore(port, meter)) }

    package func get(_ key: ItemKey) throws(AuthError) -> Item? { try get([key])[key] }

    package func get(_ keys: [ItemKey]) throws(AuthError) -> ReadItems {
        try read(keys).items
    }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement] = [],
        listing query: PartitionQuery? = nil
    ) throws(AuthError) -> StoreRead {
        let read = try translated { () throws(StoreFailure) in
            try port.read(keys, counting: counters, listing: query)
        }
        return StoreRead(items: ReadItems(keys, read.items), sums: read.sums, page: read.page)
    }

    package func query(_ query: PartitionQuery) throws(AuthError) -> Page {
        try translated { () throws(StoreFailure) in try port.query(query) }
    }

    /// Reads all pages of a query: a page may be short, even empty, without being the last (a store
    /// may still have expired items). The newest item may be on the last page.
    ///
    /// - Parameter first: the first page, if it was already read.
    package func everyItem(
        of query: PartitionQuery, first: Page? = nil, pagesMax: Int = 64
    ) throws(AuthError) -> [Item] {
        var items: [Item] = []
        var query = query
        if let first {
            items = first.items
            guard let next = first.next else { return items }
            query.after = next
        }
        for _ in 0..<pagesMax {
            let page = try self.query(query)
            items += page.items
            guard let next = page.next else { return items }
            query.after = next
        }
        throw .unavailable(.store)
    }

    func partitions(
        withPrefix prefix: String, after: ItemKey?
    ) throws(AuthError) -> PartitionPage {
        try translated { () throws(StoreFailure) in
            try port.partitions(withPrefix: prefix, after: after)
        }
    }

    func increment(
        _ key: ItemKey, by amount: Int64, expiresAt: Instant
    ) throws(AuthError) -> Int64 {
        try translated { () throws(StoreFailure) in
            try port.increment(key, by: amount, expiresAt: expiresAt)
        }
    }

    /// Performs writes whose conditions normally hold.
    package func write(_ writes: [Write]) throws(AuthError) {
        try translated { () throws(StoreFailure) in try port.write(writes) }
    }

    /// Performs conditional writes; false if a condition does not hold.
    package func attempt(_ writes: [Write]) throws(AuthError) -> Bool {
        do throws(AuthError) {
            try write(writes)
            return true
        } catch .unavailable(.contention) {
            return false
        }
    }

    func removeExpired(max: Int) throws(AuthError) -> Int {
        try translated { () throws(StoreFailure) in try port.removeExpired(max: max) }
    }

    /// Throws the store's own error, for the operator.
    package func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try port.probe(key, at: now)
    }
}

package struct StoreRead: Sendable {
    package let items: ReadItems
    package let sums: [Int64]
    /// Set if a page was requested.
    package let page: Page?
}

/// Decodes stored items: `try decoded(PasswordRecord.hash(item))`.
func decoded<Value>(
    _ value: @autoclosure () throws(StoreFailure) -> Value
) throws(AuthError) -> Value {
    try translated(value)
}

private func translated<Value>(
    _ call: () throws(StoreFailure) -> Value
) throws(AuthError) -> Value {
    do {
        return try call()
    } catch {
        switch error {
        case .conditionFailed: throw .unavailable(.contention)
        case .unavailable: throw .unavailable(.store)
        case .refused: throw .fault(.storeRefused)
        case .unreadable: throw .fault(.storedDataUnreadable)
        }
    }
}
