import EmulatorLambda
import Glibc
import TestSupport

/// The recorded output and end of a child.
final class Outcome: Sendable {
    private struct State: Sendable {
        var output: [UInt8] = []
        var error: [UInt8] = []
        var end: ProcessEnd?
        var ends = 0
    }

    private let state = Mutex(State())

    func plan(
        _ arguments: [String], environment: [(name: String, value: String)] = [],
        input: [UInt8] = [], limits: ProcessLimits = ProcessLimits(), directory: String? = nil
    ) -> ProcessConfiguration {
        ProcessConfiguration(
            arguments, environment: environment, directory: directory, input: input,
            limits: limits, output: { bytes in self.state.withLock { $0.output += bytes } },
            error: { bytes in self.state.withLock { $0.error += bytes } },
            ended: { end in
                self.state.withLock {
                    $0.end = end
                    $0.ends += 1
                }
            })
    }

    func shell(_ script: String, limits: ProcessLimits = ProcessLimits()) -> ProcessConfiguration {
        plan(["/bin/sh", "-c", script], environment: [("PATH", "/usr/bin:/bin")], limits: limits)
    }

    var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var error: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }
    var ends: Int { state.withLock { $0.ends } }

    func waitForOutput(_ text: String) -> Bool { eventually { self.output.contains(text) } }

    /// How it ended; nil after a timeout of two minutes.
    func end() -> ProcessEnd? {
        _ = eventually { self.state.withLock { $0.end != nil } }
        return state.withLock { $0.end }
    }
}

func isAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 }

