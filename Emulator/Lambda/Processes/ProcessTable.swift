internal import Glibc

/// Reads /proc.
enum ProcessTable {
    private static let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))

    static func residentBytes(_ pid: Int32) -> Int64 {
        let fields = contents("/proc/\(pid)/statm").split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = number(fields[1]) else { return 0 }
        return pages * pageBytes
    }

    /// The number of processes and threads of the machine; nil if /proc does not provide it.
    static func tasksOfMachine() -> Int64? {
        // "0.20 0.18 0.12 1/80 11206"
        let fields = contents("/proc/loadavg").split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let slash = fields[3].firstIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        return number(fields[3][(slash + 1)...])
    }

    /// The number of processes in each process group.
    static func groupSizes() -> [Int32: Int] {
        groups().reduce(into: [:]) { $0[$1.group, default: 0] += 1 }
    }

    /// All processes of the machine.
    static func groups() -> [(pid: Int32, group: Int32)] {
        var all: [(pid: Int32, group: Int32)] = []
        _ = numbers(in: "/proc") { name -> Never? in
            guard let pid = Int32(name), let group = group(of: contents("/proc/\(name)/stat"))
            else { return nil }
            all.append((pid, group))
            return nil
        }
        return all
    }

    /// The first result for the numbers among a directory's names.
    static func numbers<Found>(in path: String, find: (String) -> Found?) -> Found? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            guard entry.pointee.d_name.0 &- 0x30 < 10 else { continue }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let found = find(name) { return found }
        }
        return nil
    }

    /// "1234 (a name) S parent group …": the name may contain spaces and parentheses.
    private static func group(of stat: [UInt8]) -> Int32? {
        guard let bracket = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 2, let group = number(fields[2]) else { return nil }
        return Int32(truncatingIfNeeded: group)
    }

    /// The children of this process's first thread. Supervisors start no children there, so these
    /// are adopted orphans.
    static func adopted() -> [Int32] {
        let pid = getpid()
        return contents("/proc/self/task/\(pid)/children", bytesMax: 64 << 10)
            .split(separator: UInt8(ascii: " "))
            .compactMap { number($0) }.map { Int32(truncatingIfNeeded: $0) }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        Int64(String(decoding: digits, as: UTF8.self))
    }

    private static func contents(_ path: String, bytesMax: Int = 1024) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: bytesMax, alignment: 8) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? Array(UnsafeRawBufferPointer(rebasing: buffer[..<count])) : []
        }
    }
}
