package import KeyValueStore
import Synchronization

/// The cost of a number of store calls.
package struct StoreCost: Equatable, Sendable, CustomStringConvertible {
    /// Sequential calls; the parts of one `read` are concurrent.
    package var roundTrips = 0
    package var itemsRead = 0
    package var itemsWritten = 0
    package var counters = 0
    /// The number of synced commits in SQLite.
    package var syncs = 0
    /// DynamoDB's capacity units, as in the documentation of `KeyValueStore`.
    package var readUnits = 0
    package var writeUnits = 0

    package init(
        roundTrips: Int = 0, itemsRead: Int = 0, itemsWritten: Int = 0, counters: Int = 0,
        syncs: Int = 0, readUnits: Int = 0, writeUnits: Int = 0
    ) {
        self.roundTrips = roundTrips
        self.itemsRead = itemsRead
        self.itemsWritten = itemsWritten
        self.counters = counters
        self.syncs = syncs
        self.readUnits = readUnits
        self.writeUnits = writeUnits
    }

    package var description: String {
        "\(roundTrips) round trips, \(itemsRead) items read, \(itemsWritten) written, "
            + "\(counters) counters, \(syncs) syncs, \(readUnits) read units, "
            + "\(writeUnits) write units"
    }
}

/// Forwards calls to a store and adds up their cost, so that a test can compare it with a
/// documented table. Failed calls cost the same.
///
/// Counts the usual case: one round for a counter and for a page of a query, no repeated requests.
/// `StoreLimits` computes the sizes: an upper bound of DynamoDB's sizes.
package final class CountingStore: KeyValueStore {
    private static let readUnitBytes = 4096
    private static let writeUnitBytes = 1024

    private let inner: any KeyValueStore
    private let total = Mutex(StoreCost())
    private let observe: Observe

    /// Receives the units of each item, counter and page, with its partition.
    package typealias Observe = @Sendable (_ partition: String, StoreCost) -> Void

    package init(_ inner: any KeyValueStore, observing observe: @escaping Observe = { _, _ in }) {
        self.inner = inner
        self.observe = observe
    }

    package var cost: StoreCost { total.withLock { $0 } }
    package func forget() { total.withLock { $0 = StoreCost() } }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        guard !keys.isEmpty || !counters.isEmpty || query != nil else {
            return try inner.read(keys, counting: counters)
        }
        add(StoreCost(roundTrips: 1, itemsRead: keys.count, counters: counters.count))
        for counter in counters {
            add(StoreCost(writeUnits: try writeUnits(counter)), at: counter.key.partition)
        }
        let read = try inner.read(keys, counting: counters, listing: query)
        if let page = read.page, let query { add(Self.cost(of: page), at: query.partition) }
        // A duplicate key is read once.
        for key in Set(keys) {
            let item = keys.firstIndex(of: key).flatMap { read.items[$0] }
            add(
                StoreCost(readUnits: Self.readUnits(bytes: Self.byteCount(item))),
                at: key.partition)
        }
        return read
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        let page = try inner.query(query)
        add(StoreCost(roundTrips: 1))
        add(Self.cost(of: page), at: query.partition)
        return page
    }

    /// Without the units of the whole table, which only DynamoDB reads.
    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        add(StoreCost(roundTrips: 1))
        return try inner.partitions(withPrefix: prefix, after: after)
    }

    private static func cost(of page: Page) -> StoreCost {
        let bytes = page.items.reduce(0) { $0 + StoreLimits.byteCount(of: $1) }
        return StoreCost(itemsRead: page.items.count, readUnits: readUnits(bytes: bytes))
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        if !writes.isEmpty { try addCost(of: writes) }
        try inner.write(writes)
    }

    private func addCost(of writes: [Write]) throws(StoreFailure) {
        let before = try inner.get(writes.map(\.key))
        add(StoreCost(roundTrips: 1, syncs: 1))
        for (write, before) in zip(writes, before) {
            var cost = StoreCost()
            let bytesBefore = Self.byteCount(before)
            let isAlone = writes.count == 1
            switch write {
            case .put(let item, _):
                let bytes = max(bytesBefore, StoreLimits.byteCount(of: item))
                cost.itemsWritten += 1
                cost.writeUnits += Self.writeUnits(bytes: bytes) * (isAlone ? 1 : 2)
            case .delete:
                cost.itemsWritten += 1
                cost.writeUnits += Self.writeUnits(bytes: bytesBefore) * (isAlone ? 1 : 2)
            case .check where isAlone:
                cost.itemsRead += 1
                cost.readUnits += Self.readUnits(bytes: bytesBefore)
            case .check:
                cost.itemsRead += 1
                cost.writeUnits += Self.writeUnits(bytes: bytesBefore) * 2
            }
            add(cost, at: write.key.partition)
        }
    }

    private func writeUnits(_ counter: CounterIncrement) throws(StoreFailure) -> Int {
        let before = try inner.get(counter.key)
        let bytes = (try? counter.added(to: before).item).map(StoreLimits.byteCount) ?? 0
        return Self.writeUnits(bytes: max(bytes, Self.byteCount(before)))
    }

    private func add(_ cost: StoreCost, at partition: String) {
        add(cost)
        observe(partition, cost)
    }

    private func add(_ cost: StoreCost) {
        total.withLock { total in
            total.roundTrips += cost.roundTrips
            total.itemsRead += cost.itemsRead
            total.itemsWritten += cost.itemsWritten
            total.counters += cost.counters
            total.syncs += cost.syncs
            total.readUnits += cost.readUnits
            total.writeUnits += cost.writeUnits
        }
    }

    private static func byteCount(_ item: Item?) -> Int {
        item.map(StoreLimits.byteCount) ?? 0
    }

    private static func readUnits(bytes: Int) -> Int {
        max(1, (bytes + readUnitBytes - 1) / readUnitBytes)
    }

    private static func writeUnits(bytes: Int) -> Int {
        max(1, (bytes + writeUnitBytes - 1) / writeUnitBytes)
    }
}