@Suite("Processes") struct ProcessSupervisorTests {
    @Test func `a child gets only its input and environment`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        _ = supervisor.start(
            outcome.plan(
                [
                    "/bin/sh", "-c",
                    "cat; env -0 | tr '\\0' ' '; ls /proc/self/fd | tr '\\n' ' ' >&2",
                ],
                environment: [("PATH", "/usr/bin:/bin"), ("A", "1"), ("PWD", "/")],
                input: Array("input\n".utf8), directory: "/"))
        expectEqual(outcome.end()?.reason, .status(0))
        #expect(outcome.output.hasPrefix("input\n"))
        #expect(outcome.output.contains("A=1 "))
        #expect(!outcome.output.contains("HOME"))
        // 3 is the directory opened by ls.
        expectEqual(outcome.error, "0 1 2 3 ")
        expectEqual(outcome.ends, 1)
    }

    @Test(arguments: [
        ("exit 7", ProcessEnd.Reason.status(7)), ("kill -9 $$", .signal(9)),
        ("kill -15 $$", .signal(15)), ("exec 1>&-; exit 0", .status(0)),
    ])
    func `the exit status or signal is reported`(script: String, reason: ProcessEnd.Reason) throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        _ = supervisor.start(outcome.shell(script))
        expectEqual(outcome.end()?.reason, reason)
    }

    @Test(
        arguments: [
            (["/nonexistent/program"], nil, ENOENT), (["/etc/passwd"], nil, EACCES),
            ([], nil, ENOENT), (["/bin/true"], "/nonexistent", ENOENT),
        ] as [([String], String?, Int32)])
    func `a failed start is reported with its errno`(
        arguments: [String], directory: String?, code: Int32
    ) throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        _ = supervisor.start(outcome.plan(arguments, directory: directory))
        expectEqual(outcome.end()?.reason, .notStarted(code: code))
    }

    @Test func `input and output can be larger than a pipe`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        let input = [UInt8](repeating: 0x61, count: 3 << 20)
        _ = supervisor.start(outcome.plan(["/bin/cat"], input: input))
        expectEqual(outcome.end()?.reason, .status(0))
        expectEqual(outcome.output.utf8.count, input.count)
    }

    @Test func `a child that does not read its input does not block others`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        _ = supervisor.start(
            outcome.plan(["/bin/true"], input: [UInt8](repeating: 0, count: 1 << 20)))
        expectEqual(outcome.end()?.reason, .status(0))
    }

    @Test func `the process group ends with its first process`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        let process = supervisor.start(
            outcome.shell("sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & echo ok; wait"))
        #expect(outcome.waitForOutput("ok"))
        #expect(eventually { outcome.output.split(separator: "\n").count == 3 })
        process.kill()
        expectEqual(outcome.end()?.reason, .signal(9))
        // Also reaped: kill(2) would still succeed for a zombie.
        for pid in outcome.output.split(separator: "\n").compactMap({ Int32($0) }) {
            #expect(!isAlive(pid))
        }
    }

    @Test func `a child's background processes end with it, and its end is reported at once`()
        throws
    {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        // The background process keeps the output open.
        _ = supervisor.start(outcome.shell("sleep 1000 & echo $!"))
        expectEqual(outcome.end()?.reason, .status(0))
        let pid = try #require(Int32(outcome.output.split(separator: "\n").first ?? ""))
        #expect(!isAlive(pid))
    }

    @Test func `a fork bomb is stopped completely`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        let limits = ProcessLimits(groupProcessesMax: 64)
        let process = supervisor.start(
            outcome.shell(
                "echo ok; i=0; while [ $i -lt 3000 ]; do sleep 1000 & i=$((i+1)); done; sleep 1000",
                limits: limits))
        #expect(outcome.waitForOutput("ok"))
        let pid = try #require(process.pid)
        expectEqual(outcome.end()?.reason, .signal(9))
        expectEqual(kill(-pid, 0), -1)
    }

    @Test func `a child over its memory limit is killed`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        let limits = ProcessLimits(residentBytesMax: 64 << 20)
        _ = supervisor.start(
            outcome.shell(
                "x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; sleep 0.02; done", limits: limits))
        let end = try #require(outcome.end())
        // Killed by the monitor; or the kernel refused memory first.
        #expect(end.reason != .status(0))
        #expect(end.residentBytesMax < 1 << 30)
    }

    @Test func `a child killed before its start is not started`() throws {
        let supervisor = try ProcessSupervisor()
        for _ in 0..<50 {
            let outcome = Outcome()
            let process = supervisor.start(outcome.plan(["/bin/sleep", "1000"]))
            process.kill()
            #expect(outcome.end() != nil)
        }
    }

    @Test func `stopping the supervisor ends everything`() throws {
        let supervisor = try ProcessSupervisor()
        let outcomes = (0..<20).map { _ in Outcome() }
        let processes = outcomes.map { supervisor.start($0.plan(["/bin/sleep", "1000"])) }
        #expect(eventually { processes.allSatisfy { $0.pid != nil } })
        let pids = processes.compactMap(\.pid)
        supervisor.stop()
        #expect(pids.allSatisfy { !isAlive($0) })
        #expect(outcomes.allSatisfy { $0.ends == 1 })
    }

    @Test func `output can be drained at any time`() throws {
        let supervisor = try ProcessSupervisor()
        let outcome = Outcome()
        let process = supervisor.start(outcome.shell("echo ready; sleep 1000"))
        #expect(outcome.waitForOutput("ready"))
        process.drainOutput()
        #expect(process.residentBytesMax > 0)
        process.kill()
        #expect(outcome.end() != nil)
    }

    @Test func `timers fire in order, move, and can be cancelled`() throws {
        let supervisor = try ProcessSupervisor()
        let rung = Mutex<[Int]>([])
        let timers = (0..<4).map { number in
            supervisor.timer { rung.withLock { $0.append(number) } }
        }
        // Far apart: this thread may have to wait between two of these lines.
        timers[0].schedule(afterMilliseconds: 1_000)
        timers[1].schedule(afterMilliseconds: 500)
        timers[2].schedule(afterMilliseconds: 750)
        timers[2].cancel()
        timers[3].schedule(afterMilliseconds: 750)
        timers[3].schedule(afterMilliseconds: 1_500)
        #expect(eventually { rung.withLock { $0.count } == 3 })
        expectEqual(rung.withLock { $0 }, [1, 0, 3])
        timers[2].schedule(afterMilliseconds: 1)
        #expect(eventually { rung.withLock { $0.last } == 2 })
    }
}
