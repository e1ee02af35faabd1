internal import Glibc

/// Opens a server's listening socket.
enum ListeningSocket {
    private static let backlog: Int32 = 4096
    private static let loopbackHost: UInt32 = 0x7F00_0001
    /// SO_BINDTODEVICE: only accepts traffic from this device.
    private static let bindToDevice: Int32 = 25

    static func open(
        _ interface: ServerInterface, port: UInt16
    ) throws(ServerFailure) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .noSocket(code: errno) }
        do throws(ServerFailure) {
            return (descriptor, try listen(descriptor, interface, port: port))
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func listen(
        _ descriptor: Int32, _ interface: ServerInterface, port: UInt16
    ) throws(ServerFailure) -> UInt16 {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if interface == .wholeLoopback {
            var device: [CChar] = [0x6C, 0x6F, 0]  // "lo"
            let count = socklen_t(device.count)
            guard setsockopt(descriptor, SOL_SOCKET, bindToDevice, &device, count) == 0 else {
                throw .noSocket(code: errno)
            }
        }
        let host = interface == .loopback ? loopbackHost : 0
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard bound == 0 else {
            throw errno == EADDRINUSE ? .portTaken(port) : .noSocket(code: errno)
        }
        guard Glibc.listen(descriptor, backlog) == 0,
            fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { throw .noSocket(code: errno) }
        return SocketAddress.local(of: descriptor).port
    }
}

enum SocketAddress {
    static func local(of descriptor: Int32) -> ServerAddress { ask(descriptor, getsockname) }
    static func peer(of descriptor: Int32) -> ServerAddress { ask(descriptor, getpeername) }

    private static func ask(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> ServerAddress {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &size) }
        }
        guard result == 0 else { return .unknown }
        return ServerAddress(
            host: UInt32(bigEndian: address.sin_addr.s_addr),
            port: UInt16(bigEndian: address.sin_port))
    }
}

enum DescriptorLimit {
    /// Raises the limit of open files to the hard limit.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
