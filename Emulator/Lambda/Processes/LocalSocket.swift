internal import Glibc

/// The client's end of a TCP connection between two processes of this machine, as the kernel
/// identifies it.
package struct LocalSocket: Sendable {
    private let name: [UInt8]

    /// nil if the connection is closed, or the kernel does not say.
    package init?(clientPort: UInt16, serverPort: UInt16) {
        guard let inode = SocketQuestion(clientPort, serverPort).inode else { return nil }
        name = Array("socket:[\(inode)]".utf8)
    }

    /// The index of the process that has the socket open.
    package func owner(among processes: [Int32]) -> Int? { processes.firstIndex(where: isOpen) }

    /// The index of the process with a descendant, in its process group, that has the socket open.
    /// This reads all of /proc.
    package func ancestor(among processes: [Int32]) -> Int? {
        guard !processes.isEmpty else { return nil }
        return ProcessTable.groups().lazy.compactMap { pid, group in
            processes.firstIndex(of: group).flatMap { pid != group && isOpen(in: pid) ? $0 : nil }
        }.first
    }

    private func isOpen(in pid: Int32) -> Bool {
        let folder = "/proc/\(pid)/fd"
        let found: Bool? = ProcessTable.numbers(in: folder) { entry in
            var target = [UInt8](repeating: 0, count: 64)
            let count = readlink("\(folder)/\(entry)", &target, target.count)
            return count == name.count && target.prefix(count).elementsEqual(name) ? true : nil
        }
        return found ?? false
    }
}

/// Asks the kernel for one socket (sock_diag(7)). It takes microseconds, where /proc/net/tcp takes
/// milliseconds.
private struct SocketQuestion {
    private static let netlink = Int32(16)  // AF_NETLINK
    private static let diagnosis = Int32(4)  // NETLINK_SOCK_DIAG
    private static let byFamily: UInt16 = 20  // SOCK_DIAG_BY_FAMILY
    private static let inodeOffset = 84
    private static let loopback: [UInt8] = [127, 0, 0, 1]

    private let bytes: [UInt8]

    init(_ clientPort: UInt16, _ serverPort: UInt16) {
        // struct inet_diag_req_v2; ports and addresses are in network order.
        var request: [UInt8] = [UInt8(AF_INET), UInt8(IPPROTO_TCP), 0, 0]
        request += Self.bytes(UInt32.max)
        request += Self.bytes(clientPort.bigEndian) + Self.bytes(serverPort.bigEndian)
        for _ in 0..<2 { request += Self.loopback + [UInt8](repeating: 0, count: 12) }
        request += Self.bytes(UInt32(0)) + Self.bytes(UInt64.max)
        // struct nlmsghdr with NLM_F_REQUEST.
        bytes =
            Self.bytes(UInt32(16 + request.count)) + Self.bytes(Self.byFamily)
            + Self.bytes(UInt16(1)) + Self.bytes(UInt64(1)) + request
    }

    /// The inode of the socket with these ports.
    var inode: UInt32? {
        let descriptor = socket(
            Self.netlink, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), Self.diagnosis)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel answers within the call of `send`.
        guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &answer, answer.count, Int32(MSG_DONTWAIT))
        guard count >= Self.inodeOffset + 4, answer[4..<6].elementsEqual(Self.bytes(Self.byFamily))
        else { return nil }
        return answer.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: Self.inodeOffset, as: UInt32.self)
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
