import Glibc

/// Collects the jobs of Swift's concurrency that one thread enqueues, so that a scheduler can run
/// them on that thread, in an order of its choice.
///
/// The runtime calls `swift_task_enqueueGlobal_hook` for each job that has no executor of its own,
/// default actors included (the Swift runtime, "ExecutorImpl.h"). Other threads of the process,
/// such as those of other tests, keep their executor.
final class JobQueue {
    private typealias Enqueue = @convention(c) (OpaquePointer) -> Void
    /// Swift's convention passes two pointers in the same registers as C's.
    private typealias Hook = @convention(c) (OpaquePointer, OpaquePointer) -> Void

    var jobs: [UnownedJob] = []

    /// The queue of a thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let isInstalled: Bool = {
        guard let place = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
            return false
        }
        let hook: Hook = { job, original in
            guard let queue = pthread_getspecific(JobQueue.key) else {
                return unsafeBitCast(original, to: Enqueue.self)(job)
            }
            Unmanaged<JobQueue>.fromOpaque(queue).takeUnretainedValue().jobs
                .append(unsafeBitCast(job, to: UnownedJob.self))
        }
        place.assumingMemoryBound(to: Hook?.self).pointee = hook
        return true
    }()

    /// Jobs that this thread enqueues in `body` go to this queue.
    func collecting<Value>(_ body: () throws -> Value) rethrows -> Value {
        precondition(Self.isInstalled, "this Swift runtime has no hook for jobs")
        let previous = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, previous) }
        return try body()
    }

    func run(at index: Int) {
        // Removes by swapping: the order does not matter, because the next job is chosen at random.
        jobs.swapAt(index, jobs.count - 1)
        // Without an executor, the actor's job runs on this thread, as it would on a thread of the
        // global pool.
        let none = unsafeBitCast((0 as UInt, 0 as UInt), to: UnownedSerialExecutor.self)
        jobs.removeLast().runSynchronously(on: none)
    }
}
