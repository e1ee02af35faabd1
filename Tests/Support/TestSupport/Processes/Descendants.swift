internal import Foundation

/// A snapshot of a process's descendants.
///
/// If this process adopts orphans (because of the tests of `EmulatorLambda`), those of a killed
/// process become its children, and the dead ones must be reaped: waiting for any child, as exit
/// tests do, would return the same one again and again.
package struct Descendants: Sendable {
    private struct Entry: Hashable {
        let pid: Int32
        /// In clock ticks since boot: together with the pid it identifies a process.
        let startedAt: String
    }

    private let entries: Set<Entry>

    package init(of ancestor: Int32) {
        var children: [Int32: [Entry]] = [:]
        for pid in Self.allProcesses {
            guard let fields = Self.status(pid), let parent = Int32(fields[1]) else { continue }
            children[parent, default: []].append(Entry(pid: pid, startedAt: fields[19]))
        }
        var found: Set<Entry> = []
        var next = children[ancestor] ?? []
        while let entry = next.popLast() {
            if found.insert(entry).inserted { next += children[entry.pid] ?? [] }
        }
        entries = found
    }

    package var count: Int { entries.count }

    /// The resident memory of the largest one, in KiB.
    package var residentKiBMax: Int {
        entries.reduce(0) { most, entry in
            let status = try? String(contentsOfFile: "/proc/\(entry.pid)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            let words = line?.split { $0 == " " || $0 == "\t" }
            return max(most, words?.dropFirst().first.flatMap { Int($0) } ?? 0)
        }
    }

    /// Waits until all have ended, and reaps those that this process has adopted. False if some are
    /// still running.
    package func waitUntilGone(secondsMax: Double = 20) -> Bool {
        let deadline = Date(timeIntervalSinceNow: secondsMax)
        while !areGone {
            guard Date() < deadline else { return false }
            usleep(2000)
        }
        return true
    }

    package var areGone: Bool {
        entries.allSatisfy { entry in
            guard let fields = Self.status(entry.pid), fields[19] == entry.startedAt else {
                return true
            }
            guard fields[0] == "Z" || fields[0] == "X" else { return false }
            // A zombie of another process is reaped there.
            return waitpid(entry.pid, nil, WNOHANG) != 0
        }
    }

    package static var allProcesses: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap {
            Int32($0)
        }
    }

    /// The fields of `/proc/PID/stat` from the state on, which is the third field.
    private static func status(_ pid: Int32) -> [String]? {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ").map(String.init)
        return fields.count > 19 ? fields : nil
    }

    fileprivate static func isStopped(_ pid: Int32) -> Bool {
        status(pid).map { $0[0] == "T" || $0[0] == "Z" } ?? true
    }
}

extension ChildProcess {
    /// Ends it with a signal and returns the descendants it had. It is stopped first, so that it
    /// starts no more.
    package func end(by signal: Int32 = SIGKILL) -> Descendants {
        kill(SIGSTOP)
        while isRunning, !Descendants.isStopped(pid) { usleep(200) }
        let descendants = Descendants(of: pid)
        kill(signal)
        kill(SIGCONT)
        _ = wait()
        return descendants
    }
}
