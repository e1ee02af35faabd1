internal import Glibc

/// One connection: sends everything, half-closes, and reads to the end.
struct RandomExchange {
    let host: UInt32
    let port: UInt16

    enum End { case closed, reset, timeout, noConnection }

    private static let answerBytesMax = 16 << 20

    func run(_ request: [UInt8], pieces: Int, stays: Bool) -> (answer: [UInt8], end: End) {
        let descriptor = connected()
        guard descriptor >= 0 else { return ([], .noConnection) }
        defer { close(descriptor) }
        let size = max(1, (request.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: request.count, by: size) {
            if start > 0 { usleep(500) }
            let end = min(start + size, request.count)
            _ = LoopbackSocket.write(Array(request[start..<end]), to: descriptor)
        }
        guard stays else { return ([], .closed) }
        shutdown(descriptor, Int32(SHUT_WR))
        return receive(on: descriptor)
    }

    private func connected() -> Int32 {
        // Free ports may be in TIME_WAIT.
        for _ in 0..<500 {
            let reason: Int32
            do throws(LoopbackFailure) {
                return try LoopbackSocket.connect(to: port, host)
            } catch {
                reason = error.code
            }
            guard reason == EADDRNOTAVAIL || reason == EINTR else { return -1 }
            usleep(10_000)
        }
        return -1
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
