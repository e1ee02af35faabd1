import KeyValueStore

/// A store that can save and restore its rows.
final class SnapshotStore: KeyValueStore, @unchecked Sendable {
    var items: [ItemKey: Item] = [:]
    /// Runs once, before the next write.
    var beforeWrite: (() -> Void)?
    private let ignoresConditions: Bool

    init(ignoresConditions: Bool) { self.ignoresConditions = ignoresConditions }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        CountedRead(
            items: keys.map { items[$0] }, sums: counters.map { _ in 1 },
            page: try query.map { query throws(StoreFailure) in try self.query(query) })
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        let found = items.values.filter {
            $0.key.partition == query.partition && $0.key.sort.hasPrefix(query.prefix)
        }
        return Page(items: found.sorted { $0.key.sort < $1.key.sort }, next: nil)
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        if let others = beforeWrite {
            beforeWrite = nil
            others()
        }
        for write in writes where !ignoresConditions {
            let item = items[write.key]
            guard write.conditions.allSatisfy({ $0.holds(for: item) }) else {
                throw .conditionFailed
            }
        }
        for write in writes {
            switch write {
            case .put(let item, _): items[item.key] = item
            case .delete(let key, _): items[key] = nil
            case .check: break
            }
        }
    }
}
