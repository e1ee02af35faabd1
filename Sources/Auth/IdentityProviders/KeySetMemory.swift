internal import KeyValueStore
internal import Synchronization

/// The sets that this process has read, so that a warm function needs no store call.
///
/// One entry per configured source, so its size is bounded.
final class KeySetMemory: Sendable {
    private let records = Mutex<[ItemKey: KeySetRecord]>([:])

    subscript(rows: KeySetRows) -> KeySetRecord? {
        get { records.withLock { $0[rows.set] } }
        set { records.withLock { $0[rows.set] = newValue } }
    }
}
