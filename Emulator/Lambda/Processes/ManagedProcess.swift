internal import Glibc
internal import Synchronization

/// A child process, from the request to start it until after its end.
package final class ManagedProcess: Sendable {
    private enum State: Sendable {
        case waiting
        case running(pid: Int32)
        case over
    }

    let serial: UInt64
    let plan: ProcessConfiguration
    /// The deadline for attempts to start it.
    let startsUntil: UInt64
    private let state = Mutex(State.waiting)
    private let pipes = Mutex<(output: OutputPipe, error: OutputPipe?)?>(nil)
    /// The maximum over all samples.
    private let residentBytesSeen = Atomic<Int64>(0)
    private let lookedAt = Atomic<UInt64>(0)
    private let delayCode = Atomic<Int32>(0)

    private static let lookIntervalNanoseconds: UInt64 = 250_000_000

    init(serial: UInt64, plan: ProcessConfiguration, startsUntil: UInt64) {
        self.serial = serial
        self.plan = plan
        self.startsUntil = startsUntil
    }

    /// The errno of the failed attempt to start; nil if there is none.
    package var delay: Int32? {
        let code = delayCode.load(ordering: .relaxed)
        return code == 0 ? nil : code
    }

    /// nil before the start and after the end.
    package var pid: Int32? {
        state.withLock { if case .running(let pid) = $0 { pid } else { nil } }
    }

    /// Sends SIGKILL to the whole process group; before the start, prevents it.
    package func kill() {
        state.withLock { state in
            switch state {
            case .waiting: state = .over
            // `reaped` takes the same lock, so the pid cannot have been reused.
            case .running(let pid): _ = Glibc.kill(-pid, SIGKILL)
            case .over: break
            }
        }
    }

    /// Passes all output so far to the sinks, including what a child wrote before it responded on
    /// another channel.
    package func drainOutput() {
        guard let pipes = pipes.withLock({ $0 }) else { return }
        pipes.output.drain()
        pipes.error?.drain()
    }

    /// The maximum resident memory seen so far, at most a quarter of a second old.
    package var residentBytesMax: Int64 {
        let now = MonotonicClock.nanoseconds
        if now &- lookedAt.load(ordering: .relaxed) > Self.lookIntervalNanoseconds {
            lookedAt.store(now, ordering: .relaxed)
            if let pid { sampleMemory(pid) }
        }
        return residentBytesSeen.load(ordering: .relaxed)
    }

    /// Samples the resident memory.
    @discardableResult
    func sampleMemory(_ pid: Int32) -> Int64 {
        let bytes = ProcessTable.residentBytes(pid)
        _ = residentBytesSeen.max(bytes, ordering: .relaxed)
        return bytes
    }
}

/// Called by the supervisor.
extension ManagedProcess {
    var isWaiting: Bool {
        state.withLock { if case .waiting = $0 { true } else { false } }
    }

    func isDelayed(by failure: Errno) { delayCode.store(failure.code, ordering: .relaxed) }

    /// Returns false if the process was killed in the meantime. The caller must then send the
    /// signal.
    func started(pid: Int32, output: OutputPipe, error: OutputPipe?) -> Bool {
        delayCode.store(0, ordering: .relaxed)
        pipes.withLock { $0 = (output, error) }
        return state.withLock { state in
            guard case .waiting = state else {
                state = .running(pid: pid)
                return false
            }
            state = .running(pid: pid)
            return true
        }
    }

    /// Calls `reap`, which frees the pid, under the lock that `kill` takes.
    func reaped<Result>(_ reap: () -> Result?) -> Result? {
        state.withLock { state in
            guard let result = reap() else { return nil }
            state = .over
            return result
        }
    }

    func forgetPipes(_ set: Int32) {
        let pipes = pipes.withLock { pipes in
            defer { pipes = nil }
            return pipes
        }
        pipes?.output.close(removingFrom: set)
        pipes?.error?.close(removingFrom: set)
    }
}
