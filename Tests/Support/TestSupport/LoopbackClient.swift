internal import Bytes
internal import Glibc

/// A client that sends exact bytes, on its own connection.
package final class LoopbackClient {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    package init(port: UInt16, host: UInt32 = LoopbackSocket.host) throws(LoopbackFailure) {
        descriptor = try LoopbackSocket.connect(to: port, host)
    }

    deinit { close(descriptor) }

    /// Whether something listens on the port.
    package static func finds(port: UInt16) -> Bool {
        (try? LoopbackClient(port: port)) != nil
    }

    /// Whether nothing listens on the port, now or soon: as soon as the port is free, a server of
    /// another test may get it, and keeps it for a while.
    package static func misses(port: UInt16) -> Bool {
        for _ in 0..<400 {
            if !finds(port: port) { return true }
            usleep(50_000)
        }
        return false
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// False if the server has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { LoopbackSocket.write(bytes, to: descriptor) }

    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Includes the line end; at the end of the connection, what was received.
    package func readLine() -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) { return take(end + 1) }
            guard fill() else { return take(buffer.count) }
        }
    }

    package func readToEnd() -> String {
        while fill() {}
        return take(buffer.count)
    }

    /// Reads until the end; true if the server closes the connection.
    package func isClosed() -> Bool {
        while fill() {}
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, 0) == 0 || errno == ECONNRESET
    }

    private func fill() -> Bool {
        let more = LoopbackSocket.read(descriptor)
        buffer += more
        return !more.isEmpty
    }

    private func take(_ count: Int) -> String {
        defer { buffer.removeFirst(count) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

/// HTTP/1.1.
extension LoopbackClient {
    package struct Answer {
        package let status: Int
        package let head: String
        package let body: String

        /// `name` must be in lower case.
        package func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name else { continue }
                return String(parts[1].drop { $0 == " " })
            }
            return nil
        }
    }

    /// The next response; nil if the server has closed the connection.
    package func answer() -> Answer? {
        while true {
            if let answer = parse() { return answer }
            guard fill() else { return nil }
        }
    }

    private func parse() -> Answer? {
        guard let end = buffer.firstOccurrence(of: "\r\n\r\n") else { return nil }
        let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let answer = Answer(status: status, head: head, body: "")
        let length = answer.header("content-length").flatMap { Int($0) } ?? 0
        guard buffer.count >= end.upperBound + length else { return nil }
        _ = take(end.upperBound)
        return Answer(status: status, head: head, body: take(length))
    }
}
