import Synchronization

/// A memory store that counts calls and can be made unavailable.
final class SpyStore: KeyValueStore {
    enum Health: Sendable { case up, readOnly, down }

    private struct State {
        var health = Health.up
        var reads = 0
        var puts: [Item] = []
    }

    private let base: MemoryStore
    private let state = Mutex(State())

    init(clock: WallClock) { base = MemoryStore(clock: clock) }

    var health: Health {
        get { state.withLock { $0.health } }
        set { state.withLock { $0.health = newValue } }
    }
    var reads: Int { state.withLock { $0.reads } }
    var puts: [Item] { state.withLock { $0.puts } }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        if !keys.isEmpty { state.withLock { $0.reads += 1 } }
        guard counters.isEmpty ? health != .down : health == .up else {
            throw .unavailable(detail: "down")
        }
        return try base.read(keys, counting: counters, listing: query)
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        guard health != .down else { throw .unavailable(detail: "down") }
        return try base.query(query)
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        guard health == .up else { throw .unavailable(detail: "down") }
        try base.write(writes)
        state.withLock { state in
            for case .put(let item, _) in writes { state.puts.append(item) }
        }
    }
}
