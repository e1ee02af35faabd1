internal import Glibc
internal import Synchronization
package import Testing
internal import Threads

/// Runs tests that wait for other programs on threads of their own, as many at once as there are
/// processors. On the threads of the cooperative pool, one per processor, they would keep
/// asynchronous tests waiting between two steps for minutes, longer than the time-outs of these.
package struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    package static var blocking: Self { Self() }
}

private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
    }

    private let state = Mutex(State())
    private let threadsMax = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < threadsMax else { return false }
            state.threads += 1
            return true
        }
        if needsThread, !PosixThread.detached({ [self] in work() }) { work() }
    }

    /// Ends when nothing is left.
    private func work() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
            state.threads -= 1
            return nil
        }
    }
}
