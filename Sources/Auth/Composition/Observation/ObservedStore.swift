internal import FunctionRuntime
internal import KeyValueStore
internal import Time

enum StoreCall: String, Sendable { case read, query, write }

/// Reports failed calls of a store, and measures calls.
struct ObservedStore: KeyValueStore {
    typealias Measure = @Sendable (StoreCall, _ nanoseconds: Int64, StoreFailure?) -> Void

    let store: any KeyValueStore
    /// Reports a detail to the operator, because the errors of operations do not contain it.
    let report: @Sendable (_ detail: String) -> Void
    /// nil if nothing is measured.
    let measure: Measure?
    let health = StoreHealth()

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try observed(.read) { () throws(StoreFailure) in
            try store.read(keys, counting: counters, listing: query)
        }
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try observed(.query) { () throws(StoreFailure) in try store.query(query) }
    }

    func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        try observed(.query) { () throws(StoreFailure) in
            try store.partitions(withPrefix: prefix, after: after)
        }
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        do throws(StoreFailure) {
            try observed(.write) { () throws(StoreFailure) in try store.write(writes) }
        } catch {
            if error != .conditionFailed { health.didFail() }
            throw error
        }
    }

    func removeExpired(max: Int) throws(StoreFailure) -> Int {
        try observed(.write) { () throws(StoreFailure) in try store.removeExpired(max: max) }
    }

    func probe(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        guard health.hasFailedWrite else {
            try observed(.read) { () throws(StoreFailure) in try store.probe(key, at: now) }
            return
        }
        try probeAfterFailure(key, at: now)
    }

    func probeAfterFailure(_ key: ItemKey, at now: Instant) throws(StoreFailure) {
        try observed(.write) { () throws(StoreFailure) in
            try store.probeAfterFailure(key, at: now)
        }
        health.didWrite()
    }

    private func observed<Result>(
        _ call: StoreCall, _ body: () throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let stopwatch = measure.map { _ in Stopwatch() }
        do throws(StoreFailure) {
            let result = try body()
            if let stopwatch { measure?(call, stopwatch.nanoseconds, nil) }
            return result
        } catch {
            if let stopwatch { measure?(call, stopwatch.nanoseconds, error) }
            switch error {
            case .conditionFailed: break
            case .unavailable(let detail), .refused(let detail), .unreadable(let detail):
                report(detail)
            }
            throw error
        }
    }
}
