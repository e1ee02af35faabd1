internal import Glibc

/// The socket calls of the listener.
enum SMTPSocket {
    private static let backlog: Int32 = 128
    private static let loopbackHost: UInt32 = 0x7F00_0001

    static func listen(
        port: UInt16
    ) throws(SMTPListenerFailure) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(code: errno) }
        var yes: Int32 = 1
        let yesBytes = socklen_t(MemoryLayout<Int32>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, yesBytes)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = loopbackHost.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, size) != 0
                    || Glibc.listen(descriptor, backlog) != 0
                    || getsockname(descriptor, pointer, &size) != 0
            }
        }
        guard !failed else {
            let code = errno
            close(descriptor)
            throw code == EADDRINUSE ? .portTaken(port) : .system(code: code)
        }
        prepare(descriptor)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Makes the socket non-blocking and close-on-exec.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    enum Reading {
        case bytes([UInt8])
        case nothing
        case end
    }

    static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Reading {
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return .bytes(Array(buffer[..<count])) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .nothing : .end
        }
    }

    /// The number of bytes written; nil if the connection is closed.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
        }
    }

    /// The next connection and the port of its client; nil sets errno.
    static func accept(_ listener: Int32) -> (descriptor: Int32, clientPort: UInt16)? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.accept(listener, pointer, &size)
            }
        }
        return descriptor < 0 ? nil : (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A monotonic clock.
    static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The clock for idle timeouts.
    static var seconds: Int { Int(nanoseconds / 1_000_000_000) }
}
