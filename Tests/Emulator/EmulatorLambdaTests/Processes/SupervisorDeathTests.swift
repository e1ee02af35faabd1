import EmulatorLambda
import Foundation
import TestSupport

/// Children whose supervising process is killed.
@Suite("A killed supervisor") struct SupervisorDeathTests {
    @Test func `kill -9 of the supervisor's process ends its children and their descendants`()
        async throws
    {
        let file = NSTemporaryDirectory() + "latchkey-death-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        // Orphans become children of the nearest process that adopts them, which is this one, and
        // waiting for an exit test expects only its own child.
        let isOver = Mutex(false)
        let reaper = Thread {
            while !isOver.withLock({ $0 }) {
                for pid in listed(in: file, "") + listed(in: file, "watchdog ") {
                    waitpid(pid, nil, WNOHANG)
                    // The rest of its process group, if it led one.
                    waitpid(-pid, nil, WNOHANG)
                }
                usleep(50_000)
            }
        }
        reaper.start()
        defer { isOver.withLock { $0 = true } }
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String] in
            let supervisor = try ProcessSupervisor()
            let outcome = Outcome()
            let script =
                "echo $$; sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & echo ok; wait"
            let processes = (0..<3).map { _ in supervisor.start(outcome.shell(script)) }
            // Three lines of pids and one "ok" from each.
            _ = eventually { outcome.output.split(separator: "\n").count == 12 }
            // The watchdog also becomes a child of the test process and must be reaped.
            let watchdogs = children().filter { !outcome.output.contains("\($0)\n") }
            let text = outcome.output + watchdogs.map { "watchdog \($0)\n" }.joined()
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            withExtendedLifetime(processes) { _ = kill(getpid(), SIGKILL) }
        }
        let started = listed(in: file, "")
        let watchdogs = listed(in: file, "watchdog ")
        expectEqual(started.count, 9)
        expectEqual(watchdogs.count, 1)
        for pid in started + watchdogs {
            #expect(eventually { !isRunning(pid) }, "\(pid)")
            // No zombie is left, including adopted children and intermediate shells.
            let isReaped = eventually {
                waitpid(pid, nil, WNOHANG) == -1 && waitpid(-pid, nil, WNOHANG) == -1
            }
            #expect(isReaped, "\(pid)")
        }
    }

    /// In its own process, because it treats every unknown child as a stray descendant.
    @Test func `a descendant that leaves its process group is ended too`() async {
        await #expect(processExitsWith: .success) {
            let supervisor = try ProcessSupervisor(ownsStrays: true)
            let outcome = Outcome()
            _ = supervisor.start(outcome.shell("setsid sleep 1000 & echo $!; sleep 0.1"))
            let end = try #require(outcome.end())
            expectEqual(end.reason, .status(0))
            let stray = try #require(Int32(outcome.output.prefix { $0 != "\n" }))
            let bystander = Outcome()
            let process = supervisor.start(bystander.shell("echo here; sleep 1000"))
            #expect(bystander.waitForOutput("here"))
            #expect(eventually { !isAlive(stray) })
            #expect(process.pid != nil)
        }
    }

    /// A zombie that init has not reaped yet counts as ended.
    private func isRunning(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")")
        else { return false }
        return !stat[bracket...].dropFirst().hasPrefix(" Z")
    }
}

/// The pids on the lines of a file with this prefix.
private func listed(in file: String, _ prefix: String) -> [Int32] {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
        .compactMap { Int32($0.dropFirst(prefix.count)) }
}

/// The pids of this process's children.
private func children() -> [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.flatMap { task -> [Int32] in
        let path = "/proc/self/task/\(task)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }
}
