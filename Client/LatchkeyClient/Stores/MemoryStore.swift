public import Foundation

/// Keeps the session only in memory.
public actor MemoryStore: SessionStore {
    private var record: Data?
    /// The number of the lock that is held now.
    private var holder: Int?
    private var queue: [(number: Int, waiter: CheckedContinuation<Bool, Never>)] = []
    private var locks = 0
    private let clock: any SessionClock

    public init(clock: any SessionClock = SystemClock()) { self.clock = clock }

    public func load() -> Data? { record }

    public func replace(_ expected: Data?, with new: Data?) -> Bool {
        guard record == expected else { return false }
        record = new
        return true
    }

    public func lockRefresh(waiting: Duration) async throws(StoreError) -> any RefreshLock {
        locks += 1
        let number = locks
        guard holder != nil else {
            holder = number
            return MemoryLock(store: self, number: number)
        }
        let deadline = Task { [weak self, clock] in
            try await clock.sleep(for: waiting)
            await self?.giveUp(number)
        }
        let isMine = await withCheckedContinuation { queue.append((number, $0)) }
        deadline.cancel()
        guard isMine else { throw .busy }
        return MemoryLock(store: self, number: number)
    }

    private func giveUp(_ number: Int) {
        guard let index = queue.firstIndex(where: { $0.number == number }) else { return }
        queue.remove(at: index).waiter.resume(returning: false)
    }

    /// Does nothing if the lock was already released.
    fileprivate func unlock(_ number: Int) {
        guard holder == number else { return }
        holder = queue.first?.number
        if !queue.isEmpty { queue.removeFirst().waiter.resume(returning: true) }
    }
}

private final class MemoryLock: RefreshLock {
    private let store: MemoryStore
    private let number: Int

    init(store: MemoryStore, number: Int) {
        self.store = store
        self.number = number
    }

    func release() {
        // `release` cannot wait, so a task removes the lock.
        Task { [store, number] in await store.unlock(number) }
    }

    deinit { release() }
}
