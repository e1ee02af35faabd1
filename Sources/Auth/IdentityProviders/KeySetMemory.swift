internal import KeyValueStore
internal import Synchronization

/// What this process has read: a warm function verifies without asking the store.
///
/// One entry for each configured key source, so it is as small as the configuration.
final class KeySetMemory: Sendable {
    private let records = Mutex<[ItemKey: KeySetRecord]>([:])

    subscript(rows: KeySetRows) -> KeySetRecord? {
        get { records.withLock { $0[rows.set] } }
        set { records.withLock { $0[rows.set] = newValue } }
    }
}
