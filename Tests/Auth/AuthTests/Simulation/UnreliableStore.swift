import AuthTestSupport
import KeyValueStore
import Synchronization

/// A store whose every call is a point where others may come in between, where the process may
/// die, and where the answer may get lost on its way back.
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

    private enum Fate { case fine, notMade, answerLost }

    private func fate() -> Fate {
        state.withLock { state in
            guard state.random.happens(state.faultPercent) else { return .fine }
            return state.random.happens(50) ? .notMade : .answerLost
        }
    }

    private func call<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        Stage.pause()
        switch fate() {
        case .fine: return try body()
        case .notMade: throw .unavailable(detail: "simulated")
        case .answerLost:
            _ = try body()
            throw .unavailable(detail: "simulated")
        }
    }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement]
    ) throws(StoreFailure) -> CountedRead {
        try call { () throws(StoreFailure) in try inner.read(keys, counting: counters) }
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try call { () throws(StoreFailure) in try inner.query(query) }
    }

    func write(_ writes: [Write]) throws(StoreFailure) {
        try call { () throws(StoreFailure) in try inner.write(writes) }
    }
}
