internal import Foundation

/// A running program. It is reaped the moment it ends, killed at its deadline, and killed when
/// nobody holds it any more.
///
/// Its standard streams are files without a name, and sockets: those are closed on exec from the
/// start, so that no program started at the same moment inherits one and holds it open, and they
/// need no reader.
package final class ChildProcess: Sendable {
    package let pid: Int32
    private let streams: ChildStreams
    private let ending: ExitWaiter
    private let folder: TemporaryFolder?

    /// How long any process of a test may take. Nothing is measured by it.
    package static let secondsMax = 120.0

    package init(_ command: Command) throws {
        folder = command.folder
        streams = try ChildStreams(command)
        pid = try streams.spawn(command)
        let ending = ExitWaiter(pid: pid)
        self.ending = ending
        try PosixThread { ending.reap() }.detach()
    }

    deinit { ending.kill(SIGKILL) }

    /// Runs `command` to its end.
    package static func run(_ command: Command) throws -> ProcessResult {
        try ChildProcess(command).wait()
    }

    /// Waits for its end, or makes it at the deadline.
    package func wait(secondsMax: Double = ChildProcess.secondsMax) -> ProcessResult {
        let end = ending.wait(until: Date(timeIntervalSinceNow: secondsMax))
        return ProcessResult(
            end: end, output: streams.output?.bytes ?? [],
            errorOutput: streams.errorOutput?.bytes ?? [])
    }

    package var isRunning: Bool { ending.isRunning }

    /// What it has written so far.
    package var textSoFar: (output: String, error: String) {
        (
            String(decoding: streams.output?.bytesSoFar ?? [], as: UTF8.self),
            String(decoding: streams.errorOutput?.bytesSoFar ?? [], as: UTF8.self)
        )
    }

    /// Nothing when it has ended.
    package func kill(_ signal: Int32) { ending.kill(signal) }

    /// Writes to a `.stream` input. False when nobody reads it any more.
    package func send(_ text: String) -> Bool { streams.send(Array(text.utf8)) }

    package func endInput() { streams.endInput() }

    /// Waits until it has read all that was sent, so that it is known to wait for more. False at
    /// the deadline, or when it ends before.
    package func waitUntilInputIsRead() -> Bool {
        waits(for: { streams.unreadInputBytes == 0 })
    }

    /// How many threads it has now; 0 when it has ended.
    package var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count) ?? 0
    }

    /// Waits until `condition` holds. False at the deadline, or when the process ends before.
    package func waits(for condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Self.secondsMax)
        while isRunning, Date() < deadline {
            if condition() { return true }
            usleep(1000)
        }
        return condition()
    }
}

/// How a process ended, once it has. Its number is not given to another before it is reaped, and
/// a signal is sent only before that: it never hits a stranger.
private final class ExitWaiter: @unchecked Sendable {
    // @unchecked: `end` and `isOutOfTime` are touched only while `condition` is locked.
    private let pid: pid_t
    private let condition = NSCondition()
    private var end: ProcessResult.End?
    private var isOutOfTime = false

    init(pid: pid_t) { self.pid = pid }

    var isRunning: Bool { condition.withLock { end == nil } }

    /// Blocks until the process ends.
    func reap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.withLock {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            end =
                isOutOfTime ? .outOfTime : signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
            condition.broadcast()
        }
    }

    func kill(_ signal: Int32) {
        condition.withLock {
            if end == nil { Foundation.kill(pid, signal) }
        }
    }

    func wait(until deadline: Date) -> ProcessResult.End {
        condition.withLock {
            while true {
                if let end { return end }
                guard !isOutOfTime else {
                    condition.wait()
                    continue
                }
                if !condition.wait(until: deadline), end == nil {
                    isOutOfTime = true
                    Foundation.kill(pid, SIGKILL)
                }
            }
        }
    }
}
