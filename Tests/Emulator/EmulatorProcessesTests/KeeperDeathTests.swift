import EmulatorProcesses
import Foundation
import Synchronization
import Testing

/// What is left when the process that keeps the others is killed with no time to say good-bye.
@Suite("Keeper's death") struct KeeperDeathTests {
    @Test func `kill -9 of the keeper takes its children and theirs`() async throws {
        let file = NSTemporaryDirectory() + "latchkey-death-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        // What it leaves becomes the children of the nearest process that adopts orphans, which is
        // this one, and the waiting for an exit test knows no other children than its own.
        let isOver = Mutex(false)
        let reaper = Thread {
            while !isOver.withLock({ $0 }) {
                for pid in listed(in: file, "") + listed(in: file, "guardian ") {
                    waitpid(pid, nil, WNOHANG)
                    // Where it led a group: the rest of that.
                    waitpid(-pid, nil, WNOHANG)
                }
                usleep(1000)
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
            // Three lines of pids and one of "ok" from each.
            _ = eventually { outcome.output.split(separator: "\n").count == 12 }
            // The guardian too: it becomes the tests' own child, and they have to reap it.
            let guardians = children().filter { !outcome.output.contains("\($0)\n") }
            let text = outcome.output + guardians.map { "guardian \($0)\n" }.joined()
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            withExtendedLifetime(processes) { _ = kill(getpid(), SIGKILL) }
        }
        let started = listed(in: file, "")
        let guardians = listed(in: file, "guardian ")
        #expect(started.count == 9)
        #expect(guardians.count == 1)
        for pid in started + guardians {
            #expect(eventually { !isRunning(pid) }, "\(pid)")
            // Also of those that are ours, and of shells in between that nobody has listed, no
            // zombie is left.
            let isReaped = eventually {
                waitpid(pid, nil, WNOHANG) == -1 && waitpid(-pid, nil, WNOHANG) == -1
            }
            #expect(isReaped, "\(pid)")
        }
    }

    /// In a process of its own, because it takes every child it does not know for a stray.
    @Test func `a descendant that leaves its group is ended all the same`() async {
        await #expect(processExitsWith: .success) {
            let supervisor = try ProcessSupervisor(ownsStrays: true)
            let outcome = Outcome()
            _ = supervisor.start(outcome.shell("setsid sleep 1000 & echo $!; sleep 0.1"))
            let end = try #require(outcome.end())
            #expect(end.reason == .status(0))
            let stray = try #require(Int32(outcome.output.prefix { $0 != "\n" }))
            let bystander = Outcome()
            let process = supervisor.start(bystander.shell("echo here; sleep 1000"))
            #expect(bystander.waitForOutput("here"))
            #expect(eventually { !isAlive(stray) })
            #expect(process.pid != nil)
        }
    }

    /// A zombie that init has not reaped yet counts as gone.
    private func isRunning(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")")
        else { return false }
        return !stat[bracket...].dropFirst().hasPrefix(" Z")
    }
}

/// The pids on the lines of a file that begin so.
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
