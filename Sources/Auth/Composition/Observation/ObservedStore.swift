internal import FunctionRuntime
internal import KeyValueStore
internal import Time

/// The calls of a store.
enum StoreCall: String, Sendable { case read, query, write }

/// Measures the calls of a store.
struct ObservedStore: KeyValueStore {
    let store: any KeyValueStore
    let observe: @Sendable (StoreCall, _ nanoseconds: Int64, StoreFailure?) -> Void

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try measured(.read) { () throws(StoreFailure) in
            try store.read(keys, counting: counters, listing: query)
        }
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try measured(.query) { () throws(StoreFailure) in try store.query(query) }
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        try measured(.query) { () throws(StoreFailure) in
            try store.partitions(withPrefix: prefix, after: after)
        }
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        try measured(.write) { () throws(StoreFailure) in try store.write(writes) }
    }

    func removeExpired(max: Int) throws(StoreFailure) -> Int {
        try measured(.write) { () throws(StoreFailure) in try store.removeExpired(max: max) }
    }

    private func measured<Result>(
        _ call: StoreCall, _ body: () throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let stopwatch = Stopwatch()
        do throws(StoreFailure) {
            let result = try body()
            observe(call, stopwatch.nanoseconds, nil)
            return result
        } catch {
            observe(call, stopwatch.nanoseconds, error)
            throw error
        }
    }
}
