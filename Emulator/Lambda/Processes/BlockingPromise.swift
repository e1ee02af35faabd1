internal import Glibc
internal import Synchronization

/// A promise: one thread fulfils it, another blocks until it is fulfilled.
///
/// @unchecked Sendable: semaphores are thread-safe, and its memory lives as long as this object.
package final class BlockingPromise<Value: Sendable>: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let value = Mutex<Value?>(nil)

    package init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Only the first value counts.
    package func give(_ given: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = given
            return true
        }
        if isFirst { sem_post(semaphore) }
    }

    /// Blocks until there is a value. Call it once.
    package func take() -> Value {
        while true {
            if sem_wait(semaphore) == 0, let value = value.withLock({ $0 }) { return value }
        }
    }
}

/// Divides work among several threads.
package enum WorkerThreads {
    package static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Calls `work` with each index below `count`, on that many threads, and returns when all have
    /// finished.
    package static func run(
        _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Void
    ) {
        let list = WorkQueue(count: count, work: work)
        var finished: [BlockingPromise<Bool>] = []
        for _ in 1..<max(2, min(threads, count)) {
            let handover = BlockingPromise<Bool>()
            let isStarted = BackgroundThread.run {
                list.run()
                handover.give(true)
            }
            if isStarted { finished.append(handover) }
        }
        list.run()
        for handover in finished { _ = handover.take() }
    }
}

private final class WorkQueue: Sendable {
    private let count: Int
    private let next = Atomic<Int>(0)
    private let work: @Sendable (Int) -> Void

    init(count: Int, work: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.work = work
    }

    func run() {
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < count else { return }
            work(index)
        }
    }
}
