internal import Glibc

/// The owner of a listening socket.
package final class Listener: Sendable {
    let descriptor: Int32
    /// The address for the log. It has the actual port if port 0 was requested.
    package let address: String
    /// nil for a Unix socket.
    package let port: UInt16?
    /// The file of a Unix socket that this process has made.
    private let file: String?

    private static let backlog: Int32 = 4096

    package init(_ address: ListenAddress) throws(ListenFailure) {
        switch address {
        case .ipv4(let host, let port):
            descriptor = try Self.open(AF_INET)
            file = nil
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &target.sin_addr)
            try Self.listen(descriptor, &target)
        case .ipv6(let host, let port):
            descriptor = try Self.open(AF_INET6)
            file = nil
            try Self.listen(descriptor, port: port) { inet_pton(AF_INET6, host, &$0) }
        case .everyAddress(let port):
            file = nil
            if let descriptor = try? Self.open(AF_INET6) {
                self.descriptor = descriptor
                var no: Int32 = 0
                let size = socklen_t(MemoryLayout<Int32>.size)
                setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size)
                try Self.listen(descriptor, port: port) { $0 = in6addr_any }
            } else {
                descriptor = try Self.open(AF_INET)
                var target = sockaddr_in()
                target.sin_family = sa_family_t(AF_INET)
                target.sin_port = port.bigEndian
                try Self.listen(descriptor, &target)
            }
        case .unix(let path):
            try Self.removeLeftover(path)
            descriptor = try Self.open(AF_UNIX)
            file = path
            var target = Self.unixAddress(path)
            try Self.listen(descriptor, &target)
        case .descriptor(let given):
            descriptor = given
            file = nil
            var isListening: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(given, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0,
                isListening == 1
            else { throw ListenFailure("descriptor \(given) is not a listening socket") }
            try Self.setFlags(given)
        }
        self.address = file.map { "unix:\($0)" } ?? SocketName.own(of: descriptor)
        port = SocketName.port(of: descriptor)
    }

    deinit {
        close(descriptor)
        if let file { unlink(file) }
    }

    private static func open(_ family: Int32) throws(ListenFailure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw ListenFailure(call: "socket", code: errno) }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        return descriptor
    }

    private static func listen(
        _ descriptor: Int32, port: UInt16, _ setHost: (inout in6_addr) -> Void
    ) throws(ListenFailure) {
        var target = sockaddr_in6()
        target.sin6_family = sa_family_t(AF_INET6)
        target.sin6_port = port.bigEndian
        setHost(&target.sin6_addr)
        try listen(descriptor, &target)
    }

    /// If this fails, it closes the descriptor, because the caller does not own it yet.
    private static func listen<Address>(
        _ descriptor: Int32, _ address: inout Address
    ) throws(ListenFailure) {
        let size = socklen_t(MemoryLayout<Address>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        do throws(ListenFailure) {
            guard bound == 0 else { throw ListenFailure(call: "bind", code: errno) }
            guard Glibc.listen(descriptor, backlog) == 0 else {
                throw ListenFailure(call: "listen", code: errno)
            }
            try setFlags(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func setFlags(_ descriptor: Int32) throws(ListenFailure) {
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw ListenFailure(call: "fcntl", code: errno) }
    }

    private static func unixAddress(_ path: String) -> sockaddr_un {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
        return target
    }

    /// Removes the socket of a server that was killed. The socket of a running server and any other
    /// file are left alone: `bind` then fails.
    private static func removeLeftover(_ path: String) throws(ListenFailure) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = try open(AF_UNIX)
        defer { close(probe) }
        var target = unixAddress(path)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let connected = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(probe, $0, size) }
        }
        if connected != 0, errno == ECONNREFUSED { unlink(path) }
    }
}

/// The addresses of sockets as text.
enum SocketName {
    /// `127.0.0.1:8080`, `[::1]:8080`.
    static func own(of descriptor: Int32) -> String {
        guard let (host, port) = ask(descriptor, getsockname) else { return "unix:" }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    static func port(of descriptor: Int32) -> UInt16? { ask(descriptor, getsockname)?.port }

    /// Nil for a Unix socket.
    static func peerHost(of descriptor: Int32) -> String? { ask(descriptor, getpeername)?.host }

    private static func ask(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (host: String, port: UInt16)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            let result = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, &size)
            }
            guard result == 0 else { return nil }
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET:
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    (text(AF_INET, &$0.pointee.sin_addr), UInt16(bigEndian: $0.pointee.sin_port))
                }
            case AF_INET6:
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    (
                        text(AF_INET6, &$0.pointee.sin6_addr),
                        UInt16(bigEndian: $0.pointee.sin6_port)
                    )
                }
            default: return nil
            }
        }
    }

    static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        let text = [UInt8](unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { buffer, count in
            count = 0
            buffer.withMemoryRebound(to: CChar.self) { characters in
                let start = characters.baseAddress
                if let end = inet_ntop(family, address, start, socklen_t(INET6_ADDRSTRLEN)) {
                    count = strlen(end)
                }
            }
        }
        // An IPv4 client of a dual-stack socket (RFC 4291 section 2.5.5.2).
        let mapped = "::ffff:".utf8
        let isMapped = text.starts(with: mapped) && text.contains(UInt8(ascii: "."))
        return String(decoding: text.dropFirst(isMapped ? mapped.count : 0), as: UTF8.self)
    }
}
