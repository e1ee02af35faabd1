internal import Synchronization
package import Time

/// `memory:`, for tests and simulations: exact, and empty again when the process ends.
///
/// Nothing is ever swept: a simulation that steps its clock back finds again what had expired.
package final class MemoryStore: KeyValueStore {
    private let clock: WallClock
    /// By partition, by key; a partition is its UTF-8 bytes.
    private let partitions = Mutex<[[UInt8]: [ItemKey: Item]]>([:])

    package init(clock: WallClock) { self.clock = clock }

    package func get(_ keys: [ItemKey]) throws(StoreFailure) -> [Item?] {
        try StoreLimits.check(reading: keys)
        let now = clock.now()
        return partitions.withLock { partitions in
            keys.map { partitions.item($0, at: now) }
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        let now = clock.now()
        let partition = partitions.withLock { $0[Array(query.partition.utf8)] ?? [:] }
        let matching = partition.values
            .filter { item in
                let sort = item.key.sort.utf8
                return item.exists(at: now) && sort.starts(with: query.prefix.utf8)
                    && query.after.map { $0.utf8.lexicographicallyPrecedes(sort) } ?? true
            }
            .sorted { $0.key.sort.utf8.lexicographicallyPrecedes($1.key.sort.utf8) }
        let items = Array(matching.prefix(query.limit))
        return Page(
            items: items, next: items.count < matching.count ? items.last?.key.sort : nil)
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try StoreLimits.check(writing: writes)
        let now = clock.now()
        try partitions.withLock { partitions throws(StoreFailure) in
            for write in writes {
                let item = partitions.item(write.key, at: now)
                guard write.conditions.allSatisfy({ $0.holds(for: item) }) else {
                    throw .conditionFailed
                }
            }
            for write in writes {
                switch write {
                case .put(let item, _): partitions.set(item.key, to: item)
                case .delete(let key, _): partitions.set(key, to: nil)
                case .check: break
                }
            }
        }
    }

    package func increment(_ key: ItemKey, by amount: Int64, expiresAt: Instant)
        throws(StoreFailure) -> Int64
    {
        try StoreLimits.check(key)
        let now = clock.now()
        return try partitions.withLock { partitions throws(StoreFailure) in
            let (item, sum) = try Item.incremented(
                partitions.item(key, at: now), key, by: amount, expiresAt: expiresAt)
            partitions.set(key, to: item)
            return sum
        }
    }
}

extension [[UInt8]: [ItemKey: Item]] {
    fileprivate func item(_ key: ItemKey, at now: Instant) -> Item? {
        guard let item = self[Array(key.partition.utf8)]?[key], item.exists(at: now) else {
            return nil
        }
        return item
    }

    fileprivate mutating func set(_ key: ItemKey, to item: Item?) {
        self[Array(key.partition.utf8), default: [:]][key] = item
    }
}
