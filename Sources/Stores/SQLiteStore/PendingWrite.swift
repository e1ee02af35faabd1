internal import Glibc
internal import KeyValueStore
internal import Threads

/// The write of one thread, which waits until it is committed and, if it must be durable, synced.
///
/// Only one thread uses the write at a time: the waiting thread gives it to the leading thread.
final class PendingWrite: @unchecked Sendable {
    /// The next action of its thread.
    enum Turn {
        /// The thread must commit and sync all these writes. The first one is its own.
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

    /// Runs the write in a transaction. The outcome is final when the transaction has ended.
    func run(on connection: Connection) throws(StoreFailure) {
        outcome = .success(try body(connection))
    }

    var hasSucceeded: Bool {
        if case .success = outcome { return true }
        return false
    }

    /// Whether the write needs a sync after its commit.
    var needsSync: Bool { isDurable && hasSucceeded }

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

    /// Removes the turn, because the turn of a leader refers to its group, and the group refers to
    /// this write.
    func wait() -> Turn {
        Waiting.during { while sem_wait(semaphore) != 0 {} }
        defer { turn = .finished }
        return turn
    }

    func wake(_ turn: Turn) {
        self.turn = turn
        sem_post(semaphore)
    }
}
