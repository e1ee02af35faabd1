import EmulatorProcesses
import Foundation
import Testing

/// What is left when the process that keeps the others is killed with no time to say good-bye.
@Suite("Keeper's death") struct KeeperDeathTests {
    @Test func `kill -9 of the keeper takes its children and theirs`() async throws {
        let file = NSTemporaryDirectory() + "latchkey-death-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String] in
            let keeper = try ProcessKeeper()
            let outcome = Outcome()
            let script =
                "echo $$; sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & echo ok; wait"
            let processes = (0..<3).map { _ in keeper.start(outcome.shell(script)) }
            // Three lines of pids and one of "ok" from each.
            _ = eventually { outcome.output.split(separator: "\n").count == 12 }
            try outcome.output.write(toFile: file, atomically: true, encoding: .utf8)
            withExtendedLifetime(processes) { _ = kill(getpid(), SIGKILL) }
        }
        let pids = try String(contentsOfFile: file, encoding: .utf8)
            .split(separator: "\n").compactMap { Int32($0) }
        #expect(pids.count == 9)
        for pid in pids { #expect(eventually { !isRunning(pid) }, "\(pid)") }
    }

    /// A zombie that init has not reaped yet counts as gone.
    private func isRunning(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")")
        else { return false }
        return !stat[bracket...].dropFirst().hasPrefix(" Z")
    }
}
