internal import KeyValueStore
internal import Synchronization
internal import Time

/// What the reads of one request cost on DynamoDB, as in the documentation of `KeyValueStore`.
package final class ReadMeter: Sendable {
    private let total = Atomic<Int>(0)
    private static let unitBytes = 4096

    package init() {}

    package var units: Int { total.load(ordering: .relaxed) }

    fileprivate func add(_ items: [Item]) {
        let bytes = items.reduce(0) { $0 + StoreLimits.byteCount(of: $1) }
        total.add(max(1, (bytes + Self.unitBytes - 1) / Self.unitBytes), ordering: .relaxed)
    }
}

/// Forwards every call, and counts the reads.
struct MeasuredStore: KeyValueStore {
    private let inner: any KeyValueStore
    private let meter: ReadMeter

    init(_ inner: any KeyValueStore, _ meter: ReadMeter) {
        self.inner = inner
        self.meter = meter
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        let read = try inner.read(keys, counting: counters, listing: query)
        for item in read.items { meter.add([item].compactMap(\.self)) }
        if let page = read.page { meter.add(page.items) }
        return read
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        let page = try inner.query(query)
        meter.add(page.items)
        return page
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    { try inner.partitions(withPrefix: prefix, after: after) }

    func write(_ writes: [Write]) throws(StoreFailure) { try inner.write(writes) }

    func removeExpired(max: Int) throws(StoreFailure) -> Int { try inner.removeExpired(max: max) }

    func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try inner.probe(key, at: now)
    }
}
