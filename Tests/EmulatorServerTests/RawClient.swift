import Glibc
import Testing

/// A client that says exactly what a test wants said.
final class RawClient {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, host: UInt32 = 0x7F00_0001) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(Self.reaches(port, host, descriptor))
        // A server that does not answer fails the test instead of stopping it.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Whether anybody listens on the port.
    static func finds(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return reaches(port, 0x7F00_0001, descriptor)
    }

    private static func reaches(_ port: UInt16, _ host: UInt32, _ descriptor: Int32) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            left = left.dropFirst(count)
        }
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    struct Answer {
        let status: Int
        let head: String
        let body: String

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { continue }
                return String(parts[1].drop { $0 == " " })
            }
            return nil
        }
    }

    /// The next response; nil when the server has closed the connection.
    func answer() -> Answer? {
        while true {
            if let answer = parse() { return answer }
            guard fill() else { return nil }
        }
    }

    /// True when the server closes, whatever it says before.
    func isClosed() -> Bool {
        while fill() {}
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0 || errno == ECONNRESET
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }

    private func parse() -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        guard let at = buffer.indices.first(where: { buffer[$0...].starts(with: end) }) else {
            return nil
        }
        let head = String(decoding: buffer[..<at], as: UTF8.self)
        let answer = Answer(status: Int(head.split(separator: " ")[1]) ?? 0, head: head, body: "")
        let length = answer.header("content-length").flatMap { Int($0) } ?? 0
        guard buffer.count >= at + 4 + length else { return nil }
        let body = String(decoding: buffer[(at + 4)..<(at + 4 + length)], as: UTF8.self)
        buffer.removeFirst(at + 4 + length)
        return Answer(status: answer.status, head: head, body: body)
    }
}
