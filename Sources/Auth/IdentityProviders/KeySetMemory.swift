internal import KeyValueStore
internal import Synchronization

/// The sets that this process has read, so that a warm function needs no store call.
///
/// One entry per configured source, so its size is bounded.
final class KeySetMemory: Sendable {
    private let entries = Mutex<[(key: ItemKey, record: KeySetRecord)]>([])

    subscript(rows: KeySetRows) -> KeySetRecord? {
        get { entries.withLock { $0.first { $0.key == rows.set }?.record } }
        set {
            entries.withLock { entries in
                entries.removeAll { $0.key == rows.set }
                if let newValue { entries.append((rows.set, newValue)) }
            }
        }
    }
}
