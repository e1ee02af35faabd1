import Foundation

/// What /proc says of the machine's processes.
enum ProcessList {
    static var all: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap {
            Int32($0)
        }
    }

    /// Whether a variable of this name is in its environment.
    static func has(_ variable: String, _ pid: Int32) -> Bool {
        guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else {
            return false
        }
        return environment.range(of: Data("\(variable)=".utf8)) != nil
    }

    struct Entry: Hashable, Sendable {
        let pid: Int32
        /// In clock ticks since the machine's start: with the pid, it tells a process from a later
        /// one of the same number.
        let startedAt: String
    }

    /// The children of a process, theirs, and so on.
    static func descendants(of ancestor: Int32) -> Set<Entry> {
        var children: [Int32: [Entry]] = [:]
        for pid in all {
            guard let fields = status(pid), let parent = Int32(fields[1]) else { continue }
            children[parent, default: []].append(Entry(pid: pid, startedAt: fields[19]))
        }
        var found: Set<Entry> = []
        var next = children[ancestor] ?? []
        while let entry = next.popLast() {
            if found.insert(entry).inserted { next += children[entry.pid] ?? [] }
        }
        return found
    }

    /// One that is dead and was not asked for by its parent yet is gone.
    static func isRunning(_ entry: Entry) -> Bool {
        guard let fields = status(entry.pid) else { return false }
        return fields[19] == entry.startedAt && fields[0] != "Z" && fields[0] != "X"
    }

    /// From the state on, which is the third field.
    private static func status(_ pid: Int32) -> [String]? {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let bracket = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ").map(String.init)
        return fields.count > 19 ? fields : nil
    }
}

/// Whether it comes to hold within half a minute.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<15_000 {
        if try condition() { return true }
        usleep(2000)
    }
    return false
}

/// How often something is done again: less than the full demand, unless a variable asks for that.
func count(_ variable: String, default count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
}
