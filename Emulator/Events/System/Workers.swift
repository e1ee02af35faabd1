internal import Glibc
internal import Synchronization

/// A value that one thread gives and another waits for.
///
/// @unchecked: the semaphore is made for several threads, and its memory lives as long as this.
final class Handover<Value: Sendable>: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let value = Mutex<Value?>(nil)

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// The first one counts.
    func give(_ given: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = given
            return true
        }
        if isFirst { sem_post(semaphore) }
    }

    /// Blocks; for one thread, once.
    func take() -> Value {
        while true {
            if sem_wait(semaphore) == 0, let value = value.withLock({ $0 }) { return value }
        }
    }
}

/// Threads that share out a list of work.
enum Workers {
    static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Calls `work` with each index below `count`, on that many threads, and returns when all is
    /// done.
    static func run(_ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Void) {
        let shared = Shared(count: count, work: work)
        var running: [pthread_t] = []
        for _ in 1..<max(2, min(threads, count)) {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(shared)
            let code = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Shared>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, context.toOpaque())
            if code == 0 { running.append(thread) } else { context.release() }
        }
        shared.run()
        for thread in running { pthread_join(thread, nil) }
    }

    private final class Shared: Sendable {
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
}
