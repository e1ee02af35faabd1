internal import Glibc
internal import KeyValueStore
internal import Synchronization

/// Commits the writes of several threads in one transaction, so that they share one sync to the
/// disk.
///
/// The first thread becomes the leader and commits its own write. Threads that arrive meanwhile
/// wait; then one of them leads and commits the writes of all of them. A single thread never waits
/// for another.
final class GroupCommit: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [PendingWrite] = []
    }

    /// A larger group would make its first write wait for too long.
    private static let groupCountMax = 64

    private let state = Mutex(State())
    /// Runs all of the writes in one transaction and sets the outcome of each.
    private let commit: @Sendable ([PendingWrite]) -> Void

    init(_ commit: @escaping @Sendable ([PendingWrite]) -> Void) { self.commit = commit }

    func perform(
        isDurable: Bool, _ body: @escaping (Connection) throws(StoreFailure) -> CountedRead
    ) throws(StoreFailure) -> CountedRead {
        let write = PendingWrite(isDurable: isDurable, body)
        let leads = state.withLock { state in
            if state.isBusy {
                state.waiting.append(write)
                return false
            }
            state.isBusy = true
            return true
        }
        if leads {
            lead([write])
        } else if case .lead(let group) = write.wait() {
            lead(group)
        }
        return try write.result()
    }

    private func lead(_ group: [PendingWrite]) {
        commit(group)
        // Wakes the next leader first, so that its commit can begin at once.
        let next = state.withLock { state in
            let next = Array(state.waiting.prefix(Self.groupCountMax))
            state.waiting.removeFirst(next.count)
            state.isBusy = !next.isEmpty
            return next
        }
        next.first?.wake(.lead(next))
        for follower in group.dropFirst() { follower.wake(.finished) }
    }
}

/// The write of one thread, which waits until it is committed.
///
/// Used by one thread at a time: the waiting thread hands it over to the leader.
final class PendingWrite: @unchecked Sendable {
    enum Turn {
        case lead([PendingWrite])
        case finished
    }

    /// Whether its commit must survive a power failure.
    let isDurable: Bool
    private let body: (Connection) throws(StoreFailure) -> CountedRead
    private var outcome: Result<CountedRead, StoreFailure>?
    private var turn = Turn.finished
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init(isDurable: Bool, _ body: @escaping (Connection) throws(StoreFailure) -> CountedRead) {
        self.isDurable = isDurable
        self.body = body
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Runs in a transaction. The outcome is final when the transaction has ended.
    func run(on connection: Connection) throws(StoreFailure) {
        outcome = .success(try body(connection))
    }

    var hasSucceeded: Bool {
        if case .success = outcome { return true }
        return false
    }

    func fail(_ failure: StoreFailure) { outcome = .failure(failure) }

    /// Called when the transaction failed after `run`.
    func failUnlessFailed(_ failure: StoreFailure) {
        if case .failure = outcome { return }
        fail(failure)
    }

    func result() throws(StoreFailure) -> CountedRead {
        guard let outcome else { throw .unavailable(detail: "a write had no outcome") }
        return try outcome.get()
    }

    /// Removes the turn, because that of a leader refers to its group and thus back to this write.
    func wait() -> Turn {
        while sem_wait(semaphore) != 0 {}
        defer { turn = .finished }
        return turn
    }

    func wake(_ turn: Turn) {
        self.turn = turn
        sem_post(semaphore)
    }
}
