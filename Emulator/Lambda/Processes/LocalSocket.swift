internal import Glibc

/// The client's end of a TCP connection between two processes of this machine, as the kernel
/// identifies it.
package struct LocalSocket: Sendable {
    private let name: [UInt8]

    /// nil if the connection is closed, or its client is on another machine.
    package init?(clientPort: UInt16, serverPort: UInt16) {
        let files = ["/proc/net/tcp", "/proc/net/tcp6"]
        let inode = files.lazy.compactMap { file in
            Self.inode(in: file, clientPort, serverPort)
        }.first
        guard let inode else { return nil }
        name = Array("socket:[\(inode)]".utf8)
    }

    private static func inode(
        in file: String, _ clientPort: UInt16, _ serverPort: UInt16
    ) -> String? {
        // sl, local_address, rem_address, st, queues, tr tm->when, retrnsmt, uid, timeout, inode
        // (proc_pid_net(5)).
        ProcessTable.lines(of: file) { line in
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            guard fields.count > 9, port(fields[1]) == clientPort, port(fields[2]) == serverPort,
                isLoopback(fields[2])
            else { return nil }
            return String(decoding: fields[9], as: UTF8.self)
        }
    }

    /// `0100007F:1F90`
    private static func port(_ address: ArraySlice<UInt8>) -> UInt16? {
        UInt16(String(decoding: address.suffix(4), as: UTF8.self), radix: 16)
    }

    /// 127.0.0.0/8, also as an IPv4-mapped IPv6 address; of both the last 32 bits are in the
    /// machine's order.
    private static func isLoopback(_ address: ArraySlice<UInt8>) -> Bool {
        let host = UInt32(String(decoding: address.dropLast(5).suffix(8), as: UTF8.self), radix: 16)
        return host.map { UInt32(bigEndian: $0) >> 24 == 127 } ?? false
    }

    /// The index of the process that has it open, or whose process group does.
    package func owner(among processes: [Int32]) -> Int? {
        if let owner = processes.firstIndex(where: isOpen) { return owner }
        guard !processes.isEmpty else { return nil }
        // A program that the process has started.
        return ProcessTable.groups().lazy.compactMap { pid, group in
            processes.firstIndex(of: group).flatMap { pid != group && isOpen(in: pid) ? $0 : nil }
        }.first
    }

    private func isOpen(in pid: Int32) -> Bool {
        let folder = "/proc/\(pid)/fd"
        return ProcessTable.names(in: folder) { entry in
            var target = [UInt8](repeating: 0, count: 64)
            let count = readlink("\(folder)/\(entry)", &target, target.count)
            return count == name.count && target.prefix(count).elementsEqual(name) ? true : nil
        } ?? false
    }
}
