internal import KeyValueStore
internal import Synchronization
internal import Time

/// The cost of one request's store calls on DynamoDB, as in the documentation of `KeyValueStore`.
/// It reads nothing itself: it knows the item that a write replaces only if the item was read
/// before.
package final class StoreMeter: Sendable {
    package struct Units: Equatable, Sendable {
        /// Read units of 4 KB.
        package fileprivate(set) var read = 0
        /// Write units of 1 KB.
        package fileprivate(set) var written = 0

        package init(read: Int = 0, written: Int = 0) {
            self.read = read
            self.written = written
        }
    }

    private struct State {
        var units = Units()
        var bytes: [ItemKey: Int] = [:]
    }

    private static let readUnitBytes = 4096
    private static let writeUnitBytes = 1024

    private let state = Mutex(State())

    package init() {}

    package var units: Units { state.withLock { $0.units } }

    fileprivate func add(_ keys: [ItemKey], _ items: [Item?]) {
        state.withLock { state in
            var seen: Set<ItemKey> = []
            for (key, item) in zip(keys, items) where seen.insert(key).inserted {
                let bytes = item.map(StoreLimits.byteCount) ?? 0
                state.bytes[key] = bytes
                state.units.read += Self.units(bytes, Self.readUnitBytes)
            }
        }
    }

    fileprivate func add(_ page: Page) {
        state.withLock { state in
            var total = 0
            for item in page.items {
                let bytes = StoreLimits.byteCount(of: item)
                state.bytes[item.key] = bytes
                total += bytes
            }
            state.units.read += Self.units(total, Self.readUnitBytes)
        }
    }

    /// A counter costs one unit, because it is smaller than a unit.
    fileprivate func add(counters: Int) { state.withLock { $0.units.written += counters } }

    fileprivate func add(_ writes: [Write]) {
        let isAlone = writes.count == 1
        state.withLock { state in
            for write in writes {
                let before = state.bytes[write.key] ?? 0
                var after = 0
                switch write {
                case .put(let item, _): after = StoreLimits.byteCount(of: item)
                case .delete: break
                case .check where isAlone:
                    state.units.read += Self.units(before, Self.readUnitBytes)
                    continue
                case .check: after = before
                }
                state.bytes[write.key] = after
                state.units.written +=
                    Self.units(max(before, after), Self.writeUnitBytes) * (isAlone ? 1 : 2)
            }
        }
    }

    private static func units(_ bytes: Int, _ unitBytes: Int) -> Int {
        max(1, (bytes + unitBytes - 1) / unitBytes)
    }
}

/// Forwards every call, and measures it.
struct MeasuredStore: KeyValueStore {
    private let inner: any KeyValueStore
    private let meter: StoreMeter

    init(_ inner: any KeyValueStore, _ meter: StoreMeter) {
        self.inner = inner
        self.meter = meter
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        let read = try inner.read(keys, counting: counters, listing: query)
        meter.add(counters: counters.count)
        meter.add(keys, read.items)
        if let page = read.page { meter.add(page) }
        return read
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        let page = try inner.query(query)
        meter.add(page)
        return page
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    { try inner.partitions(withPrefix: prefix, after: after) }

    /// A write whose condition fails costs the same.
    func write(_ writes: [Write]) throws(StoreFailure) {
        meter.add(writes)
        try inner.write(writes)
    }

    func removeExpired(max: Int) throws(StoreFailure) -> Int { try inner.removeExpired(max: max) }

    func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try inner.probeAfterFailure(key, at: now)
    }

    func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try inner.probe(key, at: now)
    }
}
