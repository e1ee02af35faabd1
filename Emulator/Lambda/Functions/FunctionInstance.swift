internal import EmulatorBase
internal import Synchronization

/// One process of a warm pool.
final class FunctionInstance: Sendable {
    /// The loopback address of this process's Runtime API, which identifies the process.
    let host: UInt32
    let id: String
    let started: UInt64
    let log: OutputLog
    private let process = Mutex<ManagedProcess?>(nil)
    private let latest = Mutex<(traceID: String, isOpen: Bool)?>(nil)
    private let deadline = Mutex<DeadlineTimer?>(nil)

    init(host: UInt32, id: String, log: OutputLog) {
        self.host = host
        self.id = id
        self.log = log
        started = MonotonicClock.nanoseconds
    }

    func attach(_ process: ManagedProcess) { self.process.withLock { $0 = process } }

    func attach(_ timer: DeadlineTimer) { deadline.withLock { $0 = timer } }

    /// All further work of the process belongs to that invocation, also after its response.
    func begin(_ invocation: Invocation) {
        log.begin(invocation)
        latest.withLock { $0 = (invocation.traceID, true) }
    }

    func noteResponse() { latest.withLock { $0?.isOpen = false } }

    /// The process, and the trace of its latest invocation.
    var activity: FunctionActivity? {
        guard let pid = process.withLock({ $0 })?.pid, let latest = latest.withLock({ $0 }) else {
            return nil
        }
        return FunctionActivity(pid: pid, traceID: latest.traceID, isOpen: latest.isOpen)
    }

    func scheduleDeadline(at nanoseconds: UInt64) {
        deadline.withLock { $0 }?.schedule(at: nanoseconds)
    }

    func cancelDeadline() { deadline.withLock { $0 }?.cancel() }

    func kill() {
        cancelDeadline()
        process.withLock { $0 }?.kill()
    }

    /// The output so far, including everything the process wrote before it responded.
    func takeOutput() -> [UInt8] {
        process.withLock { $0 }?.drainOutput()
        return log.take()
    }

    /// Whether the process is waiting to be started.
    var isDelayed: Bool { process.withLock { $0 }?.delay != nil }

    /// The error for the caller after a timeout.
    func lateness(_ function: FunctionConfiguration, milliseconds: Int) -> FunctionFailure {
        .late(process.withLock { $0 }, function, milliseconds: milliseconds)
    }

    var residentBytesMax: Int64 { process.withLock { $0 }?.residentBytesMax ?? 0 }
}

/// A function's process, and the trace of its latest invocation.
struct FunctionActivity: Sendable {
    let pid: Int32
    let traceID: String
    /// Whether the invocation has no response yet.
    let isOpen: Bool
}

/// Maps Runtime API addresses to instances.
final class FunctionInstanceRegistry: Sendable {
    private struct State: Sendable {
        var callers: [UInt32: (pool: WarmPool, instance: FunctionInstance)] = [:]
        var last: UInt32 = 0
    }

    private let state = Mutex(State())

    // 127.1.0.1 and up: addresses in 127.0.0.0/16 are commonly used for other purposes.
    private static let first: UInt32 = 0x7F01_0000
    private static let hostsMax: UInt32 = 0xFE_0000

    /// Adds a new instance with its own address.
    func add(to pool: WarmPool, _ make: (UInt32) -> FunctionInstance) -> FunctionInstance {
        state.withLock { state in
            repeat {
                state.last = state.last % Self.hostsMax + 1
            } while state.callers[
                Self.first + state.last] != nil
            let instance = make(Self.first + state.last)
            state.callers[instance.host] = (pool, instance)
            return instance
        }
    }

    func remove(_ instance: FunctionInstance) {
        state.withLock { _ = $0.callers.removeValue(forKey: instance.host) }
    }

    var activities: [FunctionActivity] {
        state.withLock { Array($0.callers.values) }.compactMap(\.instance.activity)
    }

    func caller(_ host: UInt32) -> (pool: WarmPool, instance: FunctionInstance)? {
        state.withLock { $0.callers[host] }
    }
}
