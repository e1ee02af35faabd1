import AuthTestSupport
import Synchronization

/// A store that simulates faults at every call: other operations run in between, the process dies,
/// the response is lost, or the request is sent twice.
final class UnreliableStore: KeyValueStore {
    private struct State {
        var random: SplitMix64
        var faultPercent: UInt64
    }

    private let inner: any KeyValueStore
    private let state: Mutex<State>

    init(_ inner: any KeyValueStore, seed: UInt64) {
        self.inner = inner
        state = Mutex(State(random: SplitMix64(seed: seed), faultPercent: 0))
    }

    func setFaults(percent: UInt64) { state.withLock { $0.faultPercent = percent } }

    private enum Fate { case fine, notMade, answerLost, repeated }

    private func fate() -> Fate {
        state.withLock { state in
            guard state.random.happens(state.faultPercent) else { return .fine }
            switch state.random.next(below: 3) {
            case 0: return .notMade
            case 1: return .answerLost
            default: return .repeated
            }
        }
    }

    /// - Parameter isRepeatable: whether the store's client repeats the request after a lost
    ///   response, without an idempotency token.
    private func call<Value>(
        isRepeatable: Bool = true, _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        Interleaving.pause()
        switch fate() {
        case .fine: return try body()
        case .repeated where isRepeatable:
            // The response to the first is lost; other operations may run in between.
            _ = try? body()
            Interleaving.pause()
            return try body()
        case .notMade: throw .unavailable(detail: "simulated")
        case .answerLost, .repeated:
            _ = try body()
            throw .unavailable(detail: "simulated")
        }
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try call { () throws(StoreFailure) in
            try inner.read(keys, counting: counters, listing: query)
        }
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try call { () throws(StoreFailure) in try inner.query(query) }
    }

    /// A repeated single write conflicts with itself and reports `.conditionFailed`; a transaction
    /// has a token and does not (`KeyValueStore.write`).
    func write(_ writes: [Write]) throws(StoreFailure) {
        try call(isRepeatable: writes.count == 1) { () throws(StoreFailure) in
            try inner.write(writes)
        }
    }
}
