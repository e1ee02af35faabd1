internal import Synchronization

/// Whether a write to the store has failed, and no probe has succeeded in writing since then. All
/// threads of a process share it: a server that cannot write is not ready.
final class StoreHealth: Sendable {
    private let failed = Atomic<Bool>(false)

    var hasFailedWrite: Bool { failed.load(ordering: .relaxed) }

    func didFail() { failed.store(true, ordering: .relaxed) }

    func didWrite() { failed.store(false, ordering: .relaxed) }
}
