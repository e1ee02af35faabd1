internal import Synchronization
package import Time

/// `memory:`, for tests and simulations: the state is lost when the process ends.
///
/// Expired items are never removed, so a simulation that sets its clock back finds them again.
package final class MemoryStore: KeyValueStore {
    private let clock: WallClock
    /// The items by partition (as UTF-8 bytes), then by key.
    private let partitions = Mutex<[[UInt8]: [ItemKey: Item]]>([:])

    package init(clock: WallClock) { self.clock = clock }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try StoreLimits.check(reading: keys, counting: counters, listing: query)
        let now = clock.now()
        return try partitions.withLock { partitions throws(StoreFailure) in
            var counted: [Item] = []
            var sums: [Int64] = []
            for counter in counters {
                let (item, sum) = try counter.added(to: partitions.item(counter.key, at: now))
                counted.append(item)
                sums.append(sum)
            }
            for item in counted { partitions.set(item.key, to: item) }
            return CountedRead(
                items: keys.map { partitions.item($0, at: now) }, sums: sums,
                page: query.map { partitions.page($0, at: now) })
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try StoreLimits.check(query)
        let now = clock.now()
        return partitions.withLock { $0.page(query, at: now) }
    }

    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        let last = after.map { Array($0.partition.utf8) } ?? []
        return partitions.withLock { partitions in
            let matching = partitions.compactMap { name, items in
                name.starts(with: prefix.utf8) && last.lexicographicallyPrecedes(name)
                    ? items.keys.first : nil
            }
            .sorted { $0.partition.utf8.lexicographicallyPrecedes($1.partition.utf8) }
            let keys = Array(matching.prefix(StoreLimits.partitionsPerPageMax))
            return PartitionPage(
                keys: keys, next: keys.count < matching.count ? keys.last : nil)
        }
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
}

extension [[UInt8]: [ItemKey: Item]] {
    fileprivate func item(_ key: ItemKey, at now: Instant) -> Item? {
        guard let item = self[Array(key.partition.utf8)]?[key], item.exists(at: now) else {
            return nil
        }
        return item
    }

    fileprivate func page(_ query: PartitionQuery, at now: Instant) -> Page {
        let partition = self[Array(query.partition.utf8)] ?? [:]
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

    fileprivate mutating func set(_ key: ItemKey, to item: Item?) {
        self[Array(key.partition.utf8), default: [:]][key] = item
    }
}
