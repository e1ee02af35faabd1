internal import KeyValueStore
internal import Synchronization

/// Commits the writes of several threads together: in one transaction, and with one sync to the
/// disk.
///
/// The first thread becomes the leader and commits its own write. Threads that arrive in the
/// meantime wait; then one of them leads and commits the writes of all of them. A single thread
/// never waits for another.
///
/// The sync follows after the commit, outside of the transaction. In the meantime, writes that need
/// no sync, such as counters, are committed and finished. Writes that need a sync are collected, so
/// that the next sync is for all of them.
final class GroupCommit: Sendable {
    private struct State {
        var isCommitting = false
        var isSyncing = false
        /// Writes that need a sync.
        var durable: [PendingWrite] = []
        var others: [PendingWrite] = []

        /// Begins the next commit, if there is something to commit.
        mutating func next() -> [PendingWrite] {
            guard !isCommitting else { return [] }
            var group: [PendingWrite] = []
            // Durable writes come first, so that the leading thread has to wait for the sync
            // anyway.
            if !isSyncing { Self.move(&durable, to: &group) }
            Self.move(&others, to: &group)
            isCommitting = !group.isEmpty
            return group
        }

        private static func move(_ writes: inout [PendingWrite], to group: inout [PendingWrite]) {
            let count = min(writes.count, groupCountMax - group.count)
            group += writes.prefix(count)
            writes.removeFirst(count)
        }
    }

    /// A larger group would make its first write wait for too long.
    private static let groupCountMax = 64

    private let state = Mutex(State())
    /// Runs all of the writes in one transaction and sets the outcome of each.
    private let commit: @Sendable ([PendingWrite]) -> Void
    /// Syncs all that is committed.
    private let sync: @Sendable () throws(StoreFailure) -> Void

    init(
        commit: @escaping @Sendable ([PendingWrite]) -> Void,
        sync: @escaping @Sendable () throws(StoreFailure) -> Void
    ) {
        self.commit = commit
        self.sync = sync
    }

    func perform(
        isDurable: Bool, _ body: @escaping (Connection) throws(StoreFailure) -> CountedRead
    ) throws(StoreFailure) -> CountedRead {
        let write = PendingWrite(isDurable: isDurable, body)
        let leads = state.withLock { state in
            if state.isCommitting || isDurable && state.isSyncing {
                isDurable ? state.durable.append(write) : state.others.append(write)
                return false
            }
            state.isCommitting = true
            return true
        }
        if leads {
            lead([write])
        } else if case .lead(let group) = write.wait() {
            lead(group)
        }
        return try write.result()
    }

    /// The caller's write is the first of the group.
    private func lead(_ group: [PendingWrite]) {
        commit(group)
        let unsynced = group.filter(\.needsSync)
        beginNext { state in
            state.isCommitting = false
            state.isSyncing = state.isSyncing || !unsynced.isEmpty
        }
        for write in group.dropFirst() where !write.needsSync { write.wake(.finished) }
        if unsynced.isEmpty { return }
        do throws(StoreFailure) {
            try sync()
        } catch {
            for write in unsynced { write.fail(error) }
        }
        beginNext { $0.isSyncing = false }
        for write in unsynced where write !== group[0] { write.wake(.finished) }
    }

    /// Wakes the next leader before the followers, so that its commit can begin at once.
    private func beginNext(after change: (inout State) -> Void) {
        let next = state.withLock { state in
            change(&state)
            return state.next()
        }
        next.first?.wake(.lead(next))
    }
}
