package import KeyValueStore
import Synchronization

/// A store with faults chosen by the test: before the call, or after it (lost response).
package final class FaultyStore: KeyValueStore {
    package enum Call: Sendable {
        case get([ItemKey])
        case query(PartitionQuery)
        case partitions(String)
        case write([Write])
        case increment(ItemKey)
        /// A `read` that is not just a `get` or a single `increment`.
        case read([ItemKey], counting: [ItemKey], listing: PartitionQuery?)
    }

    package enum Fate: Sendable {
        case fine
        case refused(StoreFailure)
        /// The call is made, but its response is lost.
        case answerLost
        /// The call is made, its response is lost, and it is made again: a DynamoDB client does so
        /// with a single write, which has no idempotency token.
        case repeated
    }

    private struct State {
        var fate: @Sendable (Call) -> Fate = { _ in .fine }
        var calls: [Call] = []
    }

    private let inner: any KeyValueStore
    private let state = Mutex(State())

    package init(_ inner: any KeyValueStore) { self.inner = inner }

    package func setFate(_ fate: @escaping @Sendable (Call) -> Fate) {
        state.withLock { $0.fate = fate }
    }

    /// Makes every call fail from now on, like a network outage.
    package func goDown() { setFate { _ in .refused(.unavailable(detail: "down")) } }
    package func comeBack() { setFate { _ in .fine } }

    /// Runs another request between an operation's read and its write.
    package func beforeNextWrite(_ other: @escaping @Sendable () throws -> Void) {
        setFate { [self] call in
            guard case .write = call else { return .fine }
            comeBack()
            do { try other() } catch { return .refused(.refused(detail: "\(error)")) }
            return .fine
        }
    }

    package var calls: [Call] { state.withLock { $0.calls } }
    package func forgetCalls() { state.withLock { $0.calls = [] } }

    private func perform<Value>(
        _ call: Call, _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        // Not under the lock, because the closure may call the store itself.
        let fate = state.withLock { state in
            state.calls.append(call)
            return state.fate
        }
        switch fate(call) {
        case .fine: return try body()
        case .refused(let failure): throw failure
        case .answerLost:
            _ = try body()
            throw .unavailable(detail: "answer lost")
        case .repeated:
            _ = try? body()
            return try body()
        }
    }

    package func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        let call: Call =
            if counters.isEmpty, query == nil {
                .get(keys)
            } else if keys.isEmpty, counters.count == 1, query == nil {
                .increment(counters[0].key)
            } else {
                .read(keys, counting: counters.map(\.key), listing: query)
            }
        return try perform(call) { () throws(StoreFailure) in
            try inner.read(keys, counting: counters, listing: query)
        }
    }

    package func query(_ query: PartitionQuery) throws(StoreFailure) -> Page {
        try perform(.query(query)) { () throws(StoreFailure) in try inner.query(query) }
    }

    package func partitions(withPrefix prefix: String, after: ItemKey?) throws(StoreFailure)
        -> PartitionPage
    {
        try perform(.partitions(prefix)) { () throws(StoreFailure) in
            try inner.partitions(withPrefix: prefix, after: after)
        }
    }

    package func write(_ writes: [Write]) throws(StoreFailure) {
        try perform(.write(writes)) { () throws(StoreFailure) in try inner.write(writes) }
    }
}
