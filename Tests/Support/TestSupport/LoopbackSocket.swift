internal import Glibc

package struct LoopbackFailure: Error {
    package let call: String
    package let code: Int32
}

/// The socket calls of `LoopbackServer` and `LoopbackClient`.
package enum LoopbackSocket {
    package static let host: UInt32 = 0x7F00_0001
    /// A timeout, so that a missing response fails a test instead of blocking it.
    private static let clientSecondsMax = 20

    static func connect(to port: UInt16, _ host: UInt32) throws(LoopbackFailure) -> Int32 {
        let descriptor = try open()
        var limit = timeval(tv_sec: clientSecondsMax, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var address = address(host, port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw LoopbackFailure(call: "connect", code: code)
        }
        return descriptor
    }

    private static func open() throws(LoopbackFailure) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw LoopbackFailure(call: "socket", code: errno) }
        return descriptor
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    static func listen(on port: UInt16 = 0) throws(LoopbackFailure) -> (
        descriptor: Int32, port: UInt16
    ) {
        let descriptor = try open()
        var address = address(host, port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> String? in
                guard bind(descriptor, pointer, length) == 0 else { return "bind" }
                guard Glibc.listen(descriptor, 128) == 0 else { return "listen" }
                return getsockname(descriptor, pointer, &length) == 0 ? nil : "getsockname"
            }
        }
        if let failed {
            let code = errno
            close(descriptor)
            throw LoopbackFailure(call: failed, code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection, or -1 if the listener is closed.
    static func accept(from listener: Int32) -> Int32 {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                // The client has disconnected before it was accepted.
                if errno == EINTR || errno == ECONNABORTED { continue }
                return -1
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
            return descriptor
        }
    }

    /// Ends a connection even if a child process has inherited its descriptor.
    static func end(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Up to 64 KiB; empty at the end of the stream or on an error.
    static func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var received = -1
            repeat {
                received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while received < 0 && errno == EINTR
            count = max(0, received)
        }
    }

    /// False if the peer has closed the connection.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(
                    descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
