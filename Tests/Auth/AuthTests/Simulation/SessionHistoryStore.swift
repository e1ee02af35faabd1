import AuthTestSupport
import Synchronization

/// Records violations of session invariants: a generation that decreases or is skipped, or a
/// session that reappears after deletion (Keycloak issue 51312).
final class SessionHistoryStore: KeyValueStore {
    fileprivate enum Past {
        case generation(Int64)
        case deleted
    }

    fileprivate struct State {
        var past: [ItemKey: Past] = [:]
        var faults: [String] = []
    }

    private let inner: any KeyValueStore
    private let state = Mutex(State())

    init(_ inner: any KeyValueStore) { self.inner = inner }

    var faults: [String] { state.withLock { $0.faults } }

    func read(
        _ keys: [ItemKey], counting counters: [CounterIncrement], listing query: PartitionQuery?
    ) throws(StoreFailure) -> CountedRead {
        try inner.read(keys, counting: counters, listing: query)
    }

    func query(_ query: PartitionQuery) throws(StoreFailure) -> Page { try inner.query(query) }

    func write(_ writes: [Write]) throws(StoreFailure) {
        try inner.write(writes)
        state.withLock { state in
            for write in writes where write.key.sort.hasPrefix(StoreLayout.sessionPrefix) {
                state.note(write)
            }
        }
    }
}

extension SessionHistoryStore.State {
    mutating func note(_ write: Write) {
        switch write {
        case .check: break
        case .delete(let key, _): past[key] = .deleted
        case .put(let item, _):
            guard case .integer(let generation)? = item.attributes["generation"] else {
                faults.append("\(item.key.sort) has no generation")
                return
            }
            switch past[item.key] {
            case .deleted: faults.append("\(item.key.sort) came back")
            case .generation(let last) where generation != last && generation != last + 1:
                faults.append("\(item.key.sort) went from \(last) to \(generation)")
            case nil where generation != 0:
                faults.append("\(item.key.sort) began at \(generation)")
            case .generation, nil: break
            }
            past[item.key] = .generation(generation)
        }
    }
}
