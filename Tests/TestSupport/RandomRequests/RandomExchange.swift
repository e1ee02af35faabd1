internal import Glibc

/// One connection: says all, says that it is all, and listens to the end.
struct RandomExchange {
    let host: UInt32
    let port: UInt16

    enum End { case closed, reset, timeout, noConnection }

    private static let secondsMax = 20
    private static let answerBytesMax = 16 << 20

    func run(_ request: [UInt8], pieces: Int, stays: Bool) -> (answer: [UInt8], end: End) {
        let descriptor = connected()
        guard descriptor >= 0 else { return ([], .noConnection) }
        defer { close(descriptor) }
        let size = max(1, (request.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: request.count, by: size) {
            if start > 0 { usleep(500) }
            send(Array(request[start..<min(start + size, request.count)]), on: descriptor)
        }
        guard stays else { return ([], .closed) }
        shutdown(descriptor, Int32(SHUT_WR))
        return receive(on: descriptor)
    }

    private func connected() -> Int32 {
        // Many ports may be waiting for their last packets.
        for _ in 0..<500 {
            let descriptor = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return -1 }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = host.bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, size)
                }
            }
            if code == 0 {
                limit(descriptor)
                return descriptor
            }
            let reason = errno
            close(descriptor)
            guard reason == EADDRNOTAVAIL || reason == EINTR else { return -1 }
            usleep(10_000)
        }
        return -1
    }

    private func limit(_ descriptor: Int32) {
        var limit = timeval(tv_sec: Self.secondsMax, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    private func send(_ bytes: [UInt8], on descriptor: Int32) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            left = left.dropFirst(count)
        }
    }

    private func receive(on descriptor: Int32) -> ([UInt8], End) {
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while answer.count < Self.answerBytesMax {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 { return (answer, .closed) }
            guard count > 0 else {
                if errno == EINTR { continue }
                return (answer, errno == EAGAIN ? .timeout : .reset)
            }
            answer += piece[..<count]
        }
        return (answer, .timeout)
    }
}
