internal import Foundation
internal import Threads

/// A running program. It is reaped as soon as it ends, killed at its deadline, and killed with the
/// last reference to it.
///
/// Its standard streams are unlinked files and sockets, which are close-on-exec from the start, so
/// that no program started at the same time can inherit one and keep it open.
package final class ChildProcess: Sendable {
    package let pid: Int32
    private let streams: ChildStreams
    private let ending: ExitWaiter
    private let folder: TemporaryFolder?

    /// The timeout of any process in a test. Nothing is measured with it.
    package static let secondsMax = 600.0

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

    /// Waits for its end; kills it at the deadline.
    package func wait(secondsMax: Double = ChildProcess.secondsMax) -> ProcessResult {
        let end = ending.wait(until: Date(timeIntervalSinceNow: secondsMax))
        return ProcessResult(
            end: end, output: streams.output?.bytes ?? [],
            errorOutput: streams.errorOutput?.bytes ?? [])
    }

    package var isRunning: Bool { ending.isRunning }

    /// Its output so far.
    package var textSoFar: (output: String, error: String) {
        (
            String(decoding: streams.output?.bytesSoFar ?? [], as: UTF8.self),
            String(decoding: streams.errorOutput?.bytesSoFar ?? [], as: UTF8.self)
        )
    }

    /// Has no effect after its end.
    package func kill(_ signal: Int32) { ending.kill(signal) }

    /// Writes to a `.stream` input. False if the process has closed it.
    package func send(_ text: String) -> Bool { streams.send(Array(text.utf8)) }

    package func endInput() { streams.endInput() }

    /// Waits until it has read everything that was sent and is waiting for more. False at the
    /// deadline, or if it ends before.
    package func waitUntilInputIsRead() -> Bool {
        waits(for: { streams.unreadInputBytes == 0 })
    }

    /// Its number of threads; 0 if it has ended.
    package var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count) ?? 0
    }

    /// Waits until `condition` holds. False at the deadline, or if the process ends before.
    package func waits(for condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Self.secondsMax)
        while isRunning, Date() < deadline {
            if condition() { return true }
            usleep(1000)
        }
        return condition()
    }
}

/// Waits for the end of a process. The pid cannot be reused before it is reaped, and signals are
/// only sent before that, so they never reach another process.
private final class ExitWaiter: @unchecked Sendable {
    // Unchecked Sendable: `end` and `isOutOfTime` are only accessed while `condition` is locked.
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
